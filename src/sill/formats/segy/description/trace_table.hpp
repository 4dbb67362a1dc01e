// Where the traces of a file lie, be they of one length or of many.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/formats/segy/description/file_description.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Consecutive traces of one shape, up to where the next stretch begins.
struct TraceStretch {
  std::int64_t first_trace = 0;  ///< from 0
  std::int64_t first_byte = 0;   ///< of its first trace, from 0
  std::uint32_t samples = 0;
  std::uint32_t headers = 1;  ///< of 240 bytes, of each trace

  [[nodiscard]] TraceShape shape() const { return {std::int64_t{samples}, static_cast<int>(headers)}; }
  friend constexpr bool operator==(const TraceStretch&, const TraceStretch&) = default;
};

/// The traces of a file in the order of their bytes, without gaps. Takes 24 bytes for each change of shape. Const
/// functions may be called by several threads.
class TraceTable {
 public:
  /// A table without traces.
  TraceTable() = default;

  /// Local. The table of a file whose lengths do not vary.
  explicit TraceTable(const FileDescription& file);

  /// Local. `stretches` ascend from trace 0 on; each begins where the one before ends, as `end_byte` does after the
  /// last of `traces` traces; neighbours differ in shape. Errors: input if that is not so.
  TraceTable(std::vector<TraceStretch> stretches, std::int64_t traces, std::int64_t end_byte, int sample_bytes);

  /// Local. `count` traces of one shape from a byte of the file on.
  [[nodiscard]] static TraceTable uniform(std::int64_t first_byte, TraceShape shape, std::int64_t count,
                                          int sample_bytes);

  /// Local. The traces of `tables`, one table after another, from a byte on, with samples of another size.
  [[nodiscard]] static TraceTable joined(std::span<const TraceTable> tables, std::int64_t first_byte, int sample_bytes);

  [[nodiscard]] std::int64_t traces() const { return traces_; }
  /// Local. The byte after the last trace.
  [[nodiscard]] std::int64_t end_byte() const { return end_byte_; }
  [[nodiscard]] int sample_bytes() const { return sample_bytes_; }
  [[nodiscard]] std::span<const TraceStretch> stretches() const { return stretches_; }
  /// Local. Whether all traces have one shape. True without traces.
  [[nodiscard]] bool is_uniform() const { return stretches_.size() <= 1; }

  /// Local. The stretch that holds trace `trace` (from 0), by its index. Precondition: the trace exists.
  [[nodiscard]] std::size_t stretch_of(std::int64_t trace) const;
  [[nodiscard]] TraceShape shape_of(std::int64_t trace) const { return stretches_[stretch_of(trace)].shape(); }
  /// Local. The traces of stretch `index`.
  [[nodiscard]] ItemRange traces_of(std::size_t index) const;
  /// Local. Bytes of one trace of stretch `index`.
  [[nodiscard]] std::int64_t trace_bytes(std::size_t index) const;

  /// Local. Bytes of the longest trace, 0 without traces.
  [[nodiscard]] std::int64_t longest_trace_bytes() const;

  /// Local. The bytes of the file that hold `traces`, which exist. Of no traces: where trace `traces.first` begins.
  [[nodiscard]] ByteRange bytes_of(ItemRange traces) const;
  /// Local. Calls `visit(ItemRange alike, ByteRange bytes, TraceShape shape)` for the parts of `traces` that are of one
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
  /// Local. The fewest headers that any of `traces` has.
  [[nodiscard]] int min_headers(ItemRange traces) const;

 private:
  [[nodiscard]] std::int64_t byte_of(std::int64_t trace) const;

  std::vector<TraceStretch> stretches_;
  std::int64_t traces_ = 0;
  std::int64_t end_byte_ = 0;
  int sample_bytes_ = 4;
};

}  // namespace sill::segy
