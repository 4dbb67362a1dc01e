// Words that count, against plain loops over all traces.
#include "sill/survey/select/regular_numbers.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace sill {
namespace {

// What is found of a list of values, and how many of them were looked at.
struct Found {
  std::optional<Counting> counting;
  std::int64_t looks = 0;
};
Found found_in(const std::vector<std::int64_t>& values) {
  Found found;
  found.counting = counting_of(std::ssize(values), [&](std::int64_t trace) {
    ++found.looks;
    return values.at(static_cast<std::size_t>(trace));
  });
  return found;
}

std::vector<std::int64_t> counted(const Counting& counting, std::int64_t count) {
  std::vector<std::int64_t> values;
  for (std::int64_t trace = 0; trace < count; ++trace) values.push_back(counting.value_of(trace));
  return values;
}

TEST(RegularNumbers, AreFoundWhateverRunsStepsAndRepetitions) {
  std::mt19937_64 dice(5);
  const auto between = [&](std::int64_t low, std::int64_t high) {
    return std::uniform_int_distribution<std::int64_t>(low, high)(dice);
  };
  for (int i = 0; i < 2000; ++i) {
    const Counting wanted{between(-1000, 1000), between(0, 1) == 0 ? between(1, 9) : -between(1, 9), between(1, 40),
                          between(2, 40)};
    const std::int64_t count = wanted.period() * between(1, 12);
    const Found found = found_in(counted(wanted, count));
    ASSERT_TRUE(found.counting);
    ASSERT_EQ(*found.counting, wanted);
    ASSERT_LE(static_cast<double>(found.looks), 4 * std::log2(static_cast<double>(count)) + 8);
  }
}

TEST(RegularNumbers, OfValuesThatRepeatNotToTheEndThereAreNone) {
  for (const Counting& counting : {Counting{5, 1, 7, 30}, Counting{5, -2, 1, 60}, Counting{0, 3, 20, 9}}) {
    const std::vector<std::int64_t> all = counted(counting, counting.period() * 4);
    for (const std::int64_t fewer : {std::int64_t{1}, counting.period() / 2 + 1, counting.period() - 1}) {
      const std::vector<std::int64_t> cut(all.begin(), all.end() - fewer);
      EXPECT_FALSE(found_in(cut).counting);
    }
  }
  EXPECT_FALSE(found_in({}).counting);
  EXPECT_FALSE(found_in({3}).counting);
  EXPECT_FALSE(found_in(std::vector<std::int64_t>(500, 3)).counting);
}

TEST(RegularNumbers, AnyValuesAtAllEndTheSearch) {
  std::mt19937_64 dice(6);
  for (int i = 0; i < 500; ++i) {
    std::vector<std::int64_t> values(1 + dice() % 300);
    for (std::int64_t& value : values) value = static_cast<std::int64_t>(dice() % 4) - 2;
    const Found found = found_in(values);
    EXPECT_LE(found.looks, 80);
    if (!found.counting) continue;
    EXPECT_EQ(std::ssize(values) % found.counting->period(), 0);
    EXPECT_NE(found.counting->step, 0);
  }
}

TEST(RegularNumbers, TellLinesRunsAndPeriods) {
  const segy::WordRef iline{"iline", 189, {segy::WordKind::signed_integer, 4}};
  const segy::WordRef xline{"xline", 193, {segy::WordKind::signed_integer, 4}};
  const segy::WordRef shot{"shot", 29, {segy::WordKind::unsigned_integer, 2}};
  // 6 inlines, 10 crosslines, 4 traces each
  const Counting slow{100, 2, 40, 6};
  const Counting fast{-7, -1, 4, 10};
  const Counting within{65530, 1, 1, 4};
  const RegularNumbers lines(240, {iline}, {slow});
  EXPECT_EQ(lines.line(), 40);
  EXPECT_EQ(lines.run(), 40);
  EXPECT_EQ(lines.period(), 240);
  const RegularNumbers places(240, {xline}, {fast});
  EXPECT_EQ(places.line(), 40);
  EXPECT_EQ(places.run(), 4);
  EXPECT_EQ(places.period(), 40);
  const RegularNumbers all(240, {iline, xline, shot}, {slow, fast, within});
  EXPECT_EQ(all.line(), 4);
  EXPECT_EQ(all.run(), 1);
  EXPECT_EQ(all.period(), 240);
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise}) {
    std::vector<std::byte> header(240);
    for (const std::int64_t trace : {0, 3, 41, 239}) {
      all.put(trace, header.data(), order);
      EXPECT_TRUE(all.hold(trace, header.data(), order));
      EXPECT_FALSE(all.hold((trace + 40) % 240, header.data(), order));
      EXPECT_EQ(integer_of(iline, header.data(), order), 100 + 2 * (trace / 40));
      EXPECT_EQ(integer_of(xline, header.data(), order), -7 - trace / 4 % 10);
      EXPECT_EQ(integer_of(shot, header.data(), order), 65530 + trace % 4);
    }
  }
}

}  // namespace
}  // namespace sill
