// Weighing where traces lie, by the size of a file and sampled headers.
#include "sill/formats/segy/detect/layout_candidates.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace sill::segy {
namespace {

/// Headers of `count` traces of 10 samples of 4 bytes from byte 3600 on.
HeadersByPlace ten_samples(int count, ByteOrder order = ByteOrder::big) {
  HeadersByPlace headers;
  for (int i = 0; i < count; ++i) {
    auto& header = headers[3600 + 280 * std::int64_t{i}];
    store(header.data(), std::int32_t{i + 1}, order);
    store(header.data() + 114, std::uint16_t{10}, order);
    store(header.data() + 116, std::uint16_t{2000}, order);
  }
  return headers;
}

constexpr std::int64_t file_bytes = 3600 + 9 * 280;

TEST(Candidates, PlacesAreThoseOfTheFirstTheMiddleAndTheLastTrace) {
  const Candidate candidate{ByteOrder::big, 3600, 1, 10, 4, 0};
  EXPECT_EQ(candidate.traces(file_bytes), 9);
  EXPECT_EQ(candidate.remainder_bytes(file_bytes), 0);
  EXPECT_EQ(candidate.sampled_places(file_bytes), (std::vector<std::int64_t>{3600, 3600 + 4 * 280, 3600 + 8 * 280}));
  EXPECT_EQ(candidate.sampled_places(3600 + 300), std::vector<std::int64_t>{3600});
  EXPECT_TRUE(candidate.sampled_places(3600 + 279).empty());
  EXPECT_EQ(candidate.remainder_bytes(3599), -1);
  EXPECT_TRUE(candidate.sampled_places(100).empty());
}

TEST(Candidates, WhatAgreesCounts) {
  const HeadersByPlace headers = ten_samples(9);
  const Weight best = weigh({ByteOrder::big, 3600, 1, 10, 4, 0}, file_bytes, 2000, headers);
  EXPECT_EQ(best.points, 4 + 3 * (3 + 1 + 2));
  EXPECT_TRUE(best.divides);
  EXPECT_EQ(best.agree, 3);
  EXPECT_EQ(best.contradict, 0);
  const Weight other_samples = weigh({ByteOrder::big, 3600, 1, 11, 4, 0}, file_bytes, 2000, headers);
  EXPECT_FALSE(other_samples.divides);
  EXPECT_EQ(other_samples.contradict, 1);  // elsewhere there is no header
  EXPECT_LT(other_samples.points, 0);
  const Weight transformed = weigh({ByteOrder::little, 3600, 1, 10, 4, 0}, file_bytes, 2000, headers);
  EXPECT_EQ(transformed.contradict, 3);
  const Weight cut = weigh({ByteOrder::big, 3600, 1, 10, 4, 0}, file_bytes - 1, 2000, headers);
  EXPECT_EQ(cut.points, best.points - 8);
}

TEST(Candidates, TextIsNoTraceHeader) {
  HeadersByPlace headers = ten_samples(9);
  headers[3600].fill(std::byte{0x40});
  const Weight weight = weigh({ByteOrder::big, 3600, 1, 10, 4, 0}, file_bytes, 2000, headers);
  EXPECT_TRUE(weight.first_is_text);
  EXPECT_EQ(weight.points, 4 - 2 - 4 + 2 * 6);
  // Blanks that state the right number of samples are a trace header.
  store(headers[3600].data() + 114, std::uint16_t{10}, ByteOrder::big);
  EXPECT_FALSE(weigh({ByteOrder::big, 3600, 1, 10, 4, 0}, file_bytes, 2000, headers).first_is_text);
}

TEST(Candidates, NoSizeOverflows) {
  constexpr std::int64_t max = std::numeric_limits<std::int64_t>::max();
  const Candidate widest{ByteOrder::big, 3600, 32768, std::numeric_limits<std::uint32_t>::max(), 8, 0};
  EXPECT_EQ(widest.traces(1 << 20), 0);
  EXPECT_GT(widest.traces(max), 0);
  EXPECT_EQ(widest.sampled_places(max).size(), 3U);
  EXPECT_FALSE(weigh(widest, max, 2000, {}).points > 4);
}

}  // namespace
}  // namespace sill::segy
