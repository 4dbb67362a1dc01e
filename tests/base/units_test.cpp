// Sizes, rates, durations and counts.
#include "sill/base/units.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "sill/base/error.hpp"

namespace sill {
namespace {

TEST(Units, SizesArePowersOf1024) {
  EXPECT_EQ(parse_bytes("0"), 0);
  EXPECT_EQ(parse_bytes("123"), 123);
  EXPECT_EQ(parse_bytes("123B"), 123);
  EXPECT_EQ(parse_bytes("256K"), 256 * 1024);
  EXPECT_EQ(parse_bytes("64m"), 64 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("64MB"), 64 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("64 MiB"), 64 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("1G"), 1024 * 1024 * 1024);
  EXPECT_EQ(parse_bytes("1.5G"), 1536LL * 1024 * 1024);
  EXPECT_EQ(parse_bytes(".5k"), 512);
  EXPECT_EQ(parse_bytes("2T"), std::int64_t{1} << 41);
  EXPECT_EQ(parse_bytes("0.3K"), 307);
  EXPECT_EQ(parse_bytes("0.0"), 0);
  EXPECT_EQ(parse_bytes("12.0"), 12);
  EXPECT_EQ(parse_bytes("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
}

TEST(Units, SizesArePrintedAsTheyAreRead) {
  for (const char* text : {"0", "1", "1000", "1023", "1K", "1025", "256K", "1M", "16M", "1G", "4T", "1023T", "4096T"}) {
    EXPECT_EQ(exact_bytes(parse_bytes(text)), text);
  }
  EXPECT_EQ(exact_bytes(1536 * 1024), "1536K");
  EXPECT_EQ(exact_bytes(std::numeric_limits<std::int64_t>::max()), "9223372036854775807");
  EXPECT_EQ(exact_bytes(-2048), "-2K");
}

TEST(Units, WrongSizesAreUsageErrorsThatNameThem) {
  for (const char* text : {"",           "K",
                           ".",          "M64",
                           "-1",         "+1",
                           "1X",         "1KK",
                           "1 0",        "1e3",
                           "0x10",       "1.2.3",
                           "1iB",        "9223372036854775808",
                           "8388608T",   "9007199254740992K",
                           "1.1234567M", "12,5M",
                           "0.1",        "1000.5",
                           "1.5B",       ".0001K"}) {
    try {
      const std::int64_t bytes = parse_bytes(text, "--memory");
      FAIL() << text << " gave " << bytes;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage) << text;
      EXPECT_NE(error.parts().problem.find("--memory '" + std::string(text) + "'"), std::string::npos)
          << error.parts().problem;
    }
  }
  EXPECT_EQ(parse_bytes("8388607T"), std::int64_t{8388607} << 40);
}

TEST(Units, BytesInPowersOf1000) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(999), "999 B");
  EXPECT_EQ(format_bytes(1000), "1.0 kB");
  EXPECT_EQ(format_bytes(1549), "1.5 kB");
  EXPECT_EQ(format_bytes(999'949), "999.9 kB");
  EXPECT_EQ(format_bytes(999'951), "1.0 MB");
  EXPECT_EQ(format_bytes(998'403'600), "998.4 MB");
  EXPECT_EQ(format_bytes(1'000'000'000), "1.0 GB");
  EXPECT_EQ(format_bytes(std::numeric_limits<std::int64_t>::max()), "9.2 EB");
  EXPECT_EQ(format_bytes(-1500), "-1.5 kB");
}

TEST(Units, Rates) {
  EXPECT_EQ(format_rate(1'224'000'000, 2.0), "612.0 MB/s");
  EXPECT_EQ(format_rate(10, 1.0), "10 B/s");
  EXPECT_EQ(format_rate(10, 0.0), "-");
}

TEST(Units, ShortTimes) {
  EXPECT_EQ(format_short_time(0.0), "0 ns");
  EXPECT_EQ(format_short_time(1.7e-10), "0.17 ns");
  EXPECT_EQ(format_short_time(999.4e-9), "999 ns");
  EXPECT_EQ(format_short_time(999.6e-9), "1 us");
  EXPECT_EQ(format_short_time(2.6e-6), "2.6 us");
  EXPECT_EQ(format_short_time(1.024e-3), "1.02 ms");
  EXPECT_EQ(format_short_time(0.9996), "1 s");
  EXPECT_EQ(format_short_time(12.34), "12.3 s");
  EXPECT_EQ(format_short_time(1234.0), "20 min 34 s");
}

TEST(Units, Durations) {
  EXPECT_EQ(format_duration(0.0), "0 ms");
  EXPECT_EQ(format_duration(-1.0), "0 ms");
  EXPECT_EQ(format_duration(0.035), "35 ms");
  EXPECT_EQ(format_duration(0.9994), "999 ms");
  EXPECT_EQ(format_duration(0.9996), "1.0 s");
  EXPECT_EQ(format_duration(12.34), "12.3 s");
  EXPECT_EQ(format_duration(59.94), "59.9 s");
  EXPECT_EQ(format_duration(59.96), "1 min 00 s");
  EXPECT_EQ(format_duration(125.2), "2 min 05 s");
  EXPECT_EQ(format_duration(3599.6), "1 h 00 min");
  EXPECT_EQ(format_duration(3720.0), "1 h 02 min");
  EXPECT_EQ(format_duration(90000.0), "25 h 00 min");
}

TEST(Units, Counts) {
  EXPECT_EQ(format_count(0), "0");
  EXPECT_EQ(format_count(999), "999");
  EXPECT_EQ(format_count(1000), "1,000");
  EXPECT_EQ(format_count(1234567), "1,234,567");
  EXPECT_EQ(format_count(-1234567), "-1,234,567");
  EXPECT_EQ(format_count(-123), "-123");
  EXPECT_EQ(format_count(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

}  // namespace
}  // namespace sill
