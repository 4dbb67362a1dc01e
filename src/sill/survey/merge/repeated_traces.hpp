// Traces of several inputs that an earlier input has, too.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/survey/check/duplicate_traces.hpp"
#include "sill/survey/merge/merge_traces.hpp"

namespace sill {

struct RepeatedTraces {
  std::vector<std::int64_t> traces;  ///< counted through all inputs, ascending
  std::optional<TracePair> first;    ///< the first of them, and the first trace that it repeats
  std::int64_t shared_bins = 0;      ///< pairs of iline and xline in which traces of two inputs stay
};

/// Collective. The traces whose bytes in the output, but for the trace numbers (1-8 and 25-28), are those of a trace of
/// an earlier input; the same on every rank. Traces that repeat others of their own input are not meant. All headers
/// are read once; traces whose header comes in two inputs are read whole. Takes 48 bytes per trace, on several ranks
/// 72, and 8 bytes on every rank for each that is found. Equal headers all go to one rank, which the check of memory
/// does not know. Errors: usage, as SortMemory::require_for_keys; io; input as MergedTraces::turn.
[[nodiscard]] RepeatedTraces repeated_traces(const Resources& resources, const SurveyReader& reader,
                                             const MergedTraces& merged);

}  // namespace sill
