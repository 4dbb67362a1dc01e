// From what a check counted to its findings.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/io/survey/trace_index.hpp"
#include "sill/survey/check/duplicate_traces.hpp"
#include "sill/survey/check/finding.hpp"
#include "sill/survey/check/trace_tally.hpp"

namespace sill {

using CountedPlaces = std::array<CountedPlace, counted_words>;

/// Local. Where the counted words lie in a file; those that say how to read a trace where the standard has them.
[[nodiscard]] CountedPlaces counted_places(const segy::FileDescription& file, const segy::HeaderMap& words);

/// Local. The finding that a file whose lengths vary ends within a trace.
[[nodiscard]] Diagnostic cut_trace_found(const segy::FileDescription& file, const TraceIndex& index);

/// Local. The words of the map that are the same in all headers; of fewer than two traces none.
[[nodiscard]] std::vector<SameWord> same_words(const segy::HeaderMap& words, const TraceTally& tally,
                                               std::span<const std::byte> first_headers,
                                               const segy::FileDescription& file, std::int64_t traces);

/// Local. All findings but duplicates, the worst first. What the description says of some trace headers is left out
/// where the tally knows it of all.
[[nodiscard]] std::vector<Finding> findings_of(const segy::FileDescription& file, const CountedPlaces& places,
                                               const TraceTally& tally, std::span<const SameWord> same);

/// Local. The finding on duplicates; nothing without any.
[[nodiscard]] std::optional<Finding> duplicates_found(const DuplicateTraces& duplicates);
[[nodiscard]] Finding duplicates_not_sought();

/// Local. What samples say of their format, and the traces that by themselves contradict it.
[[nodiscard]] Finding format_found(Diagnostic diagnostic, const TraceCount& refuting);

/// Local. Adds a finding behind those that are as bad or worse.
void add_finding(std::vector<Finding>& findings, std::optional<Finding> finding);

}  // namespace sill
