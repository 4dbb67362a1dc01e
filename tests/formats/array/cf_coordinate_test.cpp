// Coordinates of the CF conventions: what is added to a description, and what is refused.
#include "sill/formats/array/cf_coordinate.hpp"

#include <gtest/gtest.h>

#include "sill/base/error.hpp"

namespace sill {
namespace {

DatasetDescription grid() {
  return {.dimensions = {{"time", unlimited}, {"depth", 3}, {"y", 4}, {"lon", 5}},
          .variables = {{"u", ElementType::f4, {"time", "depth", "y", "lon"}}}};
}

TEST(CfCoordinate, VariablesHaveTheAttributesThatTheConventionsAskFor) {
  DatasetDescription made = grid();
  add_cf_coordinate(made, {.dimension = "time", .axis = "T", .units = "seconds since 2026-01-01 00:00:00"});
  add_cf_coordinate(made,
                    {.dimension = "depth", .axis = "Z", .units = "m", .positive = "down", .standard_name = "depth"});
  add_cf_coordinate(made, {.dimension = "y", .axis = "Y", .units = "m"});
  add_cf_coordinate(made, {.dimension = "lon", .axis = "X", .units = "degrees_east"});
  DatasetDescription expected = grid();
  expected.variables.push_back({"time",
                                ElementType::f8,
                                {"time"},
                                {{"units", "seconds since 2026-01-01 00:00:00"},
                                 {"axis", "T"},
                                 {"standard_name", "time"},
                                 {"calendar", "standard"}}});
  expected.variables.push_back({"depth",
                                ElementType::f8,
                                {"depth"},
                                {{"units", "m"}, {"axis", "Z"}, {"standard_name", "depth"}, {"positive", "down"}}});
  expected.variables.push_back({"y", ElementType::f8, {"y"}, {{"units", "m"}, {"axis", "Y"}}});
  expected.variables.push_back(
      {"lon", ElementType::f8, {"lon"}, {{"units", "degrees_east"}, {"axis", "X"}, {"standard_name", "longitude"}}});
  expected.attributes = {{"Conventions", "CF-1.11"}};
  EXPECT_EQ(made, expected);
  require_possible(made);
}

TEST(CfCoordinate, WhatTheConventionsDoNotKnowIsRefused) {
  const CfCoordinate refused[] = {
      {.dimension = "x", .axis = "X", .units = "m"},
      {.dimension = "y", .axis = "y", .units = "m"},
      {.dimension = "y", .axis = "Y", .units = ""},
      {.dimension = "y", .axis = "Y", .units = "days since 2026-01-01"},
      {.dimension = "time", .axis = "T", .units = "s"},
      {.dimension = "depth", .axis = "Z", .units = "m"},
      {.dimension = "depth", .axis = "Z", .units = "m", .positive = "below"},
      {.dimension = "y", .axis = "Y", .units = "m", .positive = "up"},
  };
  for (const CfCoordinate& each : refused) {
    DatasetDescription made = grid();
    EXPECT_THROW(add_cf_coordinate(made, each), Error) << each.dimension << " " << each.axis << " " << each.units;
    EXPECT_EQ(made, grid());
  }
}

}  // namespace
}  // namespace sill
