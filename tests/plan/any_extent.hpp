// Extents for properties that hold for all of them.
#pragma once

#include <gtest/gtest.h>  // before RapidCheck's header for it
#include <rapidcheck.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "plan/every_byte.hpp"
#include "sill/plan/access_plan.hpp"
#include "support/any_number.hpp"

namespace sill::test {

/// A byte of an extent: its file, its place there, its address.
using BytePlace = std::tuple<int, std::int64_t, const std::byte*>;

/// Addresses that are never looked at.
inline std::byte* address(std::int64_t at) { return reinterpret_cast<std::byte*>(std::intptr_t{1} << 40) + at; }

/// Local. Every byte of an extent, in the order of its steps.
[[nodiscard]] inline std::vector<BytePlace> bytes_of(const Extent& extent) {
  std::vector<BytePlace> bytes;
  for_each_byte(extent, [&](std::int64_t at, const std::byte* memory) { bytes.emplace_back(extent.file, at, memory); });
  return bytes;
}

/// Local. An extent as in a plan: steps that nest, outermost first; memory in any order. In a property of RapidCheck.
inline Extent nested_extent(std::int64_t longest_run = 6) {
  Extent extent{.offset_bytes = any_number(0, 39), .run_bytes = any_number(1, longest_run), .memory = address(1000)};
  std::int64_t span = extent.run_bytes;
  for (int levels = any_number<int>(0, 3); levels > 0; --levels) {
    const Step step{any_number(2, 4), span + any_number(0, 4), any_number(-60, 59)};
    extent.steps.push_front(step);
    span += (step.count - 1) * step.file_stride_bytes;
  }
  return extent;
}

/// Local. Extents as a program might bring them, in up to two files: steps in any order, interleaving, overlapping, of
/// count 0 and 1, of stride 0. In a property of RapidCheck.
inline std::vector<Extent> any_extents(std::size_t max, std::int64_t last_offset) {
  std::vector<Extent> extents(any_number<std::size_t>(0, max));
  for (Extent& extent : extents) {
    extent.file = any_number<int>(0, 1);
    extent.offset_bytes = any_number(0, last_offset);
    extent.run_bytes = any_number(0, 12) / 2;
    for (int steps = any_number<int>(0, 3); steps > 0; --steps) {
      const std::int64_t count = any_number(0, 20) == 0 ? 0 : any_number(1, 4);
      extent.steps.push_back({count, any_number(0, 19), any_number(-20, 19)});
    }
    const bool touching = *rc::gen::arbitrary<bool>();
    extent.memory = address(touching ? 2000 + extent.offset_bytes : any_number(1000, 2999));
  }
  return extents;
}

/// Local. Which bytes of each file extents touch, in order, as often as they do.
[[nodiscard]] inline std::vector<std::int64_t> places_in(int file, const std::vector<Extent>& extents) {
  std::vector<std::int64_t> places;
  for (const Extent& extent : extents) {
    if (extent.file == file) for_each_byte(extent, [&](std::int64_t at, const std::byte*) { places.push_back(at); });
  }
  std::sort(places.begin(), places.end());
  return places;
}

/// Local. Bytes in order, which may repeat, as ranges that ascend and do not touch.
[[nodiscard]] inline std::vector<ByteRange> ranges_of(const std::vector<std::int64_t>& places) {
  std::vector<ByteRange> ranges;
  for (const std::int64_t at : places) {
    if (!ranges.empty() && at < ranges.back().end()) continue;
    if (!ranges.empty() && at == ranges.back().end()) {
      ++ranges.back().length;
    } else {
      ranges.push_back({at, 1});
    }
  }
  return ranges;
}

}  // namespace sill::test
