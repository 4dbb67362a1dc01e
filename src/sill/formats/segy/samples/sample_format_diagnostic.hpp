// Findings about the sample format of a file.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sill/base/diagnostic.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/samples/sample_format_evidence.hpp"

namespace sill::segy {

/// Traces that individually refute the declared format.
struct RefutingTraces {
  std::int64_t count = 0;
  std::int64_t of = 0;                     ///< number of traces examined
  std::span<const std::int64_t> first;     ///< numbers of the first few refuting traces, from 1
  std::vector<SampleReading> others = {};  ///< readings that no rule refutes for the traces in `first` together
};

/// Local. Returns a finding about the sample format. Grade: major if all traces together, or some traces individually,
/// refute the format (but info if the format was assumed, or if no other format fits and the values may be unusual);
/// info if the format cannot be determined. Returns nullopt in all other cases.
[[nodiscard]] std::optional<Diagnostic> sample_format_diagnostic(const FileDescription& file,
                                                                 const SampleFormatResult& all,
                                                                 const RefutingTraces& single, bool is_assumed);

}  // namespace sill::segy
