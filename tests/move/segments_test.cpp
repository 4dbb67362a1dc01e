// Bytes of parts between memory, messages and images, against moving them one by one.
#include "sill/move/segments.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

#include "move/random_access.hpp"
#include "plan/any_extent.hpp"
#include "store/temporary_folder.hpp"
#include "support/any_number.hpp"

namespace sill {
namespace {

using test::any_number;
using test::Bytes;

// An extent over memory of its own, a part of it, and an image that covers the part.
struct Case {
  Extent extent;
  Bytes memory;
  Part part;
  ByteRange image;
};

// Moves the memory of an extent so that all its bytes lie in a block.
Case any_case() {
  Case all;
  all.extent = test::nested_extent(*rc::gen::element<std::int64_t>(1, 2, 4, 8, 12, 16, 30));
  // Strides in memory that keep its bytes apart: in another order, some backwards, some with gaps.
  std::int64_t stride = all.extent.run_bytes;
  std::int64_t first = 0;
  std::vector<Step*> order;
  for (Step& step : all.extent.steps) order.push_back(&step);
  if (any_number(0, 1) == 0) std::reverse(order.begin(), order.end());
  for (Step* const step : order) {
    const bool backwards = any_number(0, 3) == 0;
    if (any_number(0, 1) == 0) stride += any_number(0, 5);
    step->memory_stride_bytes = backwards ? -stride : stride;
    if (backwards) first += (step->count - 1) * stride;
    stride *= step->count;
  }
  all.memory = test::pattern(stride, 7);
  all.extent.memory = all.memory.data() + first;
  const std::int64_t total = all.extent.total_bytes();
  const std::int64_t from = any_number(0, total - 1);
  all.part = {nullptr, {from, any_number(1, total - from)}};
  const std::int64_t begin = all.extent.file_offset_of(all.part.packed.offset);
  const std::int64_t end = all.extent.file_offset_of(all.part.packed.end() - 1) + 1;
  const std::int64_t before = any_number(0, std::min<std::int64_t>(begin, 5));
  all.image = {begin - before, end - begin + before + any_number(0, 5)};
  return all;
}

// The bytes of the part one by one: (place in the image, address).
std::vector<std::pair<std::size_t, std::byte*>> bytes_of(const Case& all) {
  std::vector<std::pair<std::size_t, std::byte*>> bytes;
  std::int64_t number = 0;
  test::for_each_byte(all.extent, [&](std::int64_t at, std::byte* memory) {
    if (number >= all.part.packed.offset && number < all.part.packed.end()) {
      bytes.emplace_back(static_cast<std::size_t>(at - all.image.offset), memory);
    }
    ++number;
  });
  return bytes;
}

TEST(Parts, MoveAsTheirBytesDo) {
  EXPECT_TRUE(rc::check([] {
    Case all = any_case();
    all.part.extent = &all.extent;
    const auto bytes = bytes_of(all);
    const Bytes memory_before = all.memory;
    const Bytes image_before = test::pattern(all.image.length, 8);
    Bytes image_bytes = image_before;
    const Image image{all.image, image_bytes.data()};

    Bytes expected_packed;
    Bytes expected_image = image_before;
    for (const auto& [place, memory] : bytes) {
      expected_packed.push_back(*memory);
      expected_image[place] = *memory;
    }
    Bytes packed(expected_packed.size());
    pack(all.part, packed);
    RC_ASSERT(packed == expected_packed);
    packed_to_image(all.part, packed, image);
    RC_ASSERT(image_bytes == expected_image);
    image_bytes = image_before;
    memory_to_image(all.part, image);
    RC_ASSERT(image_bytes == expected_image);
    RC_ASSERT(all.memory == memory_before);

    // And back, with other bytes.
    image_bytes = image_before;
    Bytes expected_memory = memory_before;
    std::size_t i = 0;
    for (const auto& [place, memory] : bytes) {
      expected_memory[static_cast<std::size_t>(memory - all.memory.data())] = image_before[place];
      expected_packed[i++] = image_before[place];
    }
    image_to_packed(all.part, image, packed);
    RC_ASSERT(packed == expected_packed);
    unpack(all.part, packed);
    RC_ASSERT(all.memory == expected_memory);
    all.memory = memory_before;
    image_to_memory(all.part, image);
    RC_ASSERT(all.memory == expected_memory);
    RC_ASSERT(image_bytes == image_before);
  }));
}

TEST(Parts, CodersSeeTheirBytesInFileOrder) {
  EXPECT_TRUE(rc::check([] {
    Case all = any_case();
    all.extent.memory = nullptr;
    all.part.extent = &all.extent;
    test::Coder coder(test::pattern(all.extent.total_bytes(), 3));
    const Bytes content = coder.bytes;
    const auto bytes = bytes_of(all);
    Bytes image_bytes = test::pattern(all.image.length, 8);
    const Bytes image_before = image_bytes;
    const Image image{all.image, image_bytes.data()};
    all.extent.encoder = &coder;
    Bytes expected = image_before;
    auto at = static_cast<std::size_t>(all.part.packed.offset);
    for (const auto& [place, memory] : bytes) expected[place] = content[at++];
    memory_to_image(all.part, image);
    RC_ASSERT(image_bytes == expected);
    Bytes packed(bytes.size());
    pack(all.part, packed);
    RC_ASSERT(std::equal(packed.begin(), packed.end(), content.begin() + all.part.packed.offset));

    all.extent.encoder = nullptr;
    all.extent.decoder = &coder;
    image_bytes = image_before;
    image_to_memory(all.part, image);
    at = static_cast<std::size_t>(all.part.packed.offset);
    Bytes decoded = content;
    for (const auto& [place, memory] : bytes) decoded[at++] = image_before[place];
    RC_ASSERT(coder.bytes == decoded);
    RC_ASSERT(!is_contiguous_in_memory(all.part));
  }));
}

// What is made in tiles is longer than a tile here.
TEST(Parts, CodedPartsMayBeLong) {
  const std::int64_t count = 50'000;
  Extent extent{.run_bytes = 3, .steps = {{count, 5, 0}}};
  test::Coder coder(test::pattern(3 * count, 3));
  const Bytes content = coder.bytes;
  const Part part{&extent, {1, 3 * count - 2}};
  Bytes image_bytes(static_cast<std::size_t>(5 * count));
  const Image image{{0, 5 * count}, image_bytes.data()};
  extent.encoder = &coder;
  memory_to_image(part, image);
  for (std::int64_t i = 1; i < 3 * count - 1; ++i) {
    ASSERT_EQ(image_bytes[static_cast<std::size_t>(i / 3 * 5 + i % 3)], content[static_cast<std::size_t>(i)]) << i;
  }
  extent.encoder = nullptr;
  extent.decoder = &coder;
  std::fill(coder.bytes.begin() + 1, coder.bytes.end() - 1, std::byte{0});
  image_to_memory(part, image);
  EXPECT_EQ(coder.bytes, content);
}

TEST(Parts, KnowWhereTheyAreContiguous) {
  EXPECT_TRUE(rc::check([] {
    Case all = any_case();
    all.part.extent = &all.extent;
    const auto bytes = bytes_of(all);
    bool in_memory = true;
    bool in_file = true;
    for (std::size_t i = 1; i < bytes.size(); ++i) {
      in_memory = in_memory && bytes[i].second == bytes[i - 1].second + 1;
      in_file = in_file && bytes[i].first == bytes[i - 1].first + 1;
    }
    // It need not notice every case, but what it says must be so.
    if (is_contiguous_in_memory(all.part)) RC_ASSERT(in_memory);
    RC_ASSERT(is_contiguous_in_file(all.part) == in_file);
    RC_ASSERT(memory_of(all.part) == bytes.front().second);
    RC_CLASSIFY(is_contiguous_in_memory(all.part));
  }));
}

TEST(Parts, OfWholeRowsAreContiguousInMemory) {
  // Rows of a field that lie apart in the file and back to back in memory.
  Bytes memory(1000);
  const Extent rows{.run_bytes = 10, .steps = {{5, 200, 100}, {10, 20, 10}}, .memory = memory.data()};
  EXPECT_TRUE(is_contiguous_in_memory({&rows, {0, 500}}));
  EXPECT_TRUE(is_contiguous_in_memory({&rows, {95, 300}}));
  Extent apart = rows;
  apart.steps[0].memory_stride_bytes = 110;
  EXPECT_TRUE(is_contiguous_in_memory({&apart, {100, 100}}));
  EXPECT_FALSE(is_contiguous_in_memory({&apart, {99, 2}}));
}

}  // namespace
}  // namespace sill
