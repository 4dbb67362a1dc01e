// Names, headers, sizes and places of surface files, against bytes written out by hand and a count of points.
#include "sill/formats/surface/surface_file.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "plan/every_byte.hpp"
#include "sill/base/error.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "sill/plan/access_plan.hpp"
#include "store/thrown.hpp"
#include "support/any_number.hpp"

namespace sill::surface {
namespace {

// Stands for one that makes the bytes.
class NoEncoder final : public Encoder {
 public:
  void fill(ByteRange /*range*/, std::span<std::byte> /*bytes*/) const override {}
};
const NoEncoder no_encoder;

TEST(SurfaceFile, NamesAreThoseOfTheOriginal) {
  EXPECT_EQ(file_name("out/", Plane::xy, Quantity::velocity, 5), "out/surfacexyvel000500.vtk");
  EXPECT_EQ(file_name("", Plane::xz, Quantity::displacement, 1000), "surfacexzdisp100000.vtk");
  EXPECT_EQ(file_name("./RES/a_", Plane::yz, Quantity::velocity, 123456), "./RES/a_surfaceyzvel12345600.vtk");
  EXPECT_EQ(file_name("", Plane::yz, Quantity::displacement, 0), "surfaceyzdisp000000.vtk");
  const auto error = test::thrown([] { (void)file_name("", Plane::xy, Quantity::velocity, -1); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
}

TEST(SurfaceFile, TheHeaderIsThatOfTheOriginal) {
  const FileForm form{.points = {{0, 7, 10}, {520, 1, 11}}, .origin = {-1000, 2.5, 0}, .spacing = {200, 200, 12.5}};
  EXPECT_EQ(header_of(form),
            "# vtk DataFile Version 3.0\n"
            "V\n"
            "BINARY\n"
            "DATASET STRUCTURED_POINTS\n"
            "DIMENSIONS 520 1 11\n"
            "ORIGIN -1000.000000 1402.500000 125.000000\n"
            "SPACING 200.000000 200.000000 12.500000\n"
            "POINT_DATA 5720\n"
            "SCALARS V float 3\n"
            "LOOKUP_TABLE default\n");
}

// Ondes3D on the French Riviera: files of 2.3 MB, 68 KB and 48 KB; 100 phases are 60,657,000 floats.
TEST(SurfaceFile, SizesAreThoseOfThePaper) {
  const FileForm xy{.points = {{0, 0, 0}, {520, 370, 1}}};
  const FileForm xz{.points = {{0, 0, 0}, {520, 1, 11}}};
  const FileForm yz{.points = {{0, 0, 0}, {1, 370, 11}}};
  std::int64_t floats = 0;
  for (const FileForm* form : {&xy, &xz, &yz}) {
    const std::int64_t values = file_bytes(*form) - static_cast<std::int64_t>(header_of(*form).size());
    EXPECT_EQ(values % 12, 0);
    floats += values / 4;
  }
  EXPECT_EQ(100 * floats, 60'657'000);
  EXPECT_EQ(file_bytes(xy) / 100'000, 23);
  EXPECT_EQ(file_bytes(xz) / 1000, 68);
  EXPECT_EQ(file_bytes(yz) / 1000, 49);
}

TEST(SurfaceFile, PointsFollowEachOtherXFastest) {
  const FileForm form{.points = {{2, 5, 1}, {4, 1, 3}}};
  auto at = static_cast<std::int64_t>(header_of(form).size());
  for (std::int64_t z = 1; z < 4; ++z) {
    for (std::int64_t x = 2; x < 6; ++x) {
      EXPECT_EQ(byte_of_point(form, {x, 5, z}), at);
      at += 12;
    }
  }
  EXPECT_EQ(file_bytes(form), at);
}

// Whatever the decomposition: every byte after the header belongs to the part that holds its point, and a part is one
// extent of a few steps.
TEST(SurfaceFile, PartsAreStridedPiecesThatMakeTheFile) {
  EXPECT_TRUE(rc::check([] {
    const Index shape{test::any_number(1, 12), test::any_number(1, 12), test::any_number(1, 12)};
    const Index parts{test::any_number(1, 4), test::any_number(1, 4), test::any_number(1, 3)};
    const auto fixed = static_cast<std::size_t>(test::any_number(0, 2));
    FileForm form{.points = whole(shape)};
    form.points.first[fixed] = test::any_number(0, shape[fixed] - 1);
    form.points.count[fixed] = 1;
    const auto header = static_cast<std::int64_t>(header_of(form).size());
    const GridDecomposition grid = GridDecomposition::blocks(shape, parts);
    std::vector<std::int64_t> owner(static_cast<std::size_t>(file_bytes(form) - header), -1);
    for (std::int64_t part = 0; part < grid.parts(); ++part) {
      const Box mine = intersection(form.points, grid.box_of(part));
      if (mine.empty()) continue;
      const AccessPlan plan = AccessPlan::for_writing({extent_of(3, form, mine, no_encoder)});
      RC_ASSERT(plan.extents().size() == 1U);
      const Extent& extent = plan.extents().front();
      RC_ASSERT(extent.file == 3);
      RC_ASSERT(extent.steps.size() <= 2U);
      RC_ASSERT(extent.total_bytes() == mine.items() * point_bytes);
      test::for_each_byte(extent, [&](std::int64_t place, std::byte*) {
        std::int64_t& of_byte = owner[static_cast<std::size_t>(place - header)];
        RC_ASSERT(of_byte == -1);
        of_byte = part;
      });
    }
    std::size_t at = 0;
    const Index& first = form.points.first;
    const Index& count = form.points.count;
    for (std::int64_t z = first[2]; z < first[2] + count[2]; ++z) {
      for (std::int64_t y = first[1]; y < first[1] + count[1]; ++y) {
        for (std::int64_t x = first[0]; x < first[0] + count[0]; ++x) {
          for (int byte = 0; byte < 12; ++byte) RC_ASSERT(owner[at++] == grid.part_holding({x, y, z}));
        }
      }
    }
  }));
}

TEST(SurfaceFile, WhatIsNoPlaneIsRefused) {
  const auto refused = [](const FileForm& form, const std::string& words) {
    const auto error = test::thrown([&] { require_possible(form); });
    ASSERT_TRUE(error) << words;
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_NE(error->parts().problem.find(words), std::string::npos) << error->what();
    EXPECT_FALSE(error->parts().action.empty());
  };
  refused({.points = {{0, 0}, {3, 1}}}, "2 dimensions");
  refused({.points = {{0, 0, 0}, {3, 2, 2}}}, "not a plane");
  refused({.points = {{0, 0, 0}, {3, 0, 1}}}, "not a plane");
  refused({.points = {{0, 0, 0}, {1L << 31U, 1L << 31U, 1}}}, "too large");
  FileForm form{.points = {{0, 0, 0}, {3, 2, 1}}};
  require_possible(form);
  form.spacing[1] = 0;
  refused(form, "dimension y");
  form.spacing[1] = 1;
  form.origin[2] = std::numeric_limits<double>::quiet_NaN();
  refused(form, "dimension z");
}

}  // namespace
}  // namespace sill::surface
