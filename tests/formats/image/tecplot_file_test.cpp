// Files of Tecplot: places beyond 2^31 elements, coordinates made from any byte on, headers that are read again.
#include "sill/formats/image/tecplot_file.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"

namespace sill::image {
namespace {

DatasetDescription large_grid() {
  return {
      .dimensions = {{"time", unlimited}, {"z", 3000}, {"y", 2000}, {"x", 1000}},
      .variables = {{"p", ElementType::f8, {"time", "z", "y", "x"}}, {"u", ElementType::f4, {"time", "z", "y", "x"}}},
      .attributes = {{"spacing", std::span<const double>(std::array{0.1, 2.0, 0.5})},
                     {"origin", std::span<const double>(std::array{100.0, 0.0, -250.0})}}};
}

TEST(TecplotFile, ElementsBeyondTwoToThe31HaveTheirPlaces) {
  const TecplotFile file = tecplot_file_of(large_grid());
  constexpr std::int64_t points = 6'000'000'000;
  EXPECT_EQ(file.coordinates.type, ElementType::f8);  // 0.1 is no float
  EXPECT_EQ(file.coordinates.elements(), 3 * points);
  const auto header = std::ssize(file.file.texts.front().bytes);
  EXPECT_EQ(file.file.begins[0], header + 24 * points);
  EXPECT_EQ(file.file.begins[1], header + 32 * points);
  EXPECT_EQ(file.end, header + 36 * points);
  // The last point, coordinate by coordinate.
  for (const auto& [block, value] : {std::pair(1, -250 + 999 * 0.5), {2, 1999 * 2.0}, {3, 100 + 2999 * 0.1}}) {
    const CoordinateEncoder encoder(file.coordinates, block * points - 1);
    std::array<std::byte, 8> bytes{};
    encoder.fill({0, 8}, bytes);
    EXPECT_EQ(load<double>(bytes.data(), ByteOrder::little), value);
  }
}

TEST(TecplotFile, CoordinatesAreTheSameFromAnyByteOn) {
  DatasetDescription small = large_grid();
  for (std::size_t d = 1; d < 4; ++d) small.dimensions[d].length = static_cast<std::int64_t>(d) + 1;
  for (const double spacing : {0.1, 0.5}) {
    small.attributes[0] = {"spacing", std::span<const double>(std::array{spacing, 2.0, 0.5})};
    const PointCoordinates coordinates = tecplot_file_of(small).coordinates;
    EXPECT_EQ(coordinates.type, spacing == 0.5 ? ElementType::f4 : ElementType::f8);
    const std::int64_t bytes = coordinates.elements() * bytes_of(coordinates.type);
    std::vector<std::byte> all(static_cast<std::size_t>(bytes));
    CoordinateEncoder(coordinates, 0).fill({0, bytes}, all);
    for (std::int64_t first = 0; first < coordinates.elements(); first += 5) {
      const CoordinateEncoder encoder(coordinates, first);
      const std::int64_t begin = first * bytes_of(coordinates.type);
      for (std::int64_t at = 0; at < 9 && begin + at + 7 <= bytes; ++at) {
        std::array<std::byte, 7> part{};
        encoder.fill({at, 7}, part);
        EXPECT_EQ(std::memcmp(part.data(), all.data() + begin + at, 7), 0) << first << " " << at;
      }
    }
  }
}

TEST(TecplotFile, AHeaderIsReadAgainWhateverItsValues) {
  const DatasetDescription description = large_grid();
  const TecplotFile file = tecplot_file_of(description, {{{-1.5, 2.5}, {}}, 7.25});
  const std::string& text = file.file.texts.front().bytes;
  const auto parse = [&](std::string bytes, std::int64_t size) {
    return parse_tecplot(std::as_bytes(std::span(bytes)), size, "a.plt");
  };
  const auto found = parse(text, file.end);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->description, description);
  EXPECT_EQ(found->begins, file.file.begins);
  EXPECT_FALSE(parse(text.substr(0, text.size() / 2), file.end));  // more is needed
  EXPECT_THROW((void)parse(text, file.end - 1), Error);
  EXPECT_THROW((void)parse(text, file.end + 1), Error);
  for (const std::size_t at : {std::size_t{9}, std::size_t{20}, text.size() - 90}) {
    std::string damaged = text;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_THROW((void)parse(damaged, file.end), Error) << at;
  }
}

}  // namespace
}  // namespace sill::image
