// Positions fitted to line numbers, and directions.
#include "sill/survey/geometry/grid_fit.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace sill {
namespace {

// Inlines 10 to 29, crosslines -20 to 9, inlines 30 degrees clockwise from +y, inline numbers to their right.
std::vector<PlacedTrace> turned_grid(double origin) {
  const double angle = std::numbers::pi / 6.0;
  std::vector<PlacedTrace> traces;
  for (int i = 10; i < 30; ++i) {
    for (int j = -20; j < 10; ++j) {
      traces.push_back({static_cast<double>(i), static_cast<double>(j),
                        origin + 12.5 * j * std::sin(angle) + 25.0 * i * std::cos(angle),
                        -origin + 12.5 * j * std::cos(angle) - 25.0 * i * std::sin(angle)});
    }
  }
  return traces;
}

LineAxis axis(std::int64_t first, std::int64_t last) {
  LineAxis made;
  made.first = first;
  made.last = last;
  made.lines = last - first + 1;
  return made;
}

TEST(GridFit, RecoversAKnownRotation) {
  for (const double origin : {0.0, 6.5e6, -4e8}) {
    std::optional<GridFit> fit = fit_positions(turned_grid(origin), 1, 1);
    ASSERT_TRUE(fit);
    describe_fit(*fit, axis(10, 29), axis(-20, 9), CoordinateUnit::metres);
    EXPECT_NEAR(*fit->between_ilines, 25.0, 1e-6);
    EXPECT_NEAR(*fit->between_xlines, 12.5, 1e-6);
    EXPECT_NEAR(*fit->iline_azimuth, 30.0, 1e-6);
    EXPECT_NEAR(*fit->angle, 90.0, 1e-6);
    EXPECT_LT(fit->rms, 1e-6);
    EXPECT_EQ(fit->corners[2].place, (Place{29, 9}));
    EXPECT_NEAR(fit->corners[2].x, turned_grid(origin).back().x, 1e-6);
    EXPECT_NEAR(fit->corners[2].y, turned_grid(origin).back().y, 1e-6);
    EXPECT_TRUE(fit->good);
  }
}

TEST(GridFit, LeavesOutliersOut) {
  std::vector<PlacedTrace> traces = turned_grid(1e5);
  for (std::size_t i = 0; i < traces.size(); i += 50) traces[i].x += 9e4;
  const std::optional<GridFit> fit = fit_positions(traces, 1, 1);
  ASSERT_TRUE(fit);
  EXPECT_LT(fit->rms, 1e-6);
  EXPECT_LT(fit->fitted, std::ssize(traces));
}

TEST(GridFit, NeedsTwoDirections) {
  EXPECT_FALSE(fit_positions({}, 1, 1));
  std::vector<PlacedTrace> one_line;
  std::vector<PlacedTrace> diagonal;
  for (int i = 0; i < 9; ++i) {
    one_line.push_back({1.0, static_cast<double>(i), i * 10.0, 5.0});
    diagonal.push_back({static_cast<double>(i), i * 2.0, i * 10.0, 5.0});
  }
  EXPECT_FALSE(fit_positions(one_line, 1, 1));
  EXPECT_FALSE(fit_positions(diagonal, 1, 1));
}

TEST(GridFit, IsNotGoodWhereBothDirectionsAreOne) {
  std::vector<PlacedTrace> traces;
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) traces.push_back({1.0 * i, 1.0 * j, 10.0 * (i + j), 20.0 * (i + j)});
  }
  std::optional<GridFit> fit = fit_positions(traces, 1, 1);
  ASSERT_TRUE(fit);
  describe_fit(*fit, axis(0, 8), axis(0, 8), CoordinateUnit::metres);
  EXPECT_FALSE(fit->good);
}

TEST(GridFit, GivesNoLengthsOfAngles) {
  for (const CoordinateUnit unit : {CoordinateUnit::arc_seconds, CoordinateUnit::degrees, CoordinateUnit::dms}) {
    std::optional<GridFit> fit = fit_positions(turned_grid(0), 1, 1);
    ASSERT_TRUE(fit);
    describe_fit(*fit, axis(10, 29), axis(-20, 9), unit);
    EXPECT_FALSE(fit->between_ilines || fit->between_xlines || fit->iline_azimuth || fit->angle);
    EXPECT_EQ(fit->corners.size(), 4U);
  }
}

TEST(GridFit, AzimuthsGoClockwiseFromNorth) {
  EXPECT_DOUBLE_EQ(azimuth_of(0, 1), 0);
  EXPECT_DOUBLE_EQ(azimuth_of(-1e-13, 1), 0);
  EXPECT_DOUBLE_EQ(azimuth_of(1, 0), 90);
  EXPECT_DOUBLE_EQ(azimuth_of(0, -1), 180);
  EXPECT_DOUBLE_EQ(azimuth_of(-1, 0), 270);
}

TEST(GridFit, SpreadAcrossALineAndAnArea) {
  EXPECT_FALSE(relative_width({}));
  const std::vector<PlacedTrace> one(5, PlacedTrace{.x = 7, .y = 8});
  EXPECT_FALSE(relative_width(one));
  std::vector<PlacedTrace> line;
  std::vector<PlacedTrace> square;
  for (int i = 0; i < 10; ++i) {
    line.push_back({.x = 1e6 + 3.0 * i, .y = 5e6 - 4.0 * i});
    for (int j = 0; j < 10; ++j) square.push_back({.x = 1e6 + i, .y = 5e6 + j});
  }
  EXPECT_LT(*relative_width(line), 1e-6);
  EXPECT_NEAR(*relative_width(square), 1.0, 1e-6);
}

}  // namespace
}  // namespace sill
