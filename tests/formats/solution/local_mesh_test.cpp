// Local meshes against a plain computation: places of nodes, triangles that cover the element once.
#include "sill/formats/solution/local_mesh.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"

namespace sill::solution {
namespace {

const Element slanted{{{1, 2, 3}, {4, 2.5, 3}, {0, -7, 1e-3}}};

std::string as_text(std::int64_t bytes, const std::function<void(ByteRange, std::span<std::byte>)>& write) {
  std::string whole(static_cast<std::size_t>(bytes), '#');
  write({0, bytes}, std::as_writable_bytes(std::span(whole)));
  for (std::int64_t begin = 0; begin < bytes; begin += 1 + begin / 20) {
    for (const std::int64_t length : {std::int64_t{1}, std::int64_t{17}, std::int64_t{100}, bytes - begin}) {
      if (begin + length > bytes) continue;
      std::string part(static_cast<std::size_t>(length), '#');
      write({begin, length}, std::as_writable_bytes(std::span(part)));
      EXPECT_EQ(part, whole.substr(static_cast<std::size_t>(begin), part.size()));
    }
  }
  return whole;
}

TEST(LocalMesh, NodesLieInRowsFromAlongABToC) {
  constexpr int s = 4;
  const LocalMesh mesh(s);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::istringstream text(as_text(mesh.nodes() * coordinate_bytes, [&](ByteRange range, std::span<std::byte> bytes) {
      mesh.write_coordinates(slanted, axis, range, bytes);
    }));
    for (int row = 0; row <= s; ++row) {
      for (int column = 0; column <= s - row; ++column) {
        double found = 0;
        ASSERT_TRUE(text >> found);
        const double wanted =
            (slanted[0][axis] * (s - row - column) + slanted[1][axis] * column + slanted[2][axis] * row) / s;
        EXPECT_NEAR(found, wanted, 1e-5 * std::abs(wanted));
      }
    }
    std::string more;
    EXPECT_FALSE(text >> more);
  }
}

TEST(LocalMesh, TrianglesCoverTheElementOnce) {
  for (const std::int64_t s : {1, 2, 5}) {
    const LocalMesh mesh(s);
    // With A = (0, 0), B = (s, 0), C = (0, s), a node lies at its column and row.
    std::vector<std::pair<int, int>> places;
    for (int row = 0; row <= s; ++row) {
      for (int column = 0; column <= s - row; ++column) places.emplace_back(column, row);
    }
    ASSERT_EQ(mesh.nodes(), static_cast<std::int64_t>(places.size()));
    std::istringstream text(as_text(mesh.triangles() * triangle_bytes, [&](ByteRange range, std::span<std::byte> to) {
      mesh.write_triangles(101, range, to);
    }));
    std::set<std::pair<int, int>> middles;  // three times
    for (std::int64_t t = 0; t < s * s; ++t) {
      std::array<std::size_t, 3> nodes{};
      for (std::size_t& node : nodes) ASSERT_TRUE(text >> node);
      for (std::size_t& node : nodes) ASSERT_LT(node -= 101, places.size());
      const auto [ax, ay] = places[nodes[0]];
      const auto [bx, by] = places[nodes[1]];
      const auto [cx, cy] = places[nodes[2]];
      EXPECT_EQ((bx - ax) * (cy - ay) - (cx - ax) * (by - ay), 1);  // of half a square, turning as A, B, C do
      middles.emplace(ax + bx + cx, ay + by + cy);
    }
    EXPECT_EQ(static_cast<std::int64_t>(middles.size()), s * s);
  }
}

TEST(LocalMesh, TextIsAPartOfAnEnsightGeometry) {
  const std::string text = LocalMesh(1).text(slanted);
  EXPECT_EQ(
      text,
      "coordinates\n         3\n 1.00000e+00\n 4.00000e+00\n 0.00000e+00\n 2.00000e+00\n 2.50000e+00\n"
      "-7.00000e+00\n 3.00000e+00\n 3.00000e+00\n 1.00000e-03\ntria3\n         1\n         1         2         3\n");
}

TEST(LocalMesh, ElementsAreReadBackBitForBit) {
  const Element element{{{1.0 / 3, -1e-300, 5e-324}, {-1e97, 0, -0.0}, {std::nextafter(1.0, 2.0), 2, -3}}};
  const std::string line = element_line(element);
  EXPECT_EQ(static_cast<std::int64_t>(line.size()), element_bytes);
  EXPECT_EQ(line.back(), '\n');
  double number = 0;
  EXPECT_EQ(std::sscanf(line.c_str(), "%lf", &number), 1);
  EXPECT_EQ(number, 1.0 / 3);
  EXPECT_EQ(parse_element(line, "x", 1), element);
  EXPECT_THROW((void)parse_element("1 2 3 4 5 6 7 8", "x", 1), Error);
  EXPECT_THROW((void)parse_element("1 2 3 4 5 6 7 8 nan", "x", 1), Error);
}

TEST(LocalMesh, ElementsThatAreNoneAreRefused) {
  EXPECT_NO_THROW(require_element(slanted, 0));
  for (const double wrong : {std::nan(""), std::numeric_limits<double>::infinity(), -1e98}) {
    Element element = slanted;
    element[1][2] = wrong;
    try {
      require_element(element, 17);
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_NE(error.parts().problem.find("coordinate z of corner B of local problem 17"), std::string::npos);
    }
  }
}

}  // namespace
}  // namespace sill::solution
