// Sums over sets of bytes: equal for equal sets, however they are cut into extents.
#include "sill/plan/fingerprint.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <set>
#include <vector>

#include "plan/any_extent.hpp"
#include "support/any_number.hpp"

namespace sill {
namespace {

Fingerprint byte_by_byte(const std::vector<std::int64_t>& places, std::int64_t origin) {
  Fingerprint sum;
  for (const std::int64_t at : places) sum.add({.offset_bytes = at, .run_bytes = 1}, {0, 1}, origin);
  return sum;
}

TEST(Fingerprint, OfAnExtentIsThatOfItsBytes) {
  EXPECT_TRUE(rc::check([] {
    const Extent extent = test::nested_extent();
    const auto first = test::any_number(0, extent.total_bytes());
    const ByteRange packed{first, test::any_number(0, extent.total_bytes() - first)};
    std::vector<std::int64_t> places;
    for (std::int64_t i = packed.offset; i < packed.end(); ++i) places.push_back(extent.file_offset_of(i));
    // The origin may lie after the first byte of the extent, as long as those that count come after it.
    const std::int64_t origin = places.empty() ? 0 : test::any_number(0, places.front());
    Fingerprint sum;
    sum.add(extent, packed, origin);
    RC_ASSERT(sum == byte_by_byte(places, origin));
  }));
}

TEST(Fingerprint, DoesNotDependOnTheOrderOrTheCuts) {
  EXPECT_TRUE(rc::check([] {
    const Extent extent = test::nested_extent();
    const auto cut = test::any_number(0, extent.total_bytes());
    Fingerprint whole;
    whole.add(extent, {0, extent.total_bytes()}, 0);
    Fingerprint pieces;
    pieces.add(extent, {cut, extent.total_bytes() - cut}, 0);
    pieces.add(extent, {0, cut}, 0);
    RC_ASSERT(whole == pieces);
  }));
}

// Ranks exchange it as sums of integers.
TEST(Fingerprint, OfRanksIsTheSumOfTheirHalves) {
  EXPECT_TRUE(rc::check([] {
    const Extent extent = test::nested_extent();
    const auto ranks = test::any_number(1, 9);
    Fingerprint whole;
    whole.add(extent, {0, extent.total_bytes()}, 0);
    std::array<std::int64_t, 2> sums{};
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const std::int64_t first = extent.total_bytes() * rank / ranks;
      Fingerprint mine;
      mine.add(extent, {first, extent.total_bytes() * (rank + 1) / ranks - first}, 0);
      for (std::size_t i = 0; i < 2; ++i) sums[i] += mine.halves()[i];
    }
    RC_ASSERT(Fingerprint::of_sums(sums[0], sums[1]) == whole);
    // As many as there can be.
    constexpr std::int64_t many = std::int64_t{1} << 31U;
    Fingerprint repeated;
    repeated.add({.run_bytes = 1, .steps = {{many, 0, 0}}}, {0, many}, 0);
    RC_ASSERT(Fingerprint::of_sums(0xffffffff * many, 0x1fffffff * many) == Fingerprint());  // each the prime itself
    RC_ASSERT(Fingerprint::of_sums(many, 0) == repeated);
  }));
}

TEST(Fingerprint, DiffersForDifferentSets) {
  EXPECT_TRUE(rc::check([] {
    const auto places = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 1000));
    const auto others = *rc::gen::container<std::vector<std::int64_t>>(rc::gen::inRange<std::int64_t>(0, 1000));
    const bool equal = std::multiset(places.begin(), places.end()) == std::multiset(others.begin(), others.end());
    RC_ASSERT((byte_by_byte(places, 0) == byte_by_byte(others, 0)) == equal);
  }));
  // One byte moved, of very many.
  Fingerprint right;
  right.add({.run_bytes = 4, .steps = {{1LL << 30, 12, 0}}}, {0, 4LL << 30}, 0);
  for (std::int64_t at = 0; at < 100; ++at) {
    Fingerprint wrong;
    wrong.add({.run_bytes = 4, .steps = {{1LL << 30, 12, 0}}}, {1, (4LL << 30) - 1}, 0);
    wrong.add({.offset_bytes = at, .run_bytes = 1}, {0, 1}, 0);
    EXPECT_EQ(wrong == right, at == 0);
  }
}

TEST(Fingerprint, OfInterleavedComponentsIsThatOfTheWhole) {
  // 2^40 bytes far out in a file: closed form, or this would not end.
  constexpr std::int64_t elements = 1LL << 38;
  constexpr std::int64_t first = 1LL << 50;
  Fingerprint whole;
  whole.add({.offset_bytes = first, .run_bytes = 4 * elements}, {0, 4 * elements}, first);
  Fingerprint parts;
  for (const std::int64_t component : {2, 0, 3, 1}) {
    parts.add({.offset_bytes = first + component, .run_bytes = 1, .steps = {{elements, 4, 0}}}, {0, elements}, first);
  }
  EXPECT_EQ(whole, parts);
}

}  // namespace
}  // namespace sill
