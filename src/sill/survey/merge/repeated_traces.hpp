// Finds traces of several inputs that an earlier input also contains.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/survey/check/duplicate_traces.hpp"
#include "sill/survey/merge/merge_traces.hpp"

namespace sill {

struct RepeatedTraces {
  std::vector<std::int64_t> traces;  ///< numbered through all inputs, ascending
  std::optional<TracePair> first;    ///< the first repeated trace, and the first trace that it repeats
  std::int64_t shared_bins = 0;      ///< pairs of iline and xline in which traces of two inputs remain
};

/// Collective. Returns the traces whose bytes in the output, except for the trace numbers (1-8 and 25-28), equal the
/// bytes of a trace of an earlier input; the result is the same on every rank. Traces that repeat others of their own
/// input are not included. Reads all headers once, and the complete traces whose header occurs in two inputs. Uses 48
/// bytes per trace, 72 on several ranks, and 8 bytes on every rank for each repeated trace. Equal headers are all sent
/// to one rank, which the memory check does not consider. Errors: usage, as SortMemory::require_for_keys; io; input as
/// MergedTraces::transform.
[[nodiscard]] RepeatedTraces repeated_traces(const Resources& resources, const SurveyReader& reader,
                                             const MergedTraces& merged);

}  // namespace sill
