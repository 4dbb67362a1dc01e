// The shapes of chunks.
#include "sill/formats/array/chunk_grid.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

namespace sill::chunk_grid_test {
namespace {

TEST(ChunkGrid, ShapesAreLimitedInTheirFirstDimensions) {
  const std::map<std::string, Index> limits{{"u", {8, 16}}, {"v", {8, 16, 32, 64}}};
  EXPECT_EQ(limited_shape({10, 12, 99}, limits, "u"), (Index{8, 12, 99}));
  EXPECT_EQ(limited_shape({10, 12, 99}, limits, "v"), (Index{8, 12, 32}));
  EXPECT_EQ(limited_shape({10, 12, 99}, limits, "w"), (Index{10, 12, 99}));
  EXPECT_EQ(limited_shape({}, limits, "u"), Index{});
  EXPECT_EQ(new_chunk(limited_shape({10, 12, 99}, limits, "u"), 4, Index{9, 9, 9}, true), (Index{8, 9, 9}));
}

TEST(ChunkGrid, DefaultChunksOfALimitDivideIt) {
  EXPECT_EQ(new_chunk({601, 1002}, 8, std::nullopt, true), (Index{301, 501}));
  EXPECT_EQ(new_chunk({601, 1002}, 8, Index{601, 501, 9}, false), (Index{301, 501}));
  EXPECT_EQ(new_chunk({601, 1002}, 8, Index{601, 501, 9}, true), (Index{601, 501}));
  EXPECT_EQ(new_chunk({602, 1001}, 8, Index{601, 501, 9}, true), (Index{301, 1001}));
  EXPECT_EQ(new_chunk({800, 1000}, 8, Index{400, 500, 9}, true), (Index{400, 500}));
}

}  // namespace
}  // namespace sill::chunk_grid_test
