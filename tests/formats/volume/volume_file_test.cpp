// Names, sizes and places of volume files against loops over all points of a grid.
#include "sill/formats/volume/volume_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <tuple>
#include <vector>

#include "plan/every_byte.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/volume/sample.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "sill/plan/access_plan.hpp"
#include "store/thrown.hpp"
#include "support/any_number.hpp"

namespace sill::volume {
namespace {

TEST(VolumeFile, NamesAreThoseOfTheOriginal) {
  EXPECT_EQ(file_name("out/", 'X', 20), "out/SX0000020");
  EXPECT_EQ(file_name("", 'Y', 1'234'567), "SY1234567");
  EXPECT_EQ(file_name("a_", 'Z', 123'456'789), "a_SZ123456789");
  for (const auto& error :
       {test::thrown([] { (void)file_name("", 'x', 1); }), test::thrown([] { (void)file_name("", 'X', -1); })}) {
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
  }
}

// The paper's run: every other point of 10125 x 5000 x 1060, 20 time steps a file, three components: 1.464 TiB.
TEST(VolumeFile, SizesAreThoseOfThePaper) {
  const FileForm form{.kept = {{{0, 10123, 2}, {0, 4999, 2}, {0, 1059, 2}}}, .samples = 20};
  require_possible(form, {10125, 5000, 1060});
  EXPECT_EQ(shape_of(form.kept), (Index{5062, 2500, 530}));
  EXPECT_NEAR(3.0 * static_cast<double>(file_bytes(form)) / (1024.0 * 1024 * 1024 * 1024), 1.464, 0.0005);
  EXPECT_EQ(byte_of(form, 19, {5061, 2499, 529}), file_bytes(form) - 4);
}

TEST(VolumeFile, WhatIsNoFileIsRefused) {
  const Index shape{10, 10, 10};
  const auto refused = [&](const FileForm& form, const Index& of) {
    const auto error = test::thrown([&] { require_possible(form, of); });
    return error && error->code() == ErrorCode::usage && !error->parts().action.empty();
  };
  const Kept all{0, 9, 1};
  EXPECT_FALSE(refused({{{all, all, {9, 9, 10}}}, 1}, shape));
  EXPECT_TRUE(refused({{{all, all, {9, 9, 11}}}, 1}, shape));
  EXPECT_TRUE(refused({{{all, {0, 9, std::numeric_limits<std::int64_t>::max()}, all}}, 1}, shape));
  EXPECT_TRUE(refused({{{all, all, {-1, 9, 1}}}, 1}, shape));
  EXPECT_TRUE(refused({{{all, {0, 10, 1}, all}}, 1}, shape));
  EXPECT_TRUE(refused({{{{5, 4, 1}, all, all}}, 1}, shape));
  EXPECT_TRUE(refused({{{all, all, {0, 9, 0}}}, 1}, shape));
  EXPECT_TRUE(refused({{{all, all, all}}, 0}, shape));
  EXPECT_TRUE(refused({{{all, all, all}}, 1}, {10, 10}));
  const std::int64_t side = std::int64_t{1} << 20U;
  const Kept many{0, side - 1, 1};
  EXPECT_FALSE(refused({{{many, many, many}}, 1}, {side, side, side}));
  EXPECT_TRUE(refused({{{many, many, many}}, 2}, {side, side, side}));
  EXPECT_TRUE(refused({{{many, many, many}}, std::numeric_limits<std::int64_t>::max()}, {side, side, side}));
}

// Any selection of points, decomposition, order of the arrays, direction of z and margin of ghost points: each kept
// point is one part's, at the place that counting gives, and comes from where the array holds it.
TEST(VolumeFile, PartsAreStridedPiecesThatMakeTheFile) {
  EXPECT_TRUE(rc::check([] {
    const Index shape{test::any_number(1, 11), test::any_number(1, 9), test::any_number(1, 8)};
    FileForm form{.samples = test::any_number(1, 3)};
    for (std::size_t d = 0; d < 3; ++d) {
      const auto first = test::any_number(0, shape[d] - 1);
      form.kept[d] = {first, test::any_number(first, shape[d] - 1),
                      test::any_number(1, std::min<std::int64_t>(4, shape[d]))};
    }
    require_possible(form, shape);
    // Counted one by one, in the order of the file.
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, std::int64_t> places;
    std::int64_t place = 0;
    const auto& [kx, ky, kz] = form.kept;
    for (std::int64_t sample = 0; sample < form.samples; ++sample) {
      for (std::int64_t z = kz.first; z <= kz.last; z += kz.skip) {
        for (std::int64_t y = ky.first; y <= ky.last; y += ky.skip) {
          for (std::int64_t x = kx.first; x <= kx.last; x += kx.skip) {
            RC_ASSERT(byte_of(form, sample,
                              {(x - kx.first) / kx.skip, (y - ky.first) / ky.skip, (z - kz.first) / kz.skip}) == place);
            places[{sample, x, y, z}] = place;
            place += 4;
          }
        }
      }
    }
    RC_ASSERT(file_bytes(form) == place);

    const Index parts{test::any_number(1, 4), test::any_number(1, 3), test::any_number(1, 3)};
    const GridDecomposition grid = GridDecomposition::blocks(shape, parts);
    const auto order = *rc::gen::element(PointOrder::x_fastest, PointOrder::z_fastest);
    const auto surface = *rc::gen::element(Surface::at_first_z, Surface::at_last_z);
    for (std::int64_t part = 0; part < grid.parts(); ++part) {
      Box stored = grid.box_of(part);
      const Box mine = kept_within(form.kept, from_surface(stored, shape[2], surface));
      if (mine.empty()) continue;
      const std::int64_t margin = test::any_number(0, 2);
      for (std::size_t d = 0; d < 3; ++d) {
        stored.first[d] -= margin;
        stored.count[d] += 2 * margin;
      }
      // What the simulation has at point (x, y, z of its own): its number.
      std::vector<float> array(static_cast<std::size_t>(form.samples * stored.items()));
      const auto number = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        return static_cast<float>((x * 16 + y) * 16 + z);
      };
      std::size_t at = 0;
      const Box& s = stored;
      for (std::int64_t sample = 0; sample < form.samples; ++sample) {
        if (order == PointOrder::x_fastest) {
          for (std::int64_t z = s.first[2]; z < s.first[2] + s.count[2]; ++z) {
            for (std::int64_t y = s.first[1]; y < s.first[1] + s.count[1]; ++y) {
              for (std::int64_t x = s.first[0]; x < s.first[0] + s.count[0]; ++x) array[at++] = number(x, y, z);
            }
          }
        } else {
          for (std::int64_t x = s.first[0]; x < s.first[0] + s.count[0]; ++x) {
            for (std::int64_t y = s.first[1]; y < s.first[1] + s.count[1]; ++y) {
              for (std::int64_t z = s.first[2]; z < s.first[2] + s.count[2]; ++z) array[at++] = number(x, y, z);
            }
          }
        }
      }
      const Sample sample = sample_of(form.kept, mine, from_surface(stored, shape[2], surface), order, surface);
      RC_ASSERT(sample.count == mine.count);
      const AccessPlan plan = AccessPlan::for_writing(
          {extent_of(2, form, {0, form.samples}, mine, array.data() + sample.first, {sample.strides, stored.items()})});
      RC_ASSERT(plan.extents().size() == 1U);
      const Extent& extent = plan.extents().front();
      RC_ASSERT(extent.file == 2);
      RC_ASSERT(extent.steps.size() <= 4U);
      RC_ASSERT(extent.total_bytes() == 4 * form.samples * mine.items());
      std::map<std::int64_t, const float*> brought;
      test::for_each_byte(extent, [&](std::int64_t byte, std::byte* memory) {
        if (byte % 4 == 0) brought[byte] = reinterpret_cast<const float*>(memory);
      });
      std::vector<float> copied(static_cast<std::size_t>(mine.items()), -1.0F);
      const std::int64_t half = sample.count[1] / 2;  // as two threads would
      copy_sample(sample, {half, sample.count[1] - half}, array.data(), copied.data());
      copy_sample(sample, {0, half}, array.data(), copied.data());
      std::size_t next = 0;
      const Box own = grid.box_of(part);
      for (const auto& [point, expected_byte] : places) {
        const auto& [of_sample, x, y, z_down] = point;
        const std::int64_t z = surface == Surface::at_last_z ? shape[2] - 1 - z_down : z_down;
        const Box one{{x, y, z}, {1, 1, 1}};
        const bool is_mine = intersection(one, own) == one;
        RC_ASSERT(brought.count(expected_byte) == (is_mine ? 1U : 0U));
        if (!is_mine) continue;
        RC_ASSERT(*brought[expected_byte] == number(x, y, z));
      }
      for (const auto& [byte, value] : brought) {
        if (next == copied.size()) break;  // the first sample's come first
        RC_ASSERT(copied[next++] == *value);
      }
      RC_ASSERT(next == copied.size());
    }
    // Every point is some part's.
    std::int64_t kept = 0;
    for (std::int64_t part = 0; part < grid.parts(); ++part) {
      kept += kept_within(form.kept, from_surface(grid.box_of(part), shape[2], surface)).items();
    }
    RC_ASSERT(kept == whole(shape_of(form.kept)).items());
  }));
}

// Numbers near the largest there are: neither which points are kept nor how they lie overflows.
TEST(VolumeFile, LongGridsWithWideSkipsAreCounted) {
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const KeptPoints kept{{{0, max - 2, max - 2}, {0, 7, 1}, {0, 7, 1}}};
  const FileForm form{.kept = kept, .samples = 1};
  require_possible(form, {max, 8, 8});
  EXPECT_EQ(shape_of(kept), (Index{2, 8, 8}));
  EXPECT_EQ(kept_within(kept, {{0, 0, 0}, {5, 8, 8}}), (Box{{0, 0, 0}, {1, 8, 8}}));
  EXPECT_EQ(kept_within(kept, {{5, 0, 0}, {max - 7, 8, 8}}), (Box{{1, 0, 0}, {0, 8, 8}}));
  const Box last{{max - 5, 0, 0}, {5, 8, 8}};
  const Box part = kept_within(kept, last);
  EXPECT_EQ(part, (Box{{1, 0, 0}, {1, 8, 8}}));
  const Sample sample = sample_of(kept, part, last, PointOrder::z_fastest, Surface::at_first_z);
  EXPECT_EQ(sample.first, 3 * 64);
  const std::vector<float> array(5 * 64);
  const Extent extent = extent_of(0, form, {0, 1}, part, array.data() + sample.first, {sample.strides, 320});
  EXPECT_EQ(extent.total_bytes(), 64 * 4);
}

// Part of the samples, as a batch that is written in two goes would have it.
TEST(VolumeFile, SamplesBeginWhereTheyAreToldTo) {
  const FileForm form{.kept = {{{0, 3, 1}, {0, 1, 1}, {0, 0, 1}}}, .samples = 5};
  const std::vector<float> memory(16);
  const Extent extent = extent_of(0, form, {3, 2}, {{0, 0, 0}, {4, 2, 1}}, memory.data(), {{1, 4, 8}, 8});
  const AccessPlan plan = AccessPlan::for_writing({extent});
  ASSERT_EQ(plan.extents().size(), 1U);
  EXPECT_EQ(plan.extents().front().bounding_range(), (ByteRange{3 * 32, 2 * 32}));
  EXPECT_EQ(plan.extents().front().run_bytes, 64) << "what lies together is one run";
}

// More points than a tile has, in both orders.
TEST(VolumeFile, LargeSamplesAreCopiedWhole) {
  for (const PointOrder order : {PointOrder::x_fastest, PointOrder::z_fastest}) {
    const Box stored{{0, 0, 0}, {150, 3, 40}};
    const KeptPoints kept{{{1, 149, 1}, {0, 2, 2}, {3, 39, 2}}};
    std::vector<float> array(static_cast<std::size_t>(stored.items()));
    for (std::size_t i = 0; i < array.size(); ++i) array[i] = static_cast<float>(i);
    const Box part = kept_within(kept, stored);
    const Sample sample = sample_of(kept, part, stored, order, Surface::at_last_z);
    std::vector<float> copied(static_cast<std::size_t>(part.items()));
    copy_sample(sample, {0, sample.count[1]}, array.data(), copied.data());
    std::size_t next = 0;
    for (std::int64_t z = 3; z < 40; z += 2) {
      for (std::int64_t y = 0; y < 3; y += 2) {
        for (std::int64_t x = 1; x < 150; ++x) {
          const std::int64_t up = 39 - z;
          const std::int64_t place = order == PointOrder::x_fastest ? (up * 3 + y) * 150 + x : (x * 3 + y) * 40 + up;
          ASSERT_EQ(copied[next++], static_cast<float>(place));
        }
      }
    }
    EXPECT_EQ(next, copied.size());
  }
}

}  // namespace
}  // namespace sill::volume
