// An extent taken literally: every byte of it, one by one, as its definition says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "sill/plan/extent.hpp"

namespace sill::test {

namespace detail {

template <class Visit>
void every_byte(const Extent& extent, std::size_t level, std::int64_t at, std::byte* memory, Visit& visit) {
  if (level == extent.steps.size()) {
    for (std::int64_t i = 0; i < extent.run_bytes; ++i) visit(at + i, memory == nullptr ? nullptr : memory + i);
    return;
  }
  const Step& step = extent.steps[level];
  for (std::int64_t i = 0; i < step.count; ++i) {
    every_byte(extent, level + 1, at + i * step.file_stride_bytes,
               memory == nullptr ? nullptr : memory + i * step.memory_stride_bytes, visit);
  }
}

}  // namespace detail

/// Local. Calls `visit(place in the file, address in memory)` for every byte, in the order of the steps. Any extent
/// will do, also one that no plan would keep as it is.
template <class Visit>
void for_each_byte(const Extent& extent, Visit&& visit) {
  detail::every_byte(extent, 0, extent.offset_bytes, extent.memory, visit);
}

}  // namespace sill::test
