// Following traces from one to the next, and finding a starting point in the middle of a file.
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

/// Consecutive traces, each of which begins where the previous one ends.
struct TraceChain {
  std::deque<segy::TraceStretch> stretches = {};  ///< numbers of traces count from the first of the chain
  std::int64_t first_byte = 0;
  std::int64_t end_byte = 0;  ///< byte after the last trace of the chain
  std::int64_t traces = 0;

  /// Local. Returns an empty chain that begins at `byte`.
  [[nodiscard]] static TraceChain at(std::int64_t byte) { return {.first_byte = byte, .end_byte = byte}; }
  /// Local. Appends `count` traces of `bytes` each.
  void append(const segy::TraceShape& shape, std::int64_t count, std::int64_t bytes);
};

/// A chain that will be followed up to a byte of the file.
struct TraceLane {
  TraceChain* chain = nullptr;
  std::int64_t stop_byte = 0;
  /// If set: the chain ends early, at the beginning of a trace for which this function returns true.
  std::function<bool(std::int64_t byte)> meets = {};
};

/// Follows the traces of one file by their own headers. For one thread.
class TraceWalk {
 public:
  /// Local. Begins a walk. `store` and `progress`, which may be null, outlive it.
  TraceWalk(Store& store, const segy::FileDescription& file, Progress* progress);

  /// Local. Appends to each chain the complete traces that begin before its `stop_byte`. If a chain ends before its
  /// `stop_byte`, either `meets` returned true or no complete trace follows. Several lanes in one call take less time
  /// than the same lanes in separate calls. Errors: io.
  void follow(std::span<const TraceLane> lanes);

  /// Local. Returns a byte in `range` at which a trace seems to begin: it and the following traces are similar. Returns
  /// nullopt if a short search finds no such byte. Errors: io.
  [[nodiscard]] std::optional<std::int64_t> guess(ByteRange range, const segy::TraceLikeness& likeness);

  /// Local. Returns the shape stated by the trace at `byte`, or nullopt if the file ends before the bytes that state
  /// the shape. Errors: io.
  [[nodiscard]] std::optional<segy::TraceShape> shape_at(std::int64_t byte);

  /// Local. Returns the common properties of the first `max_traces` traces. Errors: io.
  [[nodiscard]] segy::TraceLikeness likeness_of_first(int max_traces);

 private:
  bool take(const TraceLane& lane, const LinkedRead& read);  // handles the bytes read; returns true if the lane
                                                             // continues
  bool reads_header(std::int64_t byte);                      // reads into header_; returns false if the file ends
                                                             // before
  bool seems_to_begin_at(std::int64_t byte, const segy::TraceLikeness& likeness);

  Store& store_;
  Progress* progress_;
  segy::TraceShapeRule rule_;
  std::int64_t first_trace_byte_;
  std::int64_t end_byte_;
  std::int64_t step_;              // traces begin at multiples of it, counted from the first trace
  std::vector<std::byte> buffer_;  // buffer of the lanes, or of a search
  std::vector<std::byte> header_;
};

/// Local. Replaces `chain`, which begins at a guessed byte, by the chain that begins at `byte`, if necessary by
/// following traces until they meet it. The result contains no guess, because the positions of traces after a byte
/// depend only on that byte. Preconditions: `chain`, unless it is empty, was followed to `stop_byte`; `byte` is before
/// that. Errors: io.
void lead_into(TraceWalk& walk, TraceChain& chain, std::int64_t byte, std::int64_t stop_byte);

}  // namespace sill
