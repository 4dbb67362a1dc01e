// Following traces from one to the next, and finding a place to begin in the middle of a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sill/base/progress.hpp"
#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/description/trace_likeness.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/description/trace_table.hpp"
#include "sill/layout/range.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// Consecutive traces, each where the one before ends.
struct TraceChain {
  std::deque<segy::TraceStretch> stretches = {};  ///< numbers of traces count from the chain's first
  std::int64_t first_byte = 0;
  std::int64_t end_byte = 0;  ///< where the trace after the last begins
  std::int64_t traces = 0;

  /// Local. An empty chain that begins at `byte`.
  [[nodiscard]] static TraceChain at(std::int64_t byte) { return {.first_byte = byte, .end_byte = byte}; }
  /// Local. Lets `count` traces of `bytes` each follow.
  void append(const segy::TraceShape& shape, std::int64_t count, std::int64_t bytes);
};

/// A chain that is to be followed up to a byte of the file.
struct TraceLane {
  TraceChain* chain = nullptr;
  std::int64_t stop_byte = 0;
  /// If given: the chain ends early, at the beginning of a trace, where this says so.
  std::function<bool(std::int64_t byte)> meets = {};
};

/// Follows the traces of one file by their own headers. For one thread.
class TraceWalk {
 public:
  /// `store` and `progress`, which may be null, outlive it.
  TraceWalk(Store& store, const segy::FileDescription& file, Progress* progress);

  /// Local. Appends to each chain the traces that begin before its `stop_byte`, as far as they are whole. A chain that
  /// then ends before that, and did not meet, is followed by no whole trace. Several lanes at once take less time than
  /// one after the other. Errors: io.
  void follow(std::span<const TraceLane> lanes);

  /// Local. A place in `range` at which a trace seems to begin: it and those after it are alike. Nothing if none is
  /// found soon. Errors: io.
  [[nodiscard]] std::optional<std::int64_t> guess(ByteRange range, const segy::TraceLikeness& likeness);

  /// Local. The shape stated by the trace at `byte`; nothing if so much of it is not there. Errors: io.
  [[nodiscard]] std::optional<segy::TraceShape> shape_at(std::int64_t byte);

  /// Local. What the first `max_traces` traces have in common. Errors: io.
  [[nodiscard]] segy::TraceLikeness likeness_of_first(int max_traces);

 private:
  bool take(const TraceLane& lane, const LinkedRead& read);  // what was read; whether the lane goes on
  bool reads_header(std::int64_t byte);                      // into header_; whether it is there
  bool seems_to_begin_at(std::int64_t byte, const segy::TraceLikeness& likeness);

  Store& store_;
  Progress* progress_;
  segy::TraceShapeRule rule_;
  std::int64_t first_trace_byte_;
  std::int64_t end_byte_;
  std::int64_t step_;              // traces begin at multiples of it from the first on
  std::vector<std::byte> buffer_;  // of the lanes, or of a search
  std::vector<std::byte> header_;
};

/// Local. Turns `chain`, which begins at a guessed byte, into the chain that begins at `byte`, if necessary by
/// following traces until they meet it. The result is no guess: where traces lie behind a byte depends on that byte
/// alone. Preconditions: `chain`, unless it is empty, was followed to `stop_byte`; `byte` is before that. Errors: io.
void lead_into(TraceWalk& walk, TraceChain& chain, std::int64_t byte, std::int64_t stop_byte);

}  // namespace sill
