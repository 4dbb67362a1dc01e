// Turns the counts of a check into findings.
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

/// Local. Returns the positions of the counted words in a file. The words for samples and interval, which define how a
/// trace is read, are always at their standard positions.
[[nodiscard]] CountedPlaces counted_places(const segy::FileDescription& file, const segy::HeaderMap& words);

/// Local. Returns the finding that a file with varying lengths ends within a trace.
[[nodiscard]] Diagnostic cut_trace_found(const segy::FileDescription& file, const TraceIndex& index);

/// Local. Returns the words of the map that are the same in all headers; none for fewer than two traces.
[[nodiscard]] std::vector<SameWord> same_words(const segy::HeaderMap& words, const TraceTally& tally,
                                               std::span<const std::byte> first_headers,
                                               const segy::FileDescription& file, std::int64_t traces);

/// Local. Returns all findings except duplicates, the worst first. Omits diagnostics of the file description about some
/// trace headers if the tally covers the same words in all traces.
[[nodiscard]] std::vector<Finding> findings_of(const segy::FileDescription& file, const CountedPlaces& places,
                                               const TraceTally& tally, std::span<const SameWord> same);

/// Local. Returns the finding on duplicates; nullopt if there are no duplicates.
[[nodiscard]] std::optional<Finding> duplicates_found(const DuplicateTraces& duplicates);
/// Local. Returns the finding that the search for duplicates was skipped.
[[nodiscard]] Finding duplicates_not_sought();

/// Local. Returns the finding on the sample format: its diagnostic, and the traces that contradict the format
/// individually.
[[nodiscard]] Finding format_found(Diagnostic diagnostic, const TraceCount& refuting);

/// Local. Inserts a finding, if it is set, after the findings of the same or a worse grade.
void add_finding(std::vector<Finding>& findings, std::optional<Finding> finding);

}  // namespace sill
