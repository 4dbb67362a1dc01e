// Extents of boxes and of items, element by element.
#include "sill/plan/subarray.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "plan/any_extent.hpp"
#include "sill/base/error.hpp"
#include "store/thrown.hpp"
#include "support/any_number.hpp"

namespace sill {
namespace {

using test::BytePlace;
using test::thrown;

TEST(Subarray, PutsEveryElementInItsPlace) {
  EXPECT_TRUE(rc::check([] {
    const auto dimensions = test::any_number<std::size_t>(1, 3);
    const auto element = test::any_number(1, 8);
    Index shape;
    Box box;
    Index memory_strides;
    for (std::size_t d = 0; d < dimensions; ++d) {
      shape.push_back(test::any_number(1, 4));
      box.first.push_back(test::any_number(0, shape[d] - 1));
      box.count.push_back(test::any_number(0, shape[d] - box.first[d]));
      memory_strides.push_back(test::any_number(-100, 99));
    }
    const FileArray array = row_major(3, 17, shape, element);
    const Extent extent = subarray(array, box, test::address(1000), memory_strides);
    std::vector<BytePlace> expected;
    Index at = box.first;
    for (std::int64_t item = 0; item < box.items(); ++item) {
      std::int64_t number = 0;  // of the element in the file
      std::int64_t memory = 1000;
      for (std::size_t d = 0; d < dimensions; ++d) {
        number = number * shape[d] + at[d];
        memory += (at[d] - box.first[d]) * memory_strides[d];
      }
      for (std::int64_t i = 0; i < element; ++i) {
        expected.emplace_back(3, 17 + number * element + i, test::address(memory + i));
      }
      for (std::size_t d = dimensions; d-- > 0;) {
        if (++at[d] < box.first[d] + box.count[d]) break;
        at[d] = box.first[d];
      }
    }
    RC_ASSERT(test::bytes_of(extent) == expected);
  }));
}

TEST(Subarray, RefusesDimensionsThatDiffer) {
  const FileArray array = row_major(0, 0, {4, 4}, 1);
  for (const auto& [box, strides] : std::vector<std::pair<Box, Index>>{{whole({4}), {1}}, {whole({4, 4}), {1}}}) {
    const auto error = thrown([&, &box = box, &strides = strides] { (void)subarray(array, box, nullptr, strides); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
  }
}

TEST(Listed, ItemsComeInTheOrderOfTheList) {
  EXPECT_TRUE(rc::check([] {
    const ItemList list{test::any_number(0, 49), test::any_number(1, 8), 30};
    const auto items = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 30));
    std::vector<BytePlace> found;
    std::size_t joints = items.empty() ? 0 : items.size() - 1;
    for (std::size_t i = 1; i < items.size(); ++i) joints -= items[i] == items[i - 1] + 1 ? 1U : 0U;
    const std::vector<Extent> extents = listed(2, list, items, test::address(0));
    for (const Extent& extent : extents) {
      const std::vector<BytePlace> bytes = test::bytes_of(extent);
      found.insert(found.end(), bytes.begin(), bytes.end());
    }
    std::vector<BytePlace> expected;
    std::int64_t memory = 0;
    for (const std::int64_t item : items) {
      for (std::int64_t i = 0; i < list.item_bytes; ++i) {
        expected.emplace_back(2, list.first_byte + item * list.item_bytes + i, test::address(memory++));
      }
    }
    RC_ASSERT(found == expected);
    RC_ASSERT(extents.size() <= (items.empty() ? 0 : joints + 1));
  }));
}

TEST(Listed, RunsThatLieEvenlyApartAreOneExtent) {
  const std::vector<std::int64_t> items{0, 1, 4, 5, 8, 9, 13, 20, 27, 28};
  std::byte* const memory = test::address(0);
  const std::vector<Extent> expected{
      {.file = 1, .offset_bytes = 100, .run_bytes = 8, .steps = {{3, 16, 8}}, .memory = memory},
      {.file = 1, .offset_bytes = 152, .run_bytes = 4, .steps = {{2, 28, 4}}, .memory = memory + 24},
      {.file = 1, .offset_bytes = 208, .run_bytes = 8, .memory = memory + 32}};
  EXPECT_EQ(listed(1, {100, 4, 50}, items, memory), expected);
}

}  // namespace
}  // namespace sill
