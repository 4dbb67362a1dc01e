// The shapes of chunks.
#include "sill/formats/array/chunk_grid.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace sill::chunk_grid_test {
namespace {

TEST(ChunkGrid, ShapesAreLimitedInTheirFirstDimensions) {
  const std::map<std::string, Index> limits{{"u", {8, 16}}, {"v", {8, 16, 32, 64}}};
  EXPECT_EQ(limited_shape({10, 12, 99}, limits, "u"), (Index{8, 12, 99}));
  EXPECT_EQ(limited_shape({10, 12, 99}, limits, "v"), (Index{8, 12, 32}));
  EXPECT_EQ(limited_shape({10, 12, 99}, limits, "w"), (Index{10, 12, 99}));
  EXPECT_EQ(limited_shape({}, limits, "u"), Index{});
  EXPECT_EQ(new_chunk(limited_shape({10, 12, 99}, limits, "u"), 4, Index{9, 9, 9}), (Index{8, 9, 9}));
}

}  // namespace
}  // namespace sill::chunk_grid_test
