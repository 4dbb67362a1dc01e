// The grids of VTK: which variables are at points and cells, which are coordinates, and what is refused.
#include "sill/formats/image/vtk_grid.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

#include "formats/image/any_description.hpp"

namespace sill::vtk_grid_test {
namespace {

using image::Centering;
using image::set_coordinates;
using image::vtk_grid_of;
using image::VtkGrid;
using image::VtkKind;
using image_test::is_refused;

DatasetDescription described(std::vector<Variable> variables) {
  return {.dimensions = {{"time", unlimited}, {"y", 4}, {"x", 6}, {"yc", 3}, {"xc", 5}, {"c", 3}},
          .variables = std::move(variables)};
}

TEST(VtkGrid, DimensionsStateWhereValuesAre) {
  using enum Centering;
  const DatasetDescription all = described({{"q", ElementType::f4, {"time", "yc", "xc", "c"}},
                                            {"p", ElementType::f4, {"y", "x"}},
                                            {"x", ElementType::f8, {"x"}},
                                            {"y", ElementType::f8, {"y"}},
                                            {"u", ElementType::f4, {"yc", "x"}},
                                            {"time", ElementType::f8, {"time"}},
                                            {"wrong", ElementType::f4, {"x", "y"}}});
  const VtkGrid grid = vtk_grid_of(all, VtkKind::rectilinear, false);
  EXPECT_EQ(grid.centering, (std::vector{cells, points, coordinates, coordinates, staggered, none, other}));
  EXPECT_EQ(grid.components[0], 3);
  EXPECT_EQ(grid.shape, (std::array<std::int64_t, 3>{1, 4, 6}));
  EXPECT_EQ(grid.dimensions, (std::vector<std::string>{"y", "x"}));
  std::string said;
  EXPECT_TRUE(is_refused(
      ErrorCode::usage, "u, wrong are on other dimensions (staggered", [&] { require_places(grid, all, false); }, said))
      << said;
}

TEST(VtkGrid, TheAttributeLocationOverridesTheOrderOfVariables) {
  const Variable cells{"q", ElementType::f4, {"y", "x"}, {{"location", "face"}}};
  EXPECT_EQ(vtk_grid_of(described({cells}), VtkKind::image, false).shape, (std::array<std::int64_t, 3>{1, 5, 7}));
  Variable nodes = cells;
  nodes.attributes = {{"location", "node"}};
  EXPECT_EQ(vtk_grid_of(described({nodes}), VtkKind::image, false).shape, (std::array<std::int64_t, 3>{1, 4, 6}));
  Variable other = cells;
  other.name = "r";
  const VtkGrid grid = vtk_grid_of(described({nodes, other}), VtkKind::image, false);
  EXPECT_EQ(grid.centering[1], Centering::other);  // it states cells, but has the dimensions of points
}

TEST(VtkGrid, CoordinatesOfAnImageAreEven) {
  const DatasetDescription all =
      described({{"p", ElementType::f4, {"y", "x"}}, {"x", ElementType::f4, {"x"}}, {"y", ElementType::f8, {"y"}}});
  VtkGrid grid = vtk_grid_of(all, VtkKind::image, false);
  const std::vector<double> even{1e6 + 0, 1e6 + 1, 1e6 + 2, 1e6 + 3};
  std::vector<double> rounded;  // to f4
  for (int i = 0; i < 6; ++i) rounded.push_back(static_cast<double>(1e4F + 0.1F * static_cast<float>(i)));
  set_coordinates(grid, all, {std::vector<double>{}, even, rounded});
  EXPECT_EQ(grid.origin, (std::array<double, 3>{0, 1e6, 1e4}));
  EXPECT_EQ(grid.spacing[1], 1);
  EXPECT_NEAR(grid.spacing[2], 0.1, 1e-3);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const std::vector<double>& uneven :
       std::vector<std::vector<double>>{{0, 1, 2, 3.001}, {3, 2, 1, 0}, {0, 0, 0, 0}, {0, nan, 2, 3}, {0, 1, 2, nan}}) {
    const std::array<std::vector<double>, 3> values{std::vector<double>{}, uneven, rounded};
    std::string said;
    EXPECT_TRUE(is_refused(
        ErrorCode::usage, "y are not evenly spaced", [&] { set_coordinates(grid, all, values); }, said))
        << said;
  }
}

TEST(VtkGrid, CoordinatesOfPointsStateTheirAxes) {
  const auto with = [](Variable a, Variable b) {
    return described({{"p", ElementType::f4, {"y", "x"}, {{"coordinates", "a b"}}}, std::move(a), std::move(b)});
  };
  const Variable x{"a", ElementType::f8, {"y", "x"}, {{"axis", "X"}}};
  const Variable y{"b", ElementType::f8, {"y", "x"}, {{"axis", "Y"}}};
  EXPECT_EQ(vtk_grid_of(with(x, y), VtkKind::structured, false).coordinates[2], 1U);
  const auto expect_refused = [&](const Variable& other, const char* words) {
    std::string said;
    EXPECT_TRUE(is_refused(
        ErrorCode::usage, words, [&] { (void)vtk_grid_of(with(x, other), VtkKind::structured, false); }, said))
        << said;
  };
  expect_refused({"b", ElementType::f8, {"y", "x"}}, "b does not state its axis");
  expect_refused({"b", ElementType::f8, {"y", "x"}, {{"axis", "X"}}}, "coordinates of the same axis");
  expect_refused({"b", ElementType::f4, {"y", "x"}, {{"axis", "Y"}}}, "differ in type or dimensions");
  expect_refused({"b", ElementType::f8, {"x", "y"}, {{"axis", "Y"}}}, "differ in type or dimensions");
  expect_refused({"b", ElementType::f8, {"x"}, {{"axis", "Y"}}}, "needs coordinates of all points");
}

}  // namespace
}  // namespace sill::vtk_grid_test
