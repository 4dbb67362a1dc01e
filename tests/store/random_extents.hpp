// Random extents with memory of their own, and the plain way to move them.
#pragma once

// GoogleTest before RapidCheck's header for it.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "sill/plan/extent.hpp"
#include "store/temporary_folder.hpp"

namespace sill::test {

/// An extent without memory, and the memory for it.
struct PlacedExtent {
  Extent shape;
  Bytes memory;
  std::int64_t first_run = 0;  ///< where in `memory`
  int owner = 0;               ///< a random number below 100, to choose a rank by

  /// Local. Points into `memory`, for as long as this object stays where it is.
  [[nodiscard]] Extent extent() {
    Extent extent = shape;
    extent.memory = memory.data() + first_run;
    return extent;
  }
};

/// Local. Calls `visit(file_offset, memory)` for every run, by counting through the steps.
inline void for_each_run(const Extent& extent, const std::function<void(std::int64_t, std::byte*)>& visit) {
  std::vector<std::int64_t> index(extent.steps.size(), 0);
  while (true) {
    std::int64_t offset = extent.offset_bytes;
    std::byte* memory = extent.memory;
    for (std::size_t i = 0; i < index.size(); ++i) {
      offset += index[i] * extent.steps[i].file_stride_bytes;
      memory += index[i] * extent.steps[i].memory_stride_bytes;
    }
    visit(offset, memory);
    std::size_t level = index.size();
    while (level > 0 && ++index[level - 1] == extent.steps[level - 1].count) index[--level] = 0;
    if (level == 0) return;
  }
}

/// Local. Writes an extent into the bytes of a file, run by run; the file grows as needed.
inline void copy_to_file(const Extent& extent, Bytes& file) {
  const auto length = static_cast<std::size_t>(extent.run_bytes);
  for_each_run(extent, [&](std::int64_t offset, const std::byte* memory) {
    const auto at = static_cast<std::size_t>(offset);
    if (file.size() < at + length) file.resize(at + length);
    std::memcpy(file.data() + at, memory, length);
  });
}

/// Local. The memory of each extent.
inline std::vector<Bytes> memory_of(std::span<const PlacedExtent> placed) {
  std::vector<Bytes> all;
  for (const PlacedExtent& one : placed) all.push_back(one.memory);
  return all;
}

/// Gives `extent` memory: packed, padded or backwards.
inline PlacedExtent placed_in_memory(Extent extent, std::uint64_t seed) {
  std::int64_t bounding_range = extent.run_bytes;
  std::int64_t first = 0;
  for (std::size_t i = extent.steps.size(); i-- > 0;) {
    Step& step = extent.steps[i];
    const std::int64_t padding = *rc::gen::element<std::int64_t>(0, 0, 3, 40);
    const bool backwards = *rc::gen::weightedElement<bool>({{4, false}, {1, true}});
    step.memory_stride_bytes = backwards ? -(bounding_range + padding) : bounding_range + padding;
    if (backwards) first += (step.count - 1) * (bounding_range + padding);
    bounding_range += (step.count - 1) * (bounding_range + padding);
  }
  PlacedExtent placed{std::move(extent), Bytes(static_cast<std::size_t>(bounding_range)), first,
                      *rc::gen::inRange(0, 100)};
  // What lies between the runs is not read back and stays zero.
  const Bytes bytes = pattern(bounding_range, seed);
  for_each_run(placed.extent(), [&](std::int64_t, std::byte* memory) {
    std::memcpy(memory, bytes.data() + (memory - placed.memory.data()),
                static_cast<std::size_t>(placed.shape.run_bytes));
  });
  return placed;
}

/// Extents that are disjoint and end before `size_bytes`: stretches of records of up to four fields, each field an
/// extent; with gaps between fields, records and stretches, or without.
inline rc::Gen<std::vector<PlacedExtent>> random_extents(std::int64_t size_bytes) {
  return rc::gen::exec([size_bytes] {
    std::vector<PlacedExtent> placed;
    std::uint64_t seed = 1;
    const auto gap = [] {
      return *rc::gen::oneOf(rc::gen::just<std::int64_t>(0), rc::gen::just<std::int64_t>(0),
                             rc::gen::inRange<std::int64_t>(1, 5000));
    };
    std::int64_t at = gap();
    const int stretches = *rc::gen::inRange(0, 5);
    for (int s = 0; s < stretches; ++s) {
      const int fields = *rc::gen::inRange(1, 5);
      std::vector<Extent> record;
      std::int64_t length = 0;
      for (int f = 0; f < fields; ++f) {
        const std::int64_t run = *rc::gen::element<std::int64_t>(1, 4, 4, 8, 12, 100, 3000);
        record.push_back({.offset_bytes = at + length, .run_bytes = run});
        length += run + (*rc::gen::inRange(0, 4) == 0 ? gap() : 0);
      }
      for (const std::int64_t max : {6, 150}) {  // outermost step first
        const std::int64_t count = *rc::gen::inRange<std::int64_t>(1, max);
        for (Extent& extent : record) extent.steps.push_back({count, 0, 0});
      }
      std::int64_t stride = length + (*rc::gen::inRange(0, 2) == 0 ? gap() : 0);
      for (std::size_t level = 2; level-- > 0;) {
        for (Extent& extent : record) extent.steps[level].file_stride_bytes = stride;
        stride *= record.front().steps[level].count;
        if (level == 1 && *rc::gen::inRange(0, 2) == 0) stride += gap();
      }
      if (at + stride > size_bytes) break;
      for (Extent& extent : record) placed.push_back(placed_in_memory(std::move(extent), seed++));
      at += stride + gap();
    }
    return placed;
  });
}

}  // namespace sill::test
