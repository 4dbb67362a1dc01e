// What the encoder makes of three arrays, against a loop over points that swaps the bytes of each float by hand.
#include "sill/formats/surface/interleaved_plane.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/surface/surface_file.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "support/any_number.hpp"

namespace sill::surface {
namespace {

using test::Bytes;

// Floats of any bits, infinities and signalling NaNs among them.
std::vector<float> any_floats(std::int64_t count, std::uint64_t seed) {
  const Bytes bytes = test::pattern(4 * count, seed);
  std::vector<float> floats(static_cast<std::size_t>(count));
  std::memcpy(floats.data(), bytes.data(), bytes.size());
  return floats;
}

Bytes point_by_point(const Box& part, const Box& stored, const std::array<std::vector<float>, 3>& arrays,
                     PointOrder order) {
  Bytes bytes;
  for (std::int64_t z = part.first[2]; z < part.first[2] + part.count[2]; ++z) {
    for (std::int64_t y = part.first[1]; y < part.first[1] + part.count[1]; ++y) {
      for (std::int64_t x = part.first[0]; x < part.first[0] + part.count[0]; ++x) {
        const std::int64_t place =
            order == PointOrder::z_fastest
                ? ((x - stored.first[0]) * stored.count[1] + (y - stored.first[1])) * stored.count[2] + z -
                      stored.first[2]
                : ((z - stored.first[2]) * stored.count[1] + (y - stored.first[1])) * stored.count[0] + x -
                      stored.first[0];
        for (const std::vector<float>& component : arrays) {
          std::uint32_t bits = 0;
          std::memcpy(&bits, &component[static_cast<std::size_t>(place)], 4);
          for (unsigned shift = 32; shift > 0; shift -= 8) bytes.push_back(static_cast<std::byte>(bits >> (shift - 8)));
        }
      }
    }
  }
  return bytes;
}

TEST(InterleavedPlane, IsThePlanePointByPoint) {
  EXPECT_TRUE(rc::check([] {
    const auto fixed = static_cast<std::size_t>(test::any_number(0, 2));
    Box part{Index(3), Index(3)};
    Box stored{Index(3), Index(3)};
    for (std::size_t d = 0; d < 3; ++d) {
      part.first[d] = test::any_number(-3, 5);
      part.count[d] = d == fixed ? 1 : test::any_number(1, 70);  // more than a tile
      stored.first[d] = part.first[d] - test::any_number(0, 2);
      stored.count[d] = part.first[d] + part.count[d] - stored.first[d] + test::any_number(0, 2);
    }
    const std::array<std::vector<float>, 3> arrays{any_floats(stored.items(), 1), any_floats(stored.items(), 2),
                                                   any_floats(stored.items(), 3)};
    const PointOrder order = test::any_number(0, 1) == 0 ? PointOrder::z_fastest : PointOrder::x_fastest;
    const InterleavedPlane plane(
        plane_arrays(part, stored, {arrays[0].data(), arrays[1].data(), arrays[2].data()}, order));
    const Bytes expected = point_by_point(part, stored, arrays, order);

    // In pieces that end anywhere, also within a float; each by itself, and in any order.
    const auto bytes = static_cast<std::int64_t>(expected.size());
    std::vector<std::int64_t> cuts{0, bytes};
    const std::int64_t pieces = test::any_number(0, 6);
    for (std::int64_t i = 0; i < pieces; ++i) cuts.push_back(test::any_number(0, bytes));
    std::sort(cuts.begin(), cuts.end());
    Bytes made(expected.size());
    for (std::size_t i = cuts.size() - 1; i > 0; --i) {
      const ByteRange piece{cuts[i - 1], cuts[i] - cuts[i - 1]};
      plane.fill(piece, std::span(made).subspan(static_cast<std::size_t>(piece.offset),
                                                static_cast<std::size_t>(piece.length)));
    }
    RC_ASSERT(made == expected);
  }));
}

TEST(InterleavedPlane, ABoxThatIsNoPlaneIsRefused) {
  const Box box{{0, 0, 0}, {2, 2, 2}};
  const std::vector<float> floats(8);
  const auto error = test::thrown([&] { (void)plane_arrays(box, box, {floats.data(), floats.data(), floats.data()}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
}

}  // namespace
}  // namespace sill::surface
