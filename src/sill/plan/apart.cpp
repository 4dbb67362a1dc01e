#include "sill/plan/apart.hpp"

namespace sill {
namespace {

// One repetition of the outermost step, at `offset_bytes`.
Extent repetition_at(std::int64_t offset_bytes, const Extent& extent) {
  return {.offset_bytes = offset_bytes,
          .run_bytes = extent.run_bytes,
          .steps = Steps(std::span(extent.steps.begin() + 1, extent.steps.end()))};
}

}  // namespace

bool are_apart(const Extent& a, const Extent& b) {
  const ByteRange hull_a = a.hull();
  const ByteRange hull_b = b.hull();
  if (a.file != b.file || hull_a.end() <= hull_b.offset || hull_b.end() <= hull_a.offset) return true;
  if (a.steps.empty()) return b.packed_within(hull_a).empty();
  if (b.steps.empty()) return a.packed_within(hull_b).empty();
  const std::int64_t stride = a.steps.front().file_stride_bytes;
  if (b.steps.front().file_stride_bytes != stride) return false;
  // No repetition is longer than the stride: one of `a` can only meet the one of `b` that begins in it or next after
  // it, and the one before that.
  const std::int64_t distance = ((b.offset_bytes - a.offset_bytes) % stride + stride) % stride;
  const Extent of_a = repetition_at(0, a);
  return are_apart(of_a, repetition_at(distance, b)) && are_apart(of_a, repetition_at(distance - stride, b));
}

}  // namespace sill
