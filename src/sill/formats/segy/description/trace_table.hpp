// The positions of the traces of a file, with equal or varying lengths.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Consecutive traces of the same shape, up to the first trace of the next stretch.
struct TraceStretch {
  std::int64_t first_trace = 0;  ///< from 0
  std::int64_t first_byte = 0;   ///< byte of its first trace, from 0
  std::uint32_t samples = 0;
  std::uint32_t headers = 1;  ///< number of 240-byte headers per trace

  [[nodiscard]] TraceShape shape() const { return {std::int64_t{samples}, static_cast<int>(headers)}; }
  friend constexpr bool operator==(const TraceStretch&, const TraceStretch&) = default;
};

/// The traces of a file in the order of their bytes, without gaps. Uses 24 bytes per change of shape. Const functions
/// may be called by several threads.
class TraceTable {
 public:
  /// Local. Constructs a table without traces.
  TraceTable() = default;

  /// Local. Constructs the table of a file whose lengths do not vary.
  explicit TraceTable(const FileDescription& file);

  /// Local. Constructs a table from stretches. Precondition: `stretches` are in ascending order from trace 0, without
  /// gaps. `end_byte` is the byte after the last of `traces` traces. Neighbouring stretches differ in shape. Errors:
  /// input, if the numbers and bytes of the stretches are inconsistent.
  TraceTable(std::vector<TraceStretch> stretches, std::int64_t traces, std::int64_t end_byte, int sample_bytes);

  /// Local. Returns the table of `count` traces of one shape that start at `first_byte`.
  [[nodiscard]] static TraceTable uniform(std::int64_t first_byte, TraceShape shape, std::int64_t count,
                                          int sample_bytes);

  /// Local. Returns the table of all traces of `tables`, one table after another, starting at `first_byte`, with
  /// samples of `sample_bytes` bytes.
  [[nodiscard]] static TraceTable joined(std::span<const TraceTable> tables, std::int64_t first_byte, int sample_bytes);

  [[nodiscard]] std::int64_t traces() const { return traces_; }
  /// Local. Returns the byte after the last trace.
  [[nodiscard]] std::int64_t end_byte() const { return end_byte_; }
  [[nodiscard]] int sample_bytes() const { return sample_bytes_; }
  [[nodiscard]] std::span<const TraceStretch> stretches() const { return stretches_; }
  /// Local. Returns true if all traces have the same shape, or if there are no traces.
  [[nodiscard]] bool is_uniform() const { return stretches_.size() <= 1; }

  /// Local. Returns the index of the stretch that contains trace `trace` (from 0). Precondition: the trace exists.
  [[nodiscard]] std::size_t stretch_of(std::int64_t trace) const;
  [[nodiscard]] TraceShape shape_of(std::int64_t trace) const { return stretches_[stretch_of(trace)].shape(); }
  /// Local. Returns the traces of stretch `index`.
  [[nodiscard]] ItemRange traces_of(std::size_t index) const;
  /// Local. Returns the number of bytes of one trace of stretch `index`.
  [[nodiscard]] std::int64_t trace_bytes(std::size_t index) const;

  /// Local. Returns the number of bytes of the longest trace, 0 without traces.
  [[nodiscard]] std::int64_t longest_trace_bytes() const;

  /// Local. Returns the bytes of the file that contain `traces`. Without traces the range is empty and starts where
  /// trace `traces.first` begins. Precondition: the traces exist.
  [[nodiscard]] ByteRange bytes_of(ItemRange traces) const;
  /// Local. Calls `visit(ItemRange alike, ByteRange bytes, TraceShape shape)` for each range of `traces` that has one
  /// shape, in order.
  template <class Visit>
  void for_each_stretch(ItemRange traces, Visit&& visit) const {
    std::int64_t first = traces.first;
    for (std::size_t i = traces.empty() ? 0 : stretch_of(first); first < traces.end(); ++i) {
      const ItemRange alike = intersection(traces_of(i), {first, traces.end() - first});
      visit(alike,
            ByteRange{stretches_[i].first_byte + (first - stretches_[i].first_trace) * trace_bytes(i),
                      alike.count * trace_bytes(i)},
            stretches_[i].shape());
      first = alike.end();
    }
  }
  /// Local. Returns the smallest number of headers of any of `traces`.
  [[nodiscard]] int min_headers(ItemRange traces) const;

 private:
  [[nodiscard]] std::int64_t byte_of(std::int64_t trace) const;

  std::vector<TraceStretch> stretches_;
  std::int64_t traces_ = 0;
  std::int64_t end_byte_ = 0;
  int sample_bytes_ = 4;
};

}  // namespace sill::segy
