#include "sill/plan/apart.hpp"

namespace sill {
namespace {

// Returns one repetition of the outermost step, at `offset_bytes`.
Extent repetition_at(std::int64_t offset_bytes, const Extent& extent) {
  return {.offset_bytes = offset_bytes,
          .run_bytes = extent.run_bytes,
          .steps = Steps(std::span(extent.steps.begin() + 1, extent.steps.end()))};
}

}  // namespace

bool are_apart(const Extent& a, const Extent& b) {
  const ByteRange range_a = a.bounding_range();
  const ByteRange range_b = b.bounding_range();
  if (a.file != b.file || range_a.end() <= range_b.offset || range_b.end() <= range_a.offset) return true;
  if (a.steps.empty()) return b.packed_within(range_a).empty();
  if (b.steps.empty()) return a.packed_within(range_b).empty();
  const std::int64_t stride = a.steps.front().file_stride_bytes;
  if (b.steps.front().file_stride_bytes != stride) return false;
  // No repetition is longer than the stride: a repetition of `a` can only overlap the repetition of `b` that begins
  // within it or next after it, and the one before that.
  const std::int64_t distance = ((b.offset_bytes - a.offset_bytes) % stride + stride) % stride;
  const Extent of_a = repetition_at(0, a);
  return are_apart(of_a, repetition_at(distance, b)) && are_apart(of_a, repetition_at(distance - stride, b));
}

}  // namespace sill
