// Assignments to words: what they set, what they refuse and where they point.
#include "sill/formats/segy/expression/assignment.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <bit>

#include "sill/base/error.hpp"
#include "sill/formats/segy/samples/rescaling.hpp"
#include "store/thrown.hpp"

namespace sill::segy {
namespace {

using Header = std::array<std::byte, 240>;

std::vector<Assignment> parsed(const std::string& text, std::span<const ExpressionColumn> columns = {}) {
  return parse_assignments(std::vector<std::string>{text}, HeaderMap::standard(), columns);
}

void put(Header& header, std::string_view word, std::int64_t value) {
  const WordRef ref = parse_word(word);
  write_word(header.data(), ref.byte, ref.type, ByteOrder::big, {value}, ref.name);
}

std::string text_of(const Header& header, std::string_view word) {
  const WordRef ref = parse_word(word);
  return read_word(header.data(), ref.byte, ref.type, ByteOrder::big).text();
}

Header applied(const std::vector<Assignment>& assignments, const Header& old, const std::int64_t* columns = nullptr) {
  Header fresh = old;
  for (const Assignment& assignment : assignments)
    assignment.apply({.header = old.data(), .trace = 12, .columns = columns}, fresh.data());
  return fresh;
}

TEST(Assignment, AllFromTheValuesBefore) {
  Header old{};
  put(old, "sx", 3);
  put(old, "gx", 70);
  const Header fresh = applied(parsed(" sx = gx ,gx=sx, cdp=max(sx, gx)+trace"), old);
  EXPECT_EQ(text_of(fresh, "sx"), "70");
  EXPECT_EQ(text_of(fresh, "gx"), "3");
  EXPECT_EQ(text_of(fresh, "cdp"), "82");
  for (std::size_t i = 88; i < fresh.size(); ++i) EXPECT_EQ(fresh[i], old[i]) << i;
}

TEST(Assignment, NumbersBecomeWhatTheWordHolds) {
  const Header old{};
  EXPECT_EQ(text_of(applied(parsed("cdp=4/2"), old), "cdp"), "2");
  EXPECT_EQ(text_of(applied(parsed("@201:f4=16777217"), old), "@201:f4"), "16777216");
  EXPECT_EQ(text_of(applied(parsed("@201:ibm4=1/4"), old), "@201:ibm4"), "0.25");
  EXPECT_EQ(text_of(applied(parsed("@201:a4='AB'"), old), "@201:a4"), "AB");
  for (const char* text : {"cdp=1/2", "trid=40000", "ns=0-1", "cdp=1e300", "cdp=1e300*1e300", "@201:ibm4=1e300"}) {
    const auto error = test::thrown([&] { (void)applied(parsed(text), old); });
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->code(), ErrorCode::input) << text;
  }
}

TEST(Assignment, ErrorsPointAtThePlace) {
  struct Wrong {
    const char* text;
    int column;
    const char* stated;
  };
  for (const Wrong& wrong : {Wrong{"cdp=1,cdpt=cdp > 1", 11, "condition"},
                             {"cdp=1,@22:i2=1", 6, "bytes in common"},
                             {"cdp", 0, "no = follows"},
                             {"cdp==1", 3, "compares"},
                             {"cdp='A'", 4, "stores a number"},
                             {"@1:a4=1", 6, "stores text"},
                             {"trace=1", 0, "trace"},
                             {"cdp=1;", 5, "operator"},
                             {"cdp=1,", 6, "word"},
                             {"", 0, "word"},
                             {"cdp=x", 4, "x"}}) {
    const auto error = test::thrown([&] { (void)parsed(wrong.text); });
    ASSERT_TRUE(error) << wrong.text;
    EXPECT_EQ(error->code(), ErrorCode::usage) << wrong.text;
    const std::string& problem = error->parts().problem;
    EXPECT_NE(problem.find(wrong.stated), std::string::npos) << wrong.text << ": " << problem;
    const std::string caret = problem.substr(problem.rfind('\n') + 1);
    EXPECT_EQ(caret.find('^'), static_cast<std::size_t>(4 + wrong.column)) << wrong.text << ": " << problem;
  }
}

TEST(Assignment, ColumnsOfATable) {
  const std::vector<ExpressionColumn> columns{{"x", ValueKind::integer},
                                              {"sx", ValueKind::real},
                                              {"bad", ValueKind::integer, "line 3 has 'a'"},
                                              {"my y", ValueKind::real}};
  std::vector<Assignment> assignments = parsed("cdp=x+1,gx=round(column(SX)),@201:f8=column('my y')", columns);
  EXPECT_EQ(place_columns(assignments, columns), (std::vector<int>{0, 1, 3}));
  const std::array<std::int64_t, 3> row{41, std::bit_cast<std::int64_t>(2.75), std::bit_cast<std::int64_t>(0.1)};
  const Header fresh = applied(assignments, {}, row.data());
  EXPECT_EQ(text_of(fresh, "cdp"), "42");
  EXPECT_EQ(text_of(fresh, "gx"), "3");
  EXPECT_EQ(text_of(fresh, "@201:f8"), "0.1");
  for (const char* text : {"gx=sx", "gx=bad", "gx=column(nix)", "gx=column(x", "gx=column('x'", "gx=my"})
    EXPECT_TRUE(test::thrown([&] { (void)parsed(text, columns); })) << text;
}

TEST(Rescaling, KeepsTrueValuesExactly) {
  for (const auto& [before, after, stored, wanted] : {std::array<std::int64_t, 4>{-100, -10, 1230, 123},
                                                      {0, -100, -7, -700},
                                                      {10, 1, 5, 50},
                                                      {-10000, 100, 5000000, 5},
                                                      {7, 1, 3, 21},
                                                      {-32768, 1, 65536, 2}}) {
    Header old{};
    put(old, "scalco", before);
    for (const char* word : {"sx", "sy", "gx", "gy", "cdpx", "cdpy"}) put(old, word, stored);
    Header fresh = old;
    Rescaling::parse(fmt::format("coordinates={}", after)).apply({.header = old.data()}, fresh.data());
    EXPECT_EQ(text_of(fresh, "scalco"), std::to_string(after));
    for (const char* word : {"sx", "sy", "gx", "gy", "cdpx", "cdpy"})
      EXPECT_EQ(text_of(fresh, word), std::to_string(wanted)) << word;
  }
}

TEST(Rescaling, TakesAllWordsOfAScalarAndNoOthers) {
  const auto bytes = [](const Rescaling& rescaling) {
    std::vector<int> of_words;
    for (const WordRef& word : rescaling.words()) of_words.push_back(word.byte);
    return of_words;
  };
  EXPECT_EQ(bytes(Rescaling::parse(" Elevations = -10 ")), (std::vector<int>{69, 41, 45, 49, 53, 57, 61, 65}));
  EXPECT_EQ(bytes(Rescaling::parse("coordinates=1")), (std::vector<int>{71, 73, 77, 81, 85, 181, 185}));
  EXPECT_EQ(bytes(Rescaling::parse("coordinates=1", HeaderMap::preset("su"))), (std::vector<int>{71, 73, 77, 81, 85}));
}

TEST(Rescaling, RefusesWhatWouldBeLost) {
  Header old{};
  put(old, "scalco", 1);
  put(old, "gy", 2147483647);
  for (const char* text : {"coordinates=10", "coordinates=-10"}) {
    Header fresh = old;
    const auto error = test::thrown([&] { Rescaling::parse(text).apply({.header = old.data()}, fresh.data()); });
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->code(), ErrorCode::input);
    EXPECT_NE(error->parts().problem.find("gy is 2147483647"), std::string::npos) << error->what();
  }
  for (const char* text : {"", "coordinates", "coordinates=", "coordinates=20", "coordinates=1x", "sx=1"})
    EXPECT_TRUE(test::thrown([&] { (void)Rescaling::parse(text); })) << text;
}

}  // namespace
}  // namespace sill::segy
