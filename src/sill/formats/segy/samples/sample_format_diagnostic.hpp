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

/// Traces that by themselves refute the declared format.
struct RefutingTraces {
  std::int64_t count = 0;
  std::int64_t of = 0;                     ///< traces looked at
  std::span<const std::int64_t> first;     ///< the first few, from 1
  std::vector<SampleReading> others = {};  ///< what no rule is against for those first few together
};

/// Local. What is to be reported of the sample format, if anything: a major finding (info where the format was assumed)
/// if all traces together or some by themselves refute it, an info if it cannot be decided; nothing if all is well.
[[nodiscard]] std::optional<Diagnostic> sample_format_diagnostic(const FileDescription& file,
                                                                 const SampleFormatResult& all,
                                                                 const RefutingTraces& single, bool is_assumed);

}  // namespace sill::segy
