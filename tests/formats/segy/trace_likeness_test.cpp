// What looks like a trace header of a file.
#include <gtest/gtest.h>

#include <vector>

#include "io/varying_files.hpp"
#include "sill/formats/segy/description/trace_likeness.hpp"

namespace sill::segy {
namespace {

using sill::test::Bytes;

Bytes header(std::int64_t trace, std::int64_t samples, ByteOrder order) {
  sill::test::VaryingFile file;
  file.order = order;
  Bytes bytes(240);
  sill::test::put_header(bytes.data(), file, trace, {samples, 1});
  return bytes;
}

TraceLikeness learned(int headers, ByteOrder order) {
  TraceLikeness likeness;
  for (int i = 0; i < headers; ++i)
    likeness.learn(std::span<const std::byte>(header(i, 100 + i, order)).first<trace_header_bytes>());
  return likeness;
}

TEST(TraceLikeness, HeadersFurtherOnAreLikeTheFirst) {
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise}) {
    const TraceLikeness likeness = learned(32, order);
    for (const std::int64_t trace : {33, 1000, 70000, 20000000})
      EXPECT_TRUE(likeness.is_like(header(trace, 1 + trace % 3000, order).data())) << trace;
  }
}

TEST(TraceLikeness, SamplesZerosAndShiftedHeadersAreNot) {
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little}) {
    const TraceLikeness likeness = learned(32, order);
    EXPECT_FALSE(likeness.is_like(Bytes(240).data()));
    for (std::uint64_t seed = 1; seed < 1000; ++seed)
      ASSERT_FALSE(likeness.is_like(sill::test::pattern(240, seed).data())) << seed;
    Bytes between = sill::test::pattern(240);
    const Bytes one = header(500, 300, order);
    between.insert(between.end(), one.begin(), one.end());
    between.resize(800);
    for (std::size_t at = 4; at < 500; at += 4) EXPECT_EQ(likeness.is_like(between.data() + at), at == 240) << at;
  }
}

TEST(TraceLikeness, AHeaderThatTellsNoLengthIsNotLikeThoseThatDo) {
  Bytes silent = header(40, 300, ByteOrder::big);
  silent[114] = silent[115] = std::byte{0};
  EXPECT_FALSE(learned(32, ByteOrder::big).is_like(silent.data()));
  TraceLikeness likeness = learned(32, ByteOrder::big);
  likeness.learn(std::span<const std::byte>(silent).first<trace_header_bytes>());
  EXPECT_TRUE(likeness.is_like(silent.data()));
}

TEST(TraceLikeness, WithoutAnythingInCommonNothingIsLike) {
  TraceLikeness likeness;
  EXPECT_FALSE(likeness.is_like(header(1, 10, ByteOrder::big).data()));
  likeness.learn(std::span<const std::byte>(Bytes(240)).first<trace_header_bytes>());
  EXPECT_FALSE(likeness.is_like(Bytes(240).data()));
}

}  // namespace
}  // namespace sill::segy
