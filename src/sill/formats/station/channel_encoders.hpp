// Encoders for the bytes of channel files.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/base/byte_order.hpp"
#include "sill/formats/station/channel_file.hpp"
#include "sill/plan/extent.hpp"

namespace sill::station {

/// The samples of neighbouring channels in a block, one channel after the other.
class ChannelSamples final : public Encoder {
 public:
  /// Local. Creates the encoder. `first` points to the value of the first channel in the first of `steps` steps. The
  /// values of the other channels follow it; the values of the next step are `step_stride` values further.
  /// Precondition: the values remain unchanged while this object is used.
  ChannelSamples(const float* first, std::int64_t step_stride, std::int64_t steps, ByteOrder order)
      : first_(first), step_stride_(step_stride), steps_(steps), order_(order) {}
  void fill(ByteRange range, std::span<std::byte> bytes) const override;
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  const float* first_;
  std::int64_t step_stride_;
  std::int64_t steps_;
  ByteOrder order_;
};

/// The record headers of neighbouring channels in a block that holds `steps` steps.
class ChannelHeaders final : public Encoder {
 public:
  /// Local. Creates the encoder. `first` is the number of the first channel. Precondition: `file` outlives this object.
  ChannelHeaders(const ChannelFile& file, std::int64_t block, std::int64_t first, std::int64_t steps)
      : file_(file), block_(block), first_(first), steps_(steps) {}
  void fill(ByteRange range, std::span<std::byte> bytes) const override;
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  const ChannelFile& file_;
  std::int64_t block_;
  std::int64_t first_;
  std::int64_t steps_;
};

/// Fills the samples of missing steps with zeros.
class Zeros final : public Encoder {
 public:
  void fill(ByteRange, std::span<std::byte> bytes) const override { std::ranges::fill(bytes, std::byte{0}); }
  [[nodiscard]] bool is_for_threads() const override { return true; }
};

}  // namespace sill::station
