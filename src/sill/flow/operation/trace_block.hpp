// Traces in memory, in the form that operations of a flow use.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/formats/segy/words/header_view.hpp"

namespace sill::flow {

/// Consecutive traces of a flow, with headers and samples as floats. A block is used by one thread.
class TraceBlock {
 public:
  /// Local. Creates `count` traces, marked as unchanged. The caller then sets their headers and samples.
  void reset(std::int64_t count, std::int64_t header_bytes, std::int64_t samples, ByteOrder order);

  [[nodiscard]] std::int64_t count() const { return count_; }
  [[nodiscard]] std::int64_t samples() const { return samples_; }
  [[nodiscard]] ByteOrder order() const { return order_; }

  /// Local. Returns all headers of trace `i`, in the file's byte order.
  [[nodiscard]] std::span<std::byte> header(std::int64_t i) {
    return std::span(headers_).subspan(static_cast<std::size_t>(i * header_bytes_),
                                       static_cast<std::size_t>(header_bytes_));
  }
  /// Local. Returns the trace for expressions, with its number and the number of its file in the input.
  [[nodiscard]] segy::HeaderView view(std::int64_t i) {
    const Origin& origin = origins_[static_cast<std::size_t>(i)];
    return {header(i).data(), order_, origin.file, origin.trace + 1};
  }

  /// The origin of a trace.
  struct Origin {
    std::int64_t trace = 0;     ///< trace number in the input, from 0
    int file = 1;               ///< file number, from 1
    std::int64_t row = 0;       ///< index among the traces that were read together
    bool is_neighbour = false;  ///< the trace is only a neighbour in this block; it passes again in its own block
  };
  [[nodiscard]] Origin& origin(std::int64_t i) { return origins_[static_cast<std::size_t>(i)]; }
  /// Local. Adds `number` to `total` unless trace `i` is a neighbour, which is counted in its own block.
  void count(std::atomic<std::int64_t>& total, std::int64_t i, std::int64_t number = 1) const {
    if (!origins_[static_cast<std::size_t>(i)].is_neighbour) total.fetch_add(number, std::memory_order_relaxed);
  }

  /// Local. Returns the samples of trace `i` for reading.
  [[nodiscard]] std::span<const float> trace(std::int64_t i) const {
    return {rows_.data() + i * stride_, static_cast<std::size_t>(samples_)};
  }
  /// Local. Returns the samples of trace `i` for writing, and marks them as changed.
  [[nodiscard]] std::span<float> change(std::int64_t i) {
    changed_[static_cast<std::size_t>(i)] = 1;
    return {rows_.data() + i * stride_, static_cast<std::size_t>(samples_)};
  }
  /// Local. Returns the samples for writing without marking them as changed, for the function that fills the block.
  [[nodiscard]] std::span<float> fill(std::int64_t i) {
    return {rows_.data() + i * stride_, static_cast<std::size_t>(samples_)};
  }
  /// Local. Returns true if an operation has changed the samples of trace `i`. Otherwise the input bytes are written.
  [[nodiscard]] bool is_changed(std::int64_t i) const { return changed_[static_cast<std::size_t>(i)] != 0; }
  /// Local. Returns the number of samples from the start of a row to the start of the next.
  [[nodiscard]] std::int64_t stride() const { return stride_; }

  /// Local. Changes every trace to `samples` samples, which `work(i, in, out)` computes from the present samples.
  void resample(std::int64_t samples,
                const std::function<void(std::int64_t i, std::span<const float> in, std::span<float> out)>& work);

  /// Local. Changes the number of traces to `count`. Removes the last traces, or adds traces with the origin of the
  /// first trace and uninitialized headers and samples.
  void set_count(std::int64_t count);

  /// Local. Removes all traces except `kept`, which are in ascending order.
  void keep_only(std::span<const std::int64_t> kept);

  /// Local. Removes the traces `aside`, which are in ascending order, from the block until `put_back`.
  void set_aside(std::span<const std::int64_t> aside);
  /// Local. Restores the traces that `set_aside` removed, at their positions. Precondition: the number and the length
  /// of the other traces have not changed.
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
  std::vector<float> other_rows_;  // used by resample
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

/// Temporary memory of operations, per thread. Its content is not preserved between calls.
struct Workspace {
  std::vector<double> a;
  std::vector<double> b;
  std::vector<double> e;
  std::vector<float> c;
  std::vector<float> d;
};

}  // namespace sill::flow
