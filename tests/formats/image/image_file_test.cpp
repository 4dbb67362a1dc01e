// The grid of a dataset, and what lies at its points.
#include "sill/formats/image/image_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "formats/image/any_description.hpp"
#include "sill/base/error.hpp"

namespace sill::image_file_test {
namespace {

using image::components_of;
using image::grid_of;
using image::ImageGrid;
using image_test::is_refused;

using Names = std::vector<std::string>;
using Numbers = std::array<double, 3>;

DatasetDescription description() {
  return {.dimensions = {{"time", unlimited}, {"z", 2}, {"y", 3}, {"x", 4}, {"part", 5}},
          .variables = {{"time", ElementType::f8, {"time"}},
                        {"depth", ElementType::f4, {"z"}},
                        {"u", ElementType::f4, {"time", "z", "y", "x"}},
                        {"stress", ElementType::f8, {"time", "z", "y", "x", "part"}},
                        {"mask", ElementType::i1, {"z", "y", "x"}},
                        {"turned", ElementType::i1, {"x", "y", "z"}},
                        {"dt", ElementType::f8}}};
}

TEST(ImageGrid, IsOverTheDimensionsOfTheVariableThatHasMost) {
  const ImageGrid grid = grid_of(description());
  EXPECT_EQ(grid.dimensions, (Names{"z", "y", "x"}));
  EXPECT_EQ(grid.shape, (std::array<std::int64_t, 3>{2, 3, 4}));
  EXPECT_EQ(grid.origin, (Numbers{0, 0, 0}));
  EXPECT_EQ(grid.spacing, (Numbers{1, 1, 1}));
}

TEST(ImageGrid, OfFewerDimensionsHasOnesBeforeThem) {
  const DatasetDescription plane{
      .dimensions = {{"time", unlimited}, {"y", 3}, {"x", 4}},
      .variables = {{"u", ElementType::f4, {"time", "y", "x"}}},
      .attributes = {{"origin", std::span<const double>(std::array{0.25, -1.0})},
                     {"spacing", std::span<const std::int16_t>(std::array<std::int16_t, 2>{3, 2})}}};
  const ImageGrid grid = grid_of(plane);
  EXPECT_EQ(grid.dimensions, (Names{"y", "x"}));
  EXPECT_EQ(grid.shape, (std::array<std::int64_t, 3>{1, 3, 4}));
  EXPECT_EQ(grid.origin, (Numbers{0, 0.25, -1}));
  EXPECT_EQ(grid.spacing, (Numbers{1, 3, 2}));
}

TEST(ImageGrid, WithoutDimensionsIsOnePoint) {
  for (const DatasetDescription& none :
       {DatasetDescription(), DatasetDescription{.variables = {{"dt", ElementType::f8}}},
        DatasetDescription{.dimensions = {{"time", unlimited}}, .variables = {{"time", ElementType::f8, {"time"}}}}}) {
    const ImageGrid grid = grid_of(none);
    EXPECT_TRUE(grid.dimensions.empty());
    EXPECT_EQ(grid.shape, (std::array<std::int64_t, 3>{1, 1, 1}));
    for (const Variable& each : none.variables) EXPECT_EQ(components_of(none, each, grid), 1);
  }
}

TEST(ImageGrid, ComponentsAreOfOneDimensionBehindIt) {
  const DatasetDescription all = description();
  const ImageGrid grid = grid_of(all);
  const auto components = [&](const char* name) {
    return components_of(all, all.variables[all.variable_named(name)], grid);
  };
  EXPECT_EQ(components("u"), 1);
  EXPECT_EQ(components("mask"), 1);
  EXPECT_EQ(components("stress"), 5);
  for (const char* name : {"time", "depth", "turned", "dt"}) EXPECT_FALSE(components(name)) << name;
  DatasetDescription deep = all;
  deep.variables.push_back({"deep", ElementType::f4, {"z", "y", "x", "part", "part"}});
  EXPECT_FALSE(components_of(deep, deep.variables.back(), grid));
}

TEST(ImageGrid, IsPlacedByANumberForEachOfItsDimensions) {
  const auto expect_refused = [](const Attribute& attribute) {
    DatasetDescription wrong = description();
    wrong.attributes = {attribute};
    std::string said;
    EXPECT_TRUE(is_refused(
        ErrorCode::usage, "the attribute " + attribute.name, [&] { (void)grid_of(wrong); }, said))
        << said;
    EXPECT_NE(said.find("3 dimensions"), std::string::npos) << said;
  };
  expect_refused({"origin", std::span<const double>(std::array{1.0, 2.0})});
  expect_refused({"spacing", std::span<const double>(std::array{1.0, 2.0, 3.0, 4.0})});
  expect_refused({"spacing", 1.0F});
  expect_refused({"origin", "1,2"});  // three bytes
  expect_refused({"origin", std::span<const float>()});
}

TEST(ImageFile, OffsetsStayWithin64Bits) {
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  EXPECT_EQ(image::aligned(0), 0);
  EXPECT_EQ(image::aligned(1), 8);
  EXPECT_EQ(image::aligned(8), 8);
  EXPECT_EQ(image::end_of(largest - 1, 1), largest);
  std::string said;
  EXPECT_TRUE(is_refused(
      ErrorCode::usage, "2^63", [] { (void)image::end_of(largest, 1); }, said))
      << said;
  EXPECT_TRUE(is_refused(
      ErrorCode::usage, "2^63", [] { (void)image::aligned(largest - 3); }, said))
      << said;
}

TEST(ImageFile, TextOfXmlHoldsWhatItsParserWouldFold) {
  EXPECT_EQ(image::xml_text("a<b>&\"'\n\r\t\xC3\xA4"), "a&lt;b&gt;&amp;&quot;'&#10;&#13;&#9;\xC3\xA4");
}

}  // namespace
}  // namespace sill::image_file_test
