// Traces in memory, as operations of a flow see them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/formats/segy/words/header_view.hpp"

namespace sill::flow {

/// Consecutive traces of a flow, with headers and samples as floats. One thread holds a block.
class TraceBlock {
 public:
  /// Local. `count` traces, whose headers and samples the caller then fills in; none of them counts as changed.
  void reset(std::int64_t count, std::int64_t header_bytes, std::int64_t samples, ByteOrder order);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t samples() const { return samples_; }
  [[nodiscard]] ByteOrder order() const { return order_; }

  /// Local. All headers of trace `i`, in the file's byte order.
  [[nodiscard]] std::span<std::byte> header(std::int64_t i) {
    return std::span(headers_).subspan(static_cast<std::size_t>(i * header_bytes_),
                                       static_cast<std::size_t>(header_bytes_));
  }
  /// Local. The trace for expressions, with its number and that of its file in the input.
  [[nodiscard]] segy::HeaderView view(std::int64_t i) {
    const Origin& origin = origins_[static_cast<std::size_t>(i)];
    return {header(i).data(), order_, origin.file, origin.trace + 1};
  }

  /// Where a trace came from.
  struct Origin {
    std::int64_t trace = 0;     ///< number in the input, from 0
    int file = 1;               ///< number of its file, from 1
    std::int64_t row = 0;       ///< place among the traces that were read at once
    bool is_neighbour = false;  ///< it is here for others alone, and passes again in a block of its own
  };
  [[nodiscard]] Origin& origin(std::int64_t i) { return origins_[static_cast<std::size_t>(i)]; }

  /// Local. Returns the samples of trace `i` for reading.
  [[nodiscard]] std::span<const float> trace(std::int64_t i) const {
    return {rows_.data() + i * stride_, static_cast<std::size_t>(samples_)};
  }
  /// Local. Returns the samples of trace `i` for writing: from now on they count as changed.
  [[nodiscard]] std::span<float> change(std::int64_t i) {
    changed_[static_cast<std::size_t>(i)] = 1;
    return {rows_.data() + i * stride_, static_cast<std::size_t>(samples_)};
  }
  /// Local. The same without counting them as changed, for the function that fills the block.
  [[nodiscard]] std::span<float> fill(std::int64_t i) {
    return {rows_.data() + i * stride_, static_cast<std::size_t>(samples_)};
  }
  /// Local. Returns true if an operation has changed the samples of trace `i`: else the bytes of the input are written.
  [[nodiscard]] bool is_changed(std::int64_t i) const { return changed_[static_cast<std::size_t>(i)] != 0; }
  /// Samples from the first of a row to the first of the next.
  [[nodiscard]] std::int64_t stride() const { return stride_; }

  /// Local. Gives every trace `samples` samples, which `work(i, in, out)` makes of those it has.
  void resample(std::int64_t samples,
                const std::function<void(std::int64_t i, std::span<const float> in, std::span<float> out)>& work);

  /// Local. Changes the number of traces to `count`: the last ones are removed, or traces are added that have the
  /// origin of the first and whose headers and samples are not set.
  void set_count(std::int64_t count);

  /// Local. Keeps the traces `kept`, ascending, and no others.
  void keep_only(std::span<const std::int64_t> kept);

  /// Local. Takes the traces `aside`, ascending, out of the block until `put_back`.
  void set_aside(std::span<const std::int64_t> aside);
  /// Local. Puts them back in their places. Precondition: number and length of the others are as before.
  void put_back();

 private:
  static std::int64_t stride_of(std::int64_t samples);

  std::int64_t count_ = 0;
  std::int64_t header_bytes_ = 0;
  std::int64_t samples_ = 0;
  std::int64_t stride_ = 0;
  ByteOrder order_ = ByteOrder::big;
  std::vector<std::byte> headers_;
  std::vector<float> rows_;
  std::vector<float> other_rows_;  // of resample
  std::vector<Origin> origins_;
  std::vector<char> changed_;
  struct Aside {
    std::int64_t place = 0;
    Origin origin;
    char changed = 0;
    std::vector<std::byte> header;
    std::vector<float> samples;
  };
  std::vector<Aside> aside_;
};

/// Memory that operations need while they run, of one thread: what is in it need not outlive a call.
struct Workspace {
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> e;
  std::vector<float> c;
  std::vector<float> d;
};

}  // namespace sill::flow
