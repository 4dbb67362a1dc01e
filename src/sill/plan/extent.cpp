#include "sill/plan/extent.hpp"

#include <algorithm>

namespace sill {

std::int64_t Extent::total_bytes() const {
  std::int64_t bytes = run_bytes;
  for (const Step& step : steps) bytes *= step.count;
  return bytes;
}

ByteRange Extent::bounding_range() const {
  std::int64_t length = run_bytes;
  for (const Step& step : steps) length += (step.count - 1) * step.file_stride_bytes;
  return {offset_bytes, length};
}

std::int64_t Extent::bytes_before(std::int64_t file_offset_bytes) const {
  std::int64_t distance = file_offset_bytes - offset_bytes;
  if (distance <= 0) return 0;
  std::int64_t inside = total_bytes();
  std::int64_t before = 0;
  for (const Step& step : steps) {
    inside /= step.count;
    const std::int64_t begun = distance / step.file_stride_bytes;
    if (begun >= step.count) return before + step.count * inside;
    before += begun * inside;
    distance -= begun * step.file_stride_bytes;
  }
  return before + std::min(distance, run_bytes);
}

ByteRange Extent::packed_within(ByteRange window) const {
  const std::int64_t first = bytes_before(window.offset);
  return {first, bytes_before(window.end()) - first};
}

std::int64_t Extent::file_offset_of(std::int64_t packed) const {
  std::int64_t inside = total_bytes();
  std::int64_t at = offset_bytes;
  for (const Step& step : steps) {
    inside /= step.count;
    at += packed / inside * step.file_stride_bytes;
    packed %= inside;
  }
  return at + packed;
}

}  // namespace sill
