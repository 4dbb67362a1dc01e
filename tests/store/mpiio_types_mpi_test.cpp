// Parts of extents: as few extents as it takes, with the same bytes, and the datatypes of those.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "sill/plan/access_plan.hpp"
#include "sill/plan/rows.hpp"
#include "sill/store/mpiio/mpiio_types.hpp"
#include "store/random_extents.hpp"

namespace sill::test {
namespace {

// Places of bytes: where in the file, where in memory, how many; neighbours joined.
struct Stretch {
  std::int64_t file;
  std::byte* memory;
  std::int64_t length;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

void add(std::vector<Stretch>& all, Stretch one) {
  if (!all.empty() && all.back().file + all.back().length == one.file &&
      all.back().memory + all.back().length == one.memory) {
    all.back().length += one.length;
  } else {
    all.push_back(one);
  }
}

TEST(MpiioTypesTest, PartsAreFewExtentsWithTheSameBytes) {
  EXPECT_TRUE(rc::check([] {
    std::vector<PlacedExtent> placed = *random_extents(300000);
    std::vector<Extent> extents;
    for (PlacedExtent& one : placed) extents.push_back(one.extent());
    const AccessPlan plan = AccessPlan::for_writing(extents);
    for (const Extent& extent : plan.extents()) {
      const auto begin = *rc::gen::inRange<std::int64_t>(0, extent.total_bytes());
      const auto end = *rc::gen::inRange<std::int64_t>(begin + 1, extent.total_bytes() + 1);
      const Part part{&extent, {begin, end - begin}};
      std::vector<Stretch> expected;
      for_each_row(extent, part.packed, [&](const Row& row) {
        for (std::int64_t i = 0; i < row.count; ++i) {
          add(expected, {row.file_offset_bytes + i * row.file_stride_bytes, row.memory + i * row.memory_stride_bytes,
                         row.run_bytes});
        }
      });
      const std::vector<Extent> pieces = extents_of({&part, 1});
      RC_ASSERT(pieces.size() <= 2 * extent.steps.size() + 1);
      std::vector<Stretch> found;
      for (const Extent& piece : pieces) {
        for_each_run(piece, [&](std::int64_t file, std::byte* memory) { add(found, {file, memory, piece.run_bytes}); });
      }
      RC_ASSERT(found == expected);
      RC_ASSERT(
          part.bounding_range() ==
          (ByteRange{expected.front().file, expected.back().file + expected.back().length - expected.front().file}));

      const MpiType type = file_type(pieces, part.bounding_range().offset);
      MPI_Count size = 0;
      MPI_Count lower = 0;
      MPI_Count extent_of_type = 0;
      MPI_Type_size_x(type.get(), &size);
      MPI_Type_get_true_extent_x(type.get(), &lower, &extent_of_type);
      RC_ASSERT(size == part.packed.length);
      RC_ASSERT(lower == 0);
      RC_ASSERT(extent_of_type == part.bounding_range().length);
    }
  }));
}

// Numbers, places and types that a datatype was made of, and those that these were made of.
std::int64_t entries_of(MPI_Datatype type) {
  int numbers = 0;
  int places = 0;
  int types = 0;
  int combiner = 0;
  MPI_Type_get_envelope(type, &numbers, &places, &types, &combiner);
  if (combiner == MPI_COMBINER_NAMED) return 0;
  std::vector<int> number(static_cast<std::size_t>(numbers) + 1);
  std::vector<MPI_Aint> place(static_cast<std::size_t>(places) + 1);
  std::vector<MPI_Datatype> inner(static_cast<std::size_t>(types) + 1);
  MPI_Type_get_contents(type, numbers, places, types, number.data(), place.data(), inner.data());
  std::int64_t entries = numbers + places + types;
  for (int i = 0; i < types; ++i) {
    MPI_Datatype& of = inner[static_cast<std::size_t>(i)];
    const std::int64_t within = entries_of(of);
    entries += within;
    if (within > 0) MPI_Type_free(&of);
  }
  return entries;
}

// A rank's part of a volume: 5 samples of 400 x 300 rows of 200 values in a grid of 1200 x 900 x 1000.
TEST(MpiioTypesTest, APartOfAVolumeIsAFewNestedVectorsAndNeverAnEntryAnElement) {
  Extent extent = contiguous(0, {4 * 7'654'321, 800}, static_cast<std::byte*>(nullptr));
  const std::int64_t row_bytes = 4 * 1200;
  extent.steps = {{5, row_bytes * 900 * 1000, 0}, {400, row_bytes * 900, 0}, {300, row_bytes, 0}};
  const MpiType type = file_type({&extent, 1}, 0);
  MPI_Count size = 0;
  MPI_Type_size_x(type.get(), &size);
  EXPECT_EQ(size, 5 * 400 * 300 * 800);
  EXPECT_LE(entries_of(type.get()), 20) << "of 600,000 runs";
}

TEST(MpiioTypesTest, MoreThanTwoToThe31RepetitionsAreCounted) {
  // 6 billion records of 10 bytes, of which each run takes 4.
  Extent extent = contiguous(0, {100, 4}, static_cast<std::byte*>(nullptr));
  extent.steps = {{6'000'000'000, 10, 4}};
  const std::int64_t first = 5'000'000'001;
  const Part part{&extent, {4 * first + 1, 4 * 1000}};
  const std::vector<Extent> pieces = extents_of({&part, 1});
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_EQ(pieces[0].bounding_range(), (ByteRange{100 + 10 * first + 1, 3}));
  EXPECT_EQ(pieces[1].offset_bytes, 100 + 10 * (first + 1));
  EXPECT_EQ(pieces[1].steps, (Steps{{999, 10, 4}}));
  EXPECT_EQ(pieces[2].bounding_range(), (ByteRange{100 + 10 * (first + 1000), 1}));
}

}  // namespace
}  // namespace sill::test
