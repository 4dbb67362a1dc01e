// Names of long lists, which are found by an index.
#include "sill/formats/array/dataset_description.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "sill/base/error.hpp"

namespace sill {
namespace {

DatasetDescription many(int count, const std::string& prefix) {
  DatasetDescription made;
  for (int i = 0; i < count; ++i) made.dimensions.push_back({prefix + std::to_string(i), i + 1});
  return made;
}

TEST(DatasetDescription, FindsNamesOfLongListsThatChange) {
  std::vector<DatasetDescription> all;
  for (int n = 0; n < 7; ++n) all.push_back(many(60 + 30 * n, std::string(1, static_cast<char>('a' + n))));
  for (int round = 0; round < 2; ++round) {
    for (std::size_t d = 0; d < all.size(); ++d) {
      for (std::size_t i = 0; i < all[d].dimensions.size(); ++i) {
        EXPECT_EQ(all[d].dimension_named(all[d].dimensions[i].name), i);
      }
      EXPECT_THROW((void)all[d].dimension_named("none"), Error);
      all[d].dimensions[40].name = "renamed" + std::to_string(round);  // where the list lies already
      EXPECT_EQ(all[d].dimension_named("renamed" + std::to_string(round)), 40U);
      EXPECT_THROW((void)all[d].dimension_named(std::string(1, static_cast<char>('a' + d)) + "40"), Error);
      std::swap(all[d].dimensions[10], all[d].dimensions[50]);
      EXPECT_EQ(all[d].dimension_named(all[d].dimensions[10].name), 10U);
      EXPECT_EQ(all[d].dimension_named(all[d].dimensions[50].name), 50U);
    }
  }
}

}  // namespace
}  // namespace sill
