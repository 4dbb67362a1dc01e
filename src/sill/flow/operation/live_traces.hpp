// Selects the traces of a gather that a gather operation uses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/operation/live_samples.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {

/// Local. Returns the traces of seismic data that are neither marked as dead nor contain only zeros.
[[nodiscard]] inline std::vector<std::int64_t> live_traces(TraceBlock& block, const DeadTraces& dead) {
  std::vector<std::int64_t> live;
  for (std::int64_t i = 0; i < block.count(); ++i) {
    const std::byte* const header = block.header(i).data();
    if (dead.is_seismic(header) && !dead.contains(header) && live_samples(block.trace(i)).count > 0) live.push_back(i);
  }
  return live;
}

/// Local. Throws at the first of `traces` whose start time differs from that of the first trace. Errors: input.
inline void require_one_start(TraceBlock& block, std::span<const std::int64_t> traces, const TraceTimes& times) {
  for (const std::int64_t i : traces)
    if (times.start_s(block.header(i).data()) != times.start_s(block.header(traces.front()).data()))
      throw Error({.code = ErrorCode::input,
                   .problem = "the trace does not begin at the same time as the first trace of its gather",
                   .where = {.item = i + 1, .item_word = "trace"},
                   .action = "'window T1 T2 pad' gives all traces the same samples"});
}

}  // namespace sill::flow
