#include "sill/layout/box.hpp"

#include <algorithm>

namespace sill {

std::int64_t Box::items() const {
  std::int64_t items = 1;
  for (const std::int64_t of_dimension : count) items *= of_dimension;
  return items;
}

bool Box::empty() const { return std::find(count.begin(), count.end(), 0) != count.end(); }

bool is_countable(const Box& box, std::int64_t element_bytes) {
  std::int64_t bytes = element_bytes;
  for (std::size_t d = 0; d < box.dimensions(); ++d) {
    if (box.first[d] < -farthest_index || box.first[d] > farthest_index || box.count[d] > farthest_index) return false;
    if (__builtin_mul_overflow(bytes, std::max<std::int64_t>(1, box.count[d]), &bytes)) return false;
  }
  return true;
}

Box whole(const Index& shape) { return {Index(shape.size(), 0), shape}; }

bool lies_in(const Box& inner, const Box& outer) {
  for (const Index* each : {&inner.count, &outer.first, &outer.count}) {
    if (each->size() != inner.first.size()) return false;
  }
  for (std::size_t d = 0; d < inner.first.size(); ++d) {
    std::int64_t before = 0;
    if (inner.count[d] < 0 || inner.first[d] < outer.first[d] || inner.count[d] > outer.count[d] ||
        __builtin_sub_overflow(inner.first[d], outer.first[d], &before) || before > outer.count[d] - inner.count[d]) {
      return false;
    }
  }
  return true;
}

Box intersection(const Box& a, const Box& b) {
  Box both = a;
  for (std::size_t d = 0; d < a.dimensions(); ++d) {
    const std::int64_t end = std::min(a.first[d] + a.count[d], b.first[d] + b.count[d]);
    both.first[d] = std::max(a.first[d], b.first[d]);
    both.count[d] = std::max<std::int64_t>(0, end - both.first[d]);
  }
  return both;
}

Box with_margin(const Box& box, const Index& before, const Index& after, const Index& shape) {
  Box grown = box;
  for (std::size_t d = 0; d < box.dimensions(); ++d) {
    grown.first[d] -= before[d];
    grown.count[d] += before[d] + after[d];
  }
  return intersection(grown, whole(shape));
}

Index row_major_strides(const Index& shape, std::int64_t element_bytes) {
  Index strides(shape.size());
  std::int64_t stride = element_bytes;
  for (std::size_t d = shape.size(); d-- > 0;) {
    strides[d] = stride;
    stride *= shape[d];
  }
  return strides;
}

std::int64_t offset_of(const Index& index, const Index& strides_bytes) {
  std::int64_t offset = 0;
  for (std::size_t d = 0; d < index.size(); ++d) offset += index[d] * strides_bytes[d];
  return offset;
}

}  // namespace sill
