// Selects the traces of a gather that a gather operation uses.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/whole_number.hpp"
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

/// Local. Returns the samples of all traces of a block for reading, with `zeros` in place of traces that are not in
/// `live`, which ascends. Precondition: `zeros` is as long as a trace.
[[nodiscard]] inline std::vector<const float*> samples_or_zeros(const TraceBlock& block,
                                                                std::span<const std::int64_t> live,
                                                                std::span<const float> zeros) {
  std::vector<const float*> rows(static_cast<std::size_t>(block.count()), zeros.data());
  for (const std::int64_t i : live) rows[static_cast<std::size_t>(i)] = block.trace(i).data();
  return rows;
}

/// Local. Returns the number of samples in `later`, the difference of two start times. Errors: input, at trace `i`,
/// which is one of the two, if it is not an integer, or the interval is unknown (0).
[[nodiscard]] inline std::int64_t samples_later(double later, double interval, std::int64_t i) {
  if (later == 0.0) return 0;
  if (interval <= 0.0)
    throw Error({.code = ErrorCode::input,
                 .problem = "the trace and another trace, with which it is combined, begin at different times, but "
                            "the survey does not state the sample interval",
                 .where = {.item = i + 1, .item_word = "trace"},
                 .action = "give the interval with --assume interval=MICROSECONDS"});
  const double samples = later / interval;
  const std::optional<std::int64_t> whole = nearest_integer(samples);
  constexpr double tolerance = 1e-6;
  if (!whole || std::abs(samples - static_cast<double>(*whole)) > tolerance)
    throw Error({.code = ErrorCode::input,
                 .problem = "the times of the samples of the trace and of another trace, with which it is combined, "
                            "differ by a fraction of a sample",
                 .where = {.item = i + 1, .item_word = "trace"},
                 .action = "'shift' moves traces by fractions of samples"});
  return *whole;
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
