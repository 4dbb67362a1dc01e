// CRC-32 of pieces in any order: zlib's of the whole.
#include "sill/base/crc32.hpp"

#include <gtest/gtest.h>  // before RapidCheck's header for it
#include <rapidcheck.h>
#include <zlib.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace sill {
namespace {

TEST(Crc32, IsThatOfTheStandardsCheck) {
  const std::string_view check = "123456789";
  EXPECT_EQ(crc32_of(std::as_bytes(std::span(check))), 0xCBF43926U);
  EXPECT_EQ(crc32_of({}), 0U);
}

TEST(Crc32, SharesOfPiecesMakeThatOfTheBlock) {
  EXPECT_TRUE(rc::check([] {
    auto bytes = *rc::gen::container<std::vector<std::uint8_t>>(rc::gen::arbitrary<std::uint8_t>());
    const auto cuts = *rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(0, bytes.size() + 1));
    std::vector<std::size_t> ends = cuts;
    ends.push_back(0);
    ends.push_back(bytes.size());
    std::sort(ends.begin(), ends.end());
    const std::vector<std::uint8_t> zeros(bytes.size());
    std::uint32_t sum = crc32_of(std::as_bytes(std::span(zeros)));
    for (std::size_t i = ends.size() - 1; i > 0; --i) {
      const auto piece = std::as_bytes(std::span(bytes)).subspan(ends[i - 1], ends[i] - ends[i - 1]);
      const std::uint32_t first = raw_crc32(0, piece.first(piece.size() / 2));
      sum ^= crc32_share(raw_crc32(first, piece.subspan(piece.size() / 2)),
                         static_cast<std::int64_t>(bytes.size() - ends[i]));
    }
    RC_ASSERT(sum == static_cast<std::uint32_t>(crc32(0, bytes.data(), static_cast<uInt>(bytes.size()))));
  }));
}

}  // namespace
}  // namespace sill
