// Expressions: grammar, kinds, values, and the errors of wrong ones.
#include "sill/formats/segy/expression/expression.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <limits>
#include <string>

#include "sill/base/error.hpp"
#include "sill/formats/segy/words/key.hpp"

namespace sill::segy {
namespace {

using TraceBytes = std::array<std::byte, 240>;

// iline 1200, offset -350, sx 4500 by a scalar of -100, fldr 7.
TraceBytes a_trace() {
  TraceBytes bytes{};
  store(bytes.data() + 188, std::int32_t{1200}, ByteOrder::big);
  store(bytes.data() + 36, std::int32_t{-350}, ByteOrder::big);
  store(bytes.data() + 72, std::int32_t{4500}, ByteOrder::big);
  store(bytes.data() + 70, std::int16_t{-100}, ByteOrder::big);
  store(bytes.data() + 8, std::int32_t{7}, ByteOrder::big);
  return bytes;
}

std::string value_in(std::string_view text, const TraceBytes& bytes = a_trace()) {
  return Expression::parse(text).value({bytes.data(), ByteOrder::big, 2, 15}).text();
}

std::string error_in(std::string_view text) {
  try {
    (void)Expression::parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.parts().problem;
  }
  ADD_FAILURE() << text << " was accepted";
  return {};
}

TEST(Expression, ComputesWithWords) {
  EXPECT_EQ(value_in("iline"), "1200");
  EXPECT_EQ(value_in("  iline + 3 * fldr "), "1221");
  EXPECT_EQ(value_in("(iline + 3) * fldr"), "8421");
  EXPECT_EQ(value_in("iline - 2 - 1"), "1197") << "from left to right";
  EXPECT_EQ(value_in("-iline + 2"), "-1198");
  EXPECT_EQ(value_in("iline-2"), "1198") << "no name of a word has this minus";
  EXPECT_EQ(value_in("abs(offset)"), "350");
  EXPECT_EQ(value_in("min(offset, fldr, 3)"), "-350");
  EXPECT_EQ(value_in("max(offset, fldr, 3)"), "7");
  EXPECT_EQ(value_in("fldr / 2"), "3.5") << "a quotient is a double";
  EXPECT_EQ(value_in("round(fldr / 2)"), "4") << "ties to even";
  EXPECT_EQ(value_in("round(5 / 2)"), "2") << "ties to even";
  EXPECT_EQ(value_in("trace"), "15");
  EXPECT_EQ(value_in("file"), "2");
  EXPECT_EQ(value_in("true(sx)"), "45");
  EXPECT_EQ(value_in("true(sx) * 2"), "90");
  EXPECT_EQ(value_in("2 * @189:i4"), "2400");
  EXPECT_EQ(value_in("1e3"), "1000");
  EXPECT_EQ(value_in(".5 + 1"), "1.5");
  EXPECT_EQ(value_in("INLINE_3D == 1200"), "1");
}

// Names may hold a minus, so of each run of names and minuses the longest name is looked for: not beyond any name.
TEST(Expression, LongRunsOfMinusesAreReadAtOnce) {
  std::string text = "fldr";
  for (int i = 0; i < 900; ++i) text += "-fldr";
  const TraceBytes trace = a_trace();
  const std::clock_t begin = std::clock();
  const Expression expression = Expression::parse(text);
  EXPECT_LT(std::clock() - begin, CLOCKS_PER_SEC) << "processor time; each name used to search all that follows";
  EXPECT_EQ(expression.integer({trace.data(), ByteOrder::big, 1, 1}), 7 - 900 * 7);
}

TEST(Expression, RemainderHasTheSignOfItsDivisor) {
  EXPECT_EQ(value_in("7 % 3"), "1");
  EXPECT_EQ(value_in("-7 % 3"), "2");
  EXPECT_EQ(value_in("7 % -3"), "-2");
  EXPECT_EQ(value_in("-7.5 % 2"), "0.5");
  EXPECT_EQ(value_in("(-9223372036854775807 - 1) % -1"), "0");
}

TEST(Expression, JoinsConditions) {
  EXPECT_EQ(value_in("iline == 1200 and offset < 0"), "1");
  EXPECT_EQ(value_in("iline == 1200 && offset > 0 || fldr == 7"), "1");
  EXPECT_EQ(value_in("fldr == 7 or iline == 1 and offset == 1"), "1") << "and binds more tightly than or";
  EXPECT_EQ(value_in("not fldr == 7"), "0");
  EXPECT_EQ(value_in("!(fldr == 8) AND NOT offset >= 0"), "1");
  EXPECT_EQ(value_in("fldr != 7"), "0");
  EXPECT_EQ(value_in("fldr <= 7 and fldr >= 7"), "1");
  EXPECT_EQ(value_in("fldr != 7 and 1 % 0 == 0"), "0") << "what does not matter is not looked at";
}

TEST(Expression, ComparesNumbersExactly) {
  EXPECT_EQ(value_in("9007199254740993 == 9007199254740992.0"), "0") << "as doubles they would be equal";
  EXPECT_EQ(value_in("9223372036854775807 < 9223372036854775808.0"), "1");
  EXPECT_EQ(value_in("0 / 0 == 0 / 0"), "0");
  EXPECT_EQ(value_in("0 / 0 != fldr"), "1");
  EXPECT_EQ(value_in("min(0 / 0, 1)"), "nan");
  EXPECT_EQ(value_in("max(1, 0 / 0)"), "nan");
}

TEST(Expression, ComparesText) {
  TraceBytes bytes = a_trace();
  for (std::size_t i = 0; i < 4; ++i) bytes[100 + i] = static_cast<std::byte>("LINE"[i]);
  EXPECT_EQ(value_in("@101:a8 == 'LINE'", bytes), "1");
  EXPECT_EQ(value_in("@101:a4 > \"LIND\"", bytes), "1");
  EXPECT_EQ(value_in("@101:a4", bytes), "LINE");
}

TEST(Expression, TakesLists) {
  EXPECT_EQ(value_in("fldr in (1, 7)"), "1");
  EXPECT_EQ(value_in("fldr in (1, 6)"), "0");
  EXPECT_EQ(value_in("fldr IN(7)"), "1");
  EXPECT_EQ(value_in("fldr in (1, 5:7, 20)"), "1") << "both ends are in a range";
  EXPECT_EQ(value_in("fldr in (7:9)"), "1");
  EXPECT_EQ(value_in("fldr in (-8:6, 8 : 20)"), "0");
  EXPECT_EQ(value_in("fldr in (6.5:7.5)"), "1");
  EXPECT_EQ(value_in("fldr in (7.5)"), "0");
  EXPECT_EQ(value_in("fldr + 1 in (2 * 4)"), "1") << "binds like a comparison";
  EXPECT_EQ(value_in("fldr not in (1, 7)"), "0");
  EXPECT_EQ(value_in("fldr not in (1, 6)"), "1");
  EXPECT_EQ(value_in("not fldr in (1, 6)"), "1");
  EXPECT_EQ(value_in("fldr in (7) and iline not in (1201:1300) or 1 % 0 == 0"), "1");
  EXPECT_EQ(value_in("0 / 0 in (1, fldr)"), "0");
  EXPECT_EQ(value_in("0 / 0 not in (1, fldr)"), "1");
  EXPECT_EQ(value_in("fldr in (7, 1 % 0)"), "1") << "what does not matter is not looked at";
  TraceBytes bytes = a_trace();
  for (std::size_t i = 0; i < 4; ++i) bytes[100 + i] = static_cast<std::byte>("LINE"[i]);
  EXPECT_EQ(value_in("@101:a8 in ('A', \"LINE\")", bytes), "1");
  EXPECT_EQ(value_in("@101:a8 not in ('A', 'L')", bytes), "1");
  EXPECT_EQ(Expression::parse("cdp in (1, offset)").needed_bytes(), (ByteRange{20, 20}));
}

TEST(Expression, TakesWhatLiesBetween) {
  EXPECT_EQ(value_in("fldr between 7 and 9"), "1") << "both ends are included";
  EXPECT_EQ(value_in("fldr between 5 and 7"), "1");
  EXPECT_EQ(value_in("fldr between 8 and 9"), "0");
  EXPECT_EQ(value_in("fldr BETWEEN 7 AND 9 AND iline == 1"), "0");
  EXPECT_EQ(value_in("fldr between 7 && 9 && iline == 1200"), "1");
  EXPECT_EQ(value_in("fldr not between 8 and 9"), "1");
  EXPECT_EQ(value_in("fldr not between 7 and 9 or offset between -350 and -350"), "1");
  EXPECT_EQ(value_in("offset between -iline and fldr - 7"), "1");
  EXPECT_EQ(value_in("0 / 0 between 1 and 2"), "0");
  EXPECT_EQ(value_in("0 / 0 not between 1 and 2"), "1");
  EXPECT_EQ(value_in("9007199254740993 between 9007199254740992.0 and 9007199254740992.0"), "0") << "exact";
  EXPECT_EQ(value_in("fldr between iline and 1"), "0") << "what the ends are is known with the trace only";
}

TEST(Expression, PointsAtWhatIsWrongInListsAndRanges) {
  EXPECT_EQ(error_in("cdp in (1, 20:10)"),
            "this range is empty: it ends before it begins\n"
            "    cdp in (1, 20:10)\n"
            "               ^^^^^");
  EXPECT_NE(error_in("cdp between 9223372036854775807 and -1").find("is empty"), std::string::npos);
  EXPECT_EQ(error_in("cdp in 5"),
            "a list in parentheses must follow 'in'\n"
            "    cdp in 5\n"
            "           ^");
  EXPECT_NE(error_in("cdp between 5").find("'and' in the middle"), std::string::npos);
  EXPECT_NE(error_in("cdp in (1, 2").find("is not closed"), std::string::npos);
  EXPECT_NE(error_in("cdp in (1, 'A')").find("a number is given where text is needed"), std::string::npos);
  EXPECT_NE(error_in("in (1)").find("'in' is given where a value is needed"), std::string::npos);
  for (const std::string_view text :
       {"cdp in ()", "cdp in (1,)", "cdp in (1 2)", "cdp in (1:)", "cdp in (1:2:3)", "cdp not (1)", "cdp not 5",
        "cdp in (1) == 1", "(cdp == 1) in (1)", "cdp between (1 and 2)", "cdp in (fldr == 1)", "between", "cdp in"})
    EXPECT_FALSE(error_in(text).empty());
}

// The words' bytes are all that is read.
TEST(Expression, KnowsTheBytesItLooksAt) {
  EXPECT_EQ(Expression::parse("cdp + offset").needed_bytes(), (ByteRange{20, 20}));
  EXPECT_EQ(Expression::parse("true(sx) > 0").needed_bytes(), (ByteRange{70, 6}));
  EXPECT_TRUE(Expression::parse("trace > 5").needed_bytes().empty());
}

TEST(Expression, PointsAtWhatIsWrong) {
  EXPECT_EQ(error_in("iline = 5"),
            "= assigns, but this is not an assignment\n"
            "    iline = 5\n"
            "          ^");
  EXPECT_EQ(error_in("iline + 5 and fldr == 1"),
            "a number is given where a condition is needed\n"
            "    iline + 5 and fldr == 1\n"
            "    ^^^^^^^^^");
  EXPECT_EQ(error_in("1 < fldr < 3"),
            "a condition cannot be compared\n"
            "    1 < fldr < 3\n"
            "    ^^^^^^^^");
  EXPECT_EQ(error_in("cdp == 'abc'"),
            "a number is given where text is needed\n"
            "    cdp == 'abc'\n"
            "    ^^^");
  EXPECT_EQ(error_in("2 * ofset"),
            "unknown header word 'ofset'\n"
            "    2 * ofset\n"
            "        ^^^^^");
  EXPECT_EQ(error_in("sqrt(offset)"),
            "unknown function 'sqrt'\n"
            "    sqrt(offset)\n"
            "    ^^^^");
  EXPECT_EQ(error_in("abs(offset"),
            "this parenthesis is not closed\n"
            "    abs(offset\n"
            "       ^");
  EXPECT_EQ(error_in("cdp +"),
            "a value is missing here\n"
            "    cdp +\n"
            "         ^");
  EXPECT_EQ(error_in("cdp 5"),
            "an operator is missing before this\n"
            "    cdp 5\n"
            "        ^");
}

TEST(Expression, RefusesTheRest) {
  for (const std::string_view text : {"",
                                      "()",
                                      "cdp)",
                                      "cdp,offset",
                                      "5x",
                                      "1..2",
                                      "99999999999999999999",
                                      "1e999",
                                      "'abc",
                                      "'ninechars'",
                                      "'a' + 1",
                                      "true(3)",
                                      "true(sx + 1)",
                                      "true(sx",
                                      "min(1)",
                                      "min(1,",
                                      "max()",
                                      "abs(1, 2)",
                                      "and",
                                      "not 5",
                                      "cdp and",
                                      "-'a'",
                                      "!cdp",
                                      "cdp == (fldr == 1)",
                                      "$",
                                      "@1:x9",
                                      "@241",
                                      "\x80",
                                      "calc_offset(1)",
                                      "@1:a4 == 5"})
    EXPECT_FALSE(error_in(text).empty());
}

TEST(Expression, BoundsNestingAndLength) {
  EXPECT_NE(error_in(std::string(200, '(') + "1" + std::string(200, ')')).find("too deeply"), std::string::npos);
  EXPECT_NE(error_in(std::string(200, '-') + "1").find("too deeply"), std::string::npos);
  std::string text = "1";
  for (int i = 0; i < 999; ++i) text += "+1";
  EXPECT_EQ(value_in(text), "1000");
  for (int i = 0; i < 10; ++i) text += "+1";
  const std::string problem = error_in(text);
  EXPECT_NE(problem.find("more than 2000 operations"), std::string::npos);
  EXPECT_LT(problem.size(), 300U) << "only the place is shown";
}

TEST(Expression, ShowsOnlyThePlaceOfALongText) {
  const std::string text = std::string(300, ' ') + "ofset" + std::string(300, ' ');
  EXPECT_EQ(error_in(text), "unknown header word 'ofset'\n    ..." + std::string(50, ' ') + "ofset" +
                                std::string(45, ' ') + "...\n    " + std::string(53, ' ') + "^^^^^");
}

TEST(Expression, IsAConditionWhereOneIsNeeded) {
  EXPECT_TRUE(Expression::parse_condition("trace >= 10").holds({nullptr, ByteOrder::big, 1, 10}));
  EXPECT_FALSE(Expression::parse_condition("trace >= 10").holds({nullptr, ByteOrder::big, 1, 9}));
  EXPECT_THROW((void)Expression::parse_condition("trace"), Error);
}

TEST(Expression, TellsWhetherItLooksAtWholeNumbersAlone) {
  const auto words_of = [](std::string_view text) -> std::string {
    const std::optional<WholeNumbers> numbers = Expression::parse(text).whole_numbers();
    if (!numbers) return "none";
    std::string names = numbers->position ? "position" : "";
    for (const WordRef& word : numbers->words) names += " " + word.name;
    return names;
  };
  EXPECT_EQ(words_of("iline == 5"), " iline");
  EXPECT_EQ(words_of("iline > 5 and xline * 2 < iline / 3"), " iline xline");
  EXPECT_EQ(words_of("INLINE_3D + iline + @189:i4"), " INLINE_3D");
  EXPECT_EQ(words_of("@189:i4 + @189:u4"), " @189:i4 @189:u4");
  EXPECT_EQ(words_of("trace % 10 == 0 or file == 2"), "position");
  EXPECT_EQ(words_of("min(trace, abs(-offset)) == round(2.5)"), "position offset");
  EXPECT_EQ(words_of("1 == 2"), "");
  for (const char* const other :
       {"true(sx) > 1", "calc_offset < 5 and iline == 3", "@1:f4 == 2", "@1:i8 == 2", "iline == 3 or @233:a8 == 'ABC'"})
    EXPECT_EQ(words_of(other), "none") << other;
}

TEST(Expression, FailsForTracesThatHaveNoSuchValue) {
  TraceBytes bytes = a_trace();
  store(bytes.data() + 100, std::uint64_t{0x8000000000000000U}, ByteOrder::big);
  for (const std::string_view text : {"1 % (fldr - 7)", "9223372036854775807 + fldr", "-(@101:i8)", "abs(@101:i8 * 1)",
                                      "@101:u8 + 0", "round(1e19)", "round(0/0)", "9223372036854775807 * 2"}) {
    try {
      (void)Expression::parse(text).value({bytes.data(), ByteOrder::big, 1, 1});
      ADD_FAILURE() << text << " has a value";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::input) << text;
      EXPECT_NE(error.parts().problem.find('^'), std::string::npos) << text;
    }
  }
}

TEST(Expression, TakesTheLongestNameThatAWordHas) {
  const HeaderMap map = HeaderMap::parse("[words.sx-gx]\nbyte = 1\ntype = 'i4'\n", "a map");
  TraceBytes bytes = a_trace();
  store(bytes.data(), std::int32_t{99}, ByteOrder::big);
  EXPECT_EQ(Expression::parse("sx-gx", map).value({bytes.data(), ByteOrder::big}).text(), "99");
  EXPECT_EQ(Expression::parse("sx - gx", map).value({bytes.data(), ByteOrder::big}).text(), "4500");
}

TEST(Expression, NoMapCallsAWordLikeAnOperator) {
  for (const std::string name : {"in", "Between", "not"})
    EXPECT_THROW((void)HeaderMap::parse("[words." + name + "]\nbyte = 1\ntype = 'i4'\n", "a map"), Error) << name;
}

// An expression with more parentheses than it needs, and its value.
struct Made {
  std::string text;
  std::int64_t value;
};

Made made_expression(int depth) {
  const int choice = depth == 0 ? 0 : *rc::gen::inRange(0, 7);
  if (choice == 0) {
    const int number = *rc::gen::inRange(0, 20);
    return {std::to_string(number), number};
  }
  const Made a = made_expression(depth - 1);
  if (choice == 1) return {"-(" + a.text + ")", -a.value};
  if (choice == 2) return {"abs(" + a.text + ")", std::abs(a.value)};
  const Made b = made_expression(depth - 1);
  if (choice == 3) return {"(" + a.text + ")+(" + b.text + ")", a.value + b.value};
  if (choice == 4) return {"(" + a.text + ") - (" + b.text + ")", a.value - b.value};
  if (choice == 5) return {"max(" + a.text + "," + b.text + ")", std::max(a.value, b.value)};
  return {"(" + a.text + ") * (" + b.text + ")", a.value * b.value};
}

RC_GTEST_PROP(ExpressionProperty, ValuesAreThoseOfArithmetic, ()) {
  const Made made = made_expression(3);
  RC_ASSERT(value_in(made.text) == std::to_string(made.value));
}

RC_GTEST_PROP(ExpressionProperty, ListsAndRangesHoldWhatTheyName, ()) {
  const auto number = [] { return *rc::gen::inRange(-12, 13); };
  TraceBytes bytes{};
  const int cdp = number();
  store(bytes.data() + 20, std::int32_t{cdp}, ByteOrder::big);
  std::string list;
  bool is_in = false;
  const int entries = *rc::gen::inRange(1, 20);
  for (int i = 0; i < entries; ++i) {
    const int first = number();
    const int last = *rc::gen::arbitrary<bool>() ? first : *rc::gen::inRange(first, 14);
    list += (i > 0 ? ", " : "") + std::to_string(first) + (last == first ? "" : ":" + std::to_string(last));
    is_in = is_in || (cdp >= first && cdp <= last);
  }
  RC_ASSERT(value_in("cdp in (" + list + ")", bytes) == (is_in ? "1" : "0"));
  RC_ASSERT(value_in("cdp not in (" + list + ")", bytes) == (is_in ? "0" : "1"));
  const int first = number();
  const int last = *rc::gen::inRange(first, 14);
  const std::string range = "between " + std::to_string(first) + " and " + std::to_string(last);
  const bool is_between = cdp >= first && cdp <= last;
  RC_ASSERT(value_in("cdp " + range, bytes) == (is_between ? "1" : "0"));
  RC_ASSERT(value_in("cdp not " + range + " or cdp in (" + list + ")", bytes) == (!is_between || is_in ? "1" : "0"));
}

RC_GTEST_PROP(ExpressionProperty, AnyTextIsReadOrRefused, ()) {
  static const std::array<std::string, 28> parts = {
      "cdp", "offset", "(",    ")",    "+",   "-",  "*", "/", "%", "==",      "<",    ",",         " ",     "1",
      "2.5", "true(",  "abs(", "min(", "and", "or", "!", "'", "@", "@189:i4", " in(", " between ", " not ", ":"};
  std::string text;
  const int count = *rc::gen::inRange(0, 12);
  for (int i = 0; i < count; ++i) text += parts[static_cast<std::size_t>(*rc::gen::inRange<int>(0, 28))];
  const TraceBytes bytes = a_trace();
  try {
    (void)Expression::parse(text).value({bytes.data(), ByteOrder::little});
  } catch (const Error&) {
  }
}

TEST(KeyExpression, SortsByWhatItComputes) {
  const TraceKey key = TraceKey::parse("-(iline * 1000 + fldr)");
  EXPECT_TRUE(key.descending());
  EXPECT_EQ(key.source(), KeySource::expression);
  EXPECT_EQ(key.packed_bytes(), 8);
  const TraceBytes bytes = a_trace();
  EXPECT_EQ(key.value({bytes.data(), ByteOrder::big}).text(), "1200007");
  EXPECT_FALSE(TraceKey::parse("-iline + fldr").descending()) << "the minus is of the word alone";
  EXPECT_EQ(TraceKey::parse("-iline + fldr").value({bytes.data(), ByteOrder::big}).text(), "-1193");
  EXPECT_EQ(TraceKey::parse("iline > 5").packed_bytes(), 1);
  const auto keys = TraceKey::parse_list("min(cdp, 5), -max(offset,3) ,trace % 2");
  ASSERT_EQ(keys.size(), 3U);
  EXPECT_EQ(keys[1].text(), "-max(offset,3)");
  EXPECT_EQ(keys[2].text(), "trace % 2");
}

}  // namespace
}  // namespace sill::segy
