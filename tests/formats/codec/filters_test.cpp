// Compression and filters: round trips, published checksums, damaged bytes.
#include "sill/formats/codec/filters.hpp"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "sill/formats/codec/compressor.hpp"

namespace sill {
namespace {

using Bytes = std::vector<std::byte>;

Bytes bytes_of(std::string_view text) {
  const auto all = std::as_bytes(std::span(text));
  return {all.begin(), all.end()};
}

TEST(Crc32c, HasThePublishedValues) {  // RFC 3720, B.4
  EXPECT_EQ(crc32c_of(Bytes(32)), 0x8a9136aaU);
  EXPECT_EQ(crc32c_of(Bytes(32, std::byte{0xff})), 0x62a8ab43U);
  EXPECT_EQ(crc32c_of(bytes_of("123456789")), 0xe3069283U);
}

TEST(Filters, ReverseWhatWasCompressed) {
  Bytes raw(100000);
  for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = static_cast<std::byte>(i * i / 1000);
  const std::array<std::pair<Compression, Filter::Kind>, 3> all{{{Compression::gzip, Filter::Kind::gzip},
                                                                 {Compression::zlib, Filter::Kind::zlib},
                                                                 {Compression::zstd, Filter::Kind::zstd}}};
  for (const auto& [compression, kind] : all) {
    Compressor compressor(compression, 5);
    Bytes packed(compressor.max_bytes(raw.size()));
    packed.resize(*compressor.compress(raw, packed));
    EXPECT_LT(packed.size(), raw.size());
    const std::array filters{Filter{.kind = kind}};
    Bytes found(raw.size());
    EXPECT_FALSE(unfiltered(filters, packed, found));
    EXPECT_EQ(found, raw);
    Bytes longer(raw.size() + 1);
    EXPECT_TRUE(unfiltered(filters, packed, longer));
    Bytes shorter(raw.size() - 1);
    EXPECT_TRUE(unfiltered(filters, packed, shorter));
    packed.resize(packed.size() / 2);
    EXPECT_TRUE(unfiltered(filters, packed, found));
  }
}

TEST(Filters, DecompressAllMembersOfGzip) {  // RFC 1952, 2.2
  Compressor compressor(Compression::gzip, 5);
  Bytes packed(200);
  std::size_t end = *compressor.compress(bytes_of("abc"), packed);
  end += *compressor.compress(bytes_of("defg"), std::span(packed).subspan(end));
  Bytes found(7);
  const std::array filters{Filter{.kind = Filter::Kind::gzip}};
  EXPECT_FALSE(unfiltered(filters, std::span(packed).first(end), found));
  EXPECT_EQ(found, bytes_of("abcdefg"));
}

TEST(Filters, CheckAndUnshuffle) {
  const Bytes raw = bytes_of("abcdefghij");  // elements of 4 bytes, and 2 bytes more
  Bytes packed(raw.size());
  shuffle(raw, 4, packed);
  EXPECT_EQ(packed, bytes_of("aebfcgdhij"));
  const std::uint32_t sum = crc32c_of(packed);
  packed.resize(packed.size() + 4);
  std::memcpy(packed.data() + 10, &sum, 4);
  const std::array filters{Filter{.kind = Filter::Kind::shuffle, .element_bytes = 4},
                           Filter{.kind = Filter::Kind::crc32c}};
  Bytes found(raw.size());
  EXPECT_FALSE(unfiltered(filters, packed, found));
  EXPECT_EQ(found, raw);
  packed[0] ^= std::byte{1};
  EXPECT_EQ(unfiltered(filters, packed, found), "its checksum differs");
  EXPECT_TRUE(unfiltered(filters, std::span(packed).first(3), found));
}

TEST(Filters, RoundToNearestEven) {
  const auto rounded = [](auto value, int bits, auto kept) {
    auto values = std::array{value};
    round_bits(std::as_writable_bytes(std::span(values)), bits, std::as_bytes(std::span(&kept, 1)));
    return values[0];
  };
  // With 2 bits: 1, 1.25, 1.5, 1.75, 2.
  EXPECT_EQ(rounded(1.1249F, 2, 0.0F), 1.0F);
  EXPECT_EQ(rounded(1.125F, 2, 0.0F), 1.0F);
  EXPECT_EQ(rounded(-1.375F, 2, 0.0F), -1.5F);
  EXPECT_EQ(rounded(1.875, 2, 0.0), 2.0);
  EXPECT_EQ(rounded(1.125F, 2, 1.125F), 1.125F);  // the fill value
  EXPECT_EQ(rounded(1.1F, 23, 0.0F), 1.1F);
  EXPECT_EQ(rounded(1.1, 52, 0.0), 1.1);
  constexpr float most = std::numeric_limits<float>::max();
  EXPECT_EQ(rounded(most, 2, 0.0F), 1.75F * std::ldexp(1.0F, 127));
  EXPECT_EQ(rounded(-std::numeric_limits<double>::infinity(), 3, 0.0), -std::numeric_limits<double>::infinity());
  const std::uint32_t nan = 0x7f800001;  // which would become infinite
  EXPECT_EQ(std::bit_cast<std::uint32_t>(rounded(std::bit_cast<float>(nan), 2, 0.0F)), nan);
}

}  // namespace
}  // namespace sill
