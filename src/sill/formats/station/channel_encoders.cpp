#include "sill/formats/station/channel_encoders.hpp"

#include <array>
#include <vector>

namespace sill::station {

void ChannelSamples::fill(ByteRange range, std::span<std::byte> bytes) const {
  constexpr std::int64_t size = sizeof(float);
  std::int64_t channel = range.offset / size / steps_;
  std::int64_t step = range.offset / size % steps_;
  for (std::int64_t at = range.offset; at < range.end();) {
    const float* const values = first_ + channel;
    std::byte* to = bytes.data() + (at - range.offset);
    const std::int64_t skipped = at % size;
    const std::int64_t whole = skipped > 0 ? 0 : std::min(steps_ - step, (range.end() - at) / size);
    for (std::int64_t i = 0; i < whole; ++i, to += size) store(to, values[(step + i) * step_stride_], order_);
    at += whole * size;
    step += whole;
    if (whole == 0) {  // a sample that is only partly requested
      const std::int64_t length = std::min(size - skipped, range.end() - at);
      std::array<std::byte, sizeof(float)> sample{};
      store(sample.data(), values[step * step_stride_], order_);
      std::copy_n(sample.begin() + skipped, length, to);
      at += length;
      if (skipped + length == size) ++step;
    }
    if (step < steps_) continue;
    step = 0;
    ++channel;
  }
}

void ChannelHeaders::fill(ByteRange range, std::span<std::byte> bytes) const {
  std::vector<std::byte> header(static_cast<std::size_t>(file_.record_header_bytes()));
  for (std::int64_t at = range.offset; at < range.end();) {
    const std::int64_t skipped = at % std::ssize(header);
    const std::int64_t length = std::min(std::ssize(header) - skipped, range.end() - at);
    file_.record_header(block_, first_ + at / std::ssize(header), steps_, header);
    std::copy_n(header.begin() + skipped, length, bytes.begin() + (at - range.offset));
    at += length;
  }
}

}  // namespace sill::station
