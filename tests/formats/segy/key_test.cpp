// Sort keys: grammar, values, packed order and the sorting code they make true.
#include "sill/formats/segy/words/key.hpp"

#include <gtest/gtest.h>
// RapidCheck's header needs gtest's before it.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "sill/base/error.hpp"

namespace sill::segy {
namespace {

using Header = std::array<std::byte, trace_header_bytes>;

template <class T>
void put(Header& header, int byte, T value, ByteOrder order = ByteOrder::big) {
  store(header.data() + (byte - 1), value, order);
}

/// A header with the coordinates of source and receiver, their scalar and their unit.
Header geometry(int sx, int sy, int gx, int gy, int scalar = 1, int unit = 1, ByteOrder order = ByteOrder::big) {
  Header header{};
  put(header, 71, static_cast<std::int16_t>(scalar), order);
  put(header, 73, static_cast<std::int32_t>(sx), order);
  put(header, 77, static_cast<std::int32_t>(sy), order);
  put(header, 81, static_cast<std::int32_t>(gx), order);
  put(header, 85, static_cast<std::int32_t>(gy), order);
  put(header, 89, static_cast<std::int16_t>(unit), order);
  return header;
}

double real(std::string_view key, const Header& header, ByteOrder order = ByteOrder::big) {
  return std::get<double>(TraceKey::parse(key).value({header.data(), order, 1}).number);
}

std::string packed(const TraceKey& key, const Header& header, ByteOrder order = ByteOrder::big, int file = 1) {
  std::array<std::byte, 8> out{};
  key.pack({header.data(), order, file}, out.data());
  return {reinterpret_cast<const char*>(out.data()), static_cast<std::size_t>(key.packed_bytes())};
}

int compare_packed(const TraceKey& key, const Header& a, const Header& b, ByteOrder order, int file_a = 1,
                   int file_b = 1) {
  const int result = packed(key, a, order, file_a).compare(packed(key, b, order, file_b));
  return (result > 0) - (result < 0);
}

/// The order that the key promises, from its values.
int compare_values(const TraceKey& key, const WordValue& a, const WordValue& b) {
  const auto is_nan = [](const WordValue& v) {
    const auto* value = std::get_if<double>(&v.number);
    return value != nullptr && std::isnan(*value);
  };
  const int result = (a > b) - (a < b);
  const bool reversed = key.descending() && !is_nan(a) && !is_nan(b);
  return reversed ? -result : result;
}

std::string usage_error_of(std::string_view keys) {
  try {
    static_cast<void>(TraceKey::parse_list(keys));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  ADD_FAILURE() << keys << " was accepted";
  return {};
}

TEST(TraceKeyGrammar, ReadsDirectionAndMagnitude) {
  const TraceKey key = TraceKey::parse(" - ABS( Offset ) ");
  EXPECT_TRUE(key.descending());
  EXPECT_TRUE(key.absolute());
  ASSERT_NE(key.word(), nullptr);
  EXPECT_EQ(key.word()->byte, 37);
  EXPECT_EQ(key.text(), "- ABS( Offset )");
  EXPECT_FALSE(TraceKey::parse("cdp").descending());
  EXPECT_FALSE(TraceKey::parse("cdp").absolute());
  EXPECT_EQ(TraceKey::parse("Calc_Offset").source(), KeySource::calc_offset);
  EXPECT_EQ(TraceKey::parse("-azimuth").source(), KeySource::expression);
  EXPECT_EQ(TraceKey::parse("file").source(), KeySource::file);
  EXPECT_EQ(TraceKey::parse("file").word(), nullptr);
}

TEST(TraceKeyGrammar, ReadsLists) {
  const auto keys = TraceKey::parse_list("cdp, -abs(offset),@189:i4,cdp");
  ASSERT_EQ(keys.size(), 4U);
  EXPECT_EQ(keys[1].text(), "-abs(offset)");
  EXPECT_EQ(keys[2].word()->byte, 189);
  EXPECT_EQ(keys[3].word()->byte, 21);
}

TEST(TraceKeyGrammar, RefusesTheRestAndSaysWhatToWrite) {
  EXPECT_NE(usage_error_of("").find("is empty"), std::string::npos);
  EXPECT_NE(usage_error_of("cdp,").find("key 2"), std::string::npos);
  EXPECT_NE(usage_error_of("cdp,,offset").find("key 2"), std::string::npos);
  EXPECT_NE(usage_error_of("abs(offset").find("parenthesis"), std::string::npos);
  EXPECT_NE(usage_error_of("'abc'").find("the same for all traces"), std::string::npos);
  EXPECT_NE(usage_error_of("-").find("missing"), std::string::npos);
  EXPECT_NE(usage_error_of("abs()").find("missing"), std::string::npos);
  EXPECT_NE(usage_error_of("ofset").find("did you mean offset?"), std::string::npos);
  EXPECT_NE(usage_error_of("azimut").find("did you mean azimuth?"), std::string::npos);
  EXPECT_NE(usage_error_of("offset)").find("closing parenthesis without"), std::string::npos);
}

TEST(TraceKeyGrammar, IsShownWithEveryDerivedKey) {
  for (const std::string_view name :
       {"calc_offset", "azimuth", "midpoint_x", "midpoint_y", "file", "@BYTE:TYPE", "true(WORD)"}) {
    EXPECT_NE(key_grammar().find(name), std::string::npos) << name;
  }
}

TEST(TraceKeyBytes, AreTheFewestInOneRange) {
  EXPECT_EQ(TraceKey::parse("cdp").needed_bytes(), (ByteRange{20, 4}));
  EXPECT_EQ(TraceKey::parse("@200:u3").needed_bytes(), (ByteRange{199, 3}));
  EXPECT_EQ(TraceKey::parse("azimuth").needed_bytes(), (ByteRange{70, 20}));
  EXPECT_TRUE(TraceKey::parse("file").needed_bytes().empty());
}

TEST(TraceKeyBytes, AreTheOnlyOnesRead) {
  for (const std::string_view text : {"cdp", "@233:f8", "@77:i5", "@3:ibm4", "azimuth", "midpoint_y", "file"}) {
    const TraceKey key = TraceKey::parse(text);
    Header zeros{};
    Header noise;
    noise.fill(std::byte{0x5A});
    const ByteRange needed = key.needed_bytes();
    std::fill_n(noise.begin() + needed.offset, needed.length, std::byte{0});
    EXPECT_EQ(packed(key, zeros), packed(key, noise)) << text;
    EXPECT_EQ(key.value({zeros.data(), ByteOrder::big, 1}), key.value({noise.data(), ByteOrder::big, 1})) << text;
  }
}

TEST(DerivedKeys, ApplyTheScalar) {
  EXPECT_EQ(real("calc_offset", geometry(0, 0, 3, 4)), 5.0);
  EXPECT_EQ(real("calc_offset", geometry(0, 0, 3, 4, 100)), 500.0);
  EXPECT_EQ(real("calc_offset", geometry(0, 0, 300, 400, -100)), 5.0);
  EXPECT_EQ(real("calc_offset", geometry(0, 0, 3, 4, 0)), 5.0);
  EXPECT_EQ(real("calc_offset", geometry(0, 0, 3, 4, 1, 0)), 5.0);
  EXPECT_EQ(real("midpoint_x", geometry(10, 0, 21, 0)), 15.5);
  EXPECT_EQ(real("midpoint_y", geometry(0, -10, 0, 20, 10)), 50.0);
  // 35 * 0.01 is 0.35000000000000003.
  EXPECT_EQ(real("midpoint_x", geometry(35, 0, 35, 0, -100)), 0.35);
  EXPECT_EQ(real("calc_offset", geometry(0, 0, 32768, 0, -32768)), 1.0);
  EXPECT_EQ(real("calc_offset", geometry(INT32_MIN, 0, INT32_MAX, 0)), 4294967295.0);
  for (const ByteOrder order : {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise}) {
    EXPECT_EQ(real("calc_offset", geometry(100000, 7, 100300, 407, -10, 1, order), order), 50.0);
  }
}

TEST(TrueValues, ApplyTheScalarOfTheWord) {
  EXPECT_EQ(real("true(sx)", geometry(35, 0, 0, 0, -100)), 0.35);
  EXPECT_EQ(real("TRUE( SourceX )", geometry(35, 0, 0, 0, 100)), 3500.0);
  EXPECT_EQ(real("true(sx)", geometry(35, 0, 0, 0, 0)), 35.0);
  EXPECT_EQ(real("abs(true(sx))", geometry(-35, 0, 0, 0, -10)), 3.5);
  EXPECT_EQ(real("-abs(true(sx))", geometry(-35, 0, 0, 0, -10)), 3.5);
  EXPECT_EQ(real("true(cdp)", geometry(0, 0, 0, 0, -10)), 0.0);
  EXPECT_TRUE(TraceKey::parse("-true(sx)").descending());
  EXPECT_EQ(TraceKey::parse("true(sx)").needed_bytes(), (ByteRange{70, 6}));
  EXPECT_EQ(TraceKey::parse("true(sx)").packed_bytes(), 8);
  EXPECT_EQ(TraceKey::parse("true(delrt)").needed_bytes(), (ByteRange{108, 108}));
  Header header{};
  put(header, 205, std::int32_t{25});
  put(header, 209, std::int16_t{-2});
  EXPECT_EQ(real("true(tdcm)", header), 0.25);
  put(header, 209, std::int16_t{3});
  EXPECT_EQ(real("true(tdcm)", header), 25000.0);
  EXPECT_NE(usage_error_of("true(sx").find("parenthesis"), std::string::npos);
  EXPECT_NE(usage_error_of("true()").find("a header word is missing here"), std::string::npos);
  EXPECT_NE(usage_error_of("true(-sx)").find("a header word is missing here"), std::string::npos);
  EXPECT_NE(usage_error_of("true(trace_header_name)").find("text"), std::string::npos);
  EXPECT_NE(usage_error_of("abs(@233:a8)").find("text"), std::string::npos);
  EXPECT_NE(usage_error_of("true(azimuth)").find("is a variable of expressions"), std::string::npos);
}

RC_GTEST_PROP(TrueValues, ArePackedInTheirOrder, (std::int32_t a, std::int32_t b)) {
  const std::array<int, 6> scalars = {-1000, -1, 0, 1, 10, 32767};
  const int scalar_a = *rc::gen::elementOf(scalars);
  const int scalar_b = *rc::gen::elementOf(scalars);
  const ByteOrder order = *rc::gen::element(ByteOrder::big, ByteOrder::little, ByteOrder::pairwise);
  const Header header_a = geometry(a, 0, 0, 0, scalar_a, 1, order);
  const Header header_b = geometry(b, 0, 0, 0, scalar_b, 1, order);
  for (const std::string_view text : {"true(sx)", "-true(sx)", "abs(true(sx))", "-abs(true(sx))"}) {
    const TraceKey key = TraceKey::parse(text);
    RC_ASSERT(compare_packed(key, header_a, header_b, order) ==
              compare_values(key, key.value({header_a.data(), order, 1}), key.value({header_b.data(), order, 1})));
  }
}

/// A trace header and an additional header.
struct TwoHeaders {
  std::array<std::byte, 2 * trace_header_bytes> bytes{};

  template <class T>
  void put(int byte, T value) {
    store(bytes.data() + (byte - 1), value, ByteOrder::big);
  }
  void name(std::string_view name) {
    for (std::size_t i = 0; i < name.size(); ++i) bytes[472 + i] = static_cast<std::byte>(name[i]);
  }
  [[nodiscard]] double real(std::string_view key, const HeaderMap& map) const {
    return std::get<double>(TraceKey::parse(key, map).value({bytes.data(), ByteOrder::big, 1}).number);
  }
};

TEST(TrueValues, AreThoseOfExtension1WhereItHasThem) {
  const HeaderMap map = words_of(HeaderKind::segy, std::vector<std::string>{"", "SEG00001"}, nullptr, nullptr);
  TwoHeaders trace;
  trace.put(71, std::int16_t{-100});
  trace.put(73, std::int32_t{123456});
  trace.put(81, std::int32_t{200});
  trace.put(240 + 97, 1234.5678);
  EXPECT_EQ(trace.real("true(sx)", map), 1234.56) << "a header without the name is not extension 1";
  trace.name("SEG00001");
  EXPECT_EQ(trace.real("true(sx)", map), 1234.5678);
  EXPECT_EQ(trace.real("true(gx)", map), 2.0) << "where the twin is 0 the word counts";
  EXPECT_EQ(trace.real("calc_offset", map), 1234.5678 - 2.0);
  EXPECT_EQ(trace.real("true(SEG00001.sht_x)", map), 1234.5678);
  EXPECT_EQ(TraceKey::parse("sx", map).value({trace.bytes.data(), ByteOrder::big, 1}).text(), "123456") << "raw";
  for (const auto& [at, byte] : {std::pair{472, 0xE2}, {473, 0xC5}, {474, 0xC7}, {479, 0xF1}}) {
    trace.bytes[static_cast<std::size_t>(at)] = static_cast<std::byte>(byte);
  }
  for (std::size_t i = 475; i < 479; ++i) trace.bytes[i] = std::byte{0xF0};
  EXPECT_EQ(trace.real("true(sx)", map), 1234.5678) << "the name in EBCDIC";
  EXPECT_EQ(TraceKey::parse("true(sx)", map).needed_bytes(), (ByteRange{70, 410}));
  EXPECT_EQ(TraceKey::parse("true(sx)").needed_bytes(), (ByteRange{70, 6})) << "no additional headers are known of";
}

TEST(TrueValues, OfARealFileWithExtension1AreThose) {
  const char* const samples = std::getenv("SILL_SAMPLES");
  if (samples == nullptr) GTEST_SKIP() << "set SILL_SAMPLES to a folder with segyio_trace-header-extension1.sgy";
  std::ifstream file(std::string(samples) + "/segyio_trace-header-extension1.sgy", std::ios::binary);
  ASSERT_TRUE(file) << "the sample is not there";
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  ASSERT_EQ(content.size(), 6576U);
  const auto* const trace = reinterpret_cast<const std::byte*>(content.data()) + 3600;
  const HeaderMap map = words_of(HeaderKind::segy, std::vector<std::string>{"", "SEG00001"}, nullptr, nullptr);
  const auto value = [&](std::string_view key) {
    return TraceKey::parse(key, map).value({trace, ByteOrder::big, 1}).text();
  };
  EXPECT_EQ(value("SEG00001.header_name"), "SEG00001") << "it is in EBCDIC";
  EXPECT_EQ(value("tracl"), "286331153");
  EXPECT_EQ(value("SEG00001.linetrc"), "2459565876494606881");
  EXPECT_EQ(value("true(tracl)"), "2.459565876494607e+18") << "as double";
}

TEST(MappedKeys, TakeTheWordsOfTheMap) {
  const HeaderMap map =
      HeaderMap::parse("[words.sx]\nbyte = 201\ntype = \"f4\"\n[words.cdp]\nbyte = 5\ntype = \"i4\"\n", "test.toml");
  Header header = geometry(100, 0, 0, 0, -10);
  put(header, 201, 7.5F);
  put(header, 5, std::int32_t{99});
  const auto value = [&](std::string_view key) {
    return TraceKey::parse(key, map).value({header.data(), ByteOrder::big, 1}).text();
  };
  EXPECT_EQ(value("sx"), "7.5");
  EXPECT_EQ(value("source_coord_x"), "7.5") << "all names of a word move with it";
  EXPECT_EQ(value("true(sx)"), "7.5") << "a float has no scalar unless it is told";
  EXPECT_EQ(value("calc_offset"), "7.5");
  EXPECT_EQ(value("CDP"), "99");
  EXPECT_EQ(sorting_code_of(TraceKey::parse_list("cdp", map)), 2) << "it is still the ensemble";
  EXPECT_EQ(sorting_code_of(TraceKey::parse_list("@21:i4", map)), -1) << "which is no longer there";
  EXPECT_EQ(sorting_code_of(TraceKey::parse_list("true(cdp)")), 2);
}

TEST(DerivedKeys, AzimuthTurnsClockwiseFromNorth) {
  EXPECT_EQ(real("azimuth", geometry(0, 0, 0, 1)), 0.0);
  EXPECT_EQ(real("azimuth", geometry(0, 0, 1, 1)), 45.0);
  EXPECT_EQ(real("azimuth", geometry(0, 0, 1, 0)), 90.0);
  EXPECT_EQ(real("azimuth", geometry(0, 0, 0, -1)), 180.0);
  EXPECT_EQ(real("azimuth", geometry(0, 0, -1, 0)), 270.0);
  EXPECT_EQ(real("azimuth", geometry(0, 0, -1, 1)), 315.0);
  EXPECT_EQ(real("azimuth", geometry(7, 7, 7, 7)), 0.0);
  EXPECT_FALSE(std::signbit(real("azimuth", geometry(7, 7, 7, 7))));
}

RC_GTEST_PROP(DerivedKeys, AzimuthIsBelow360, (int sx, int sy, int gx, int gy, std::int16_t scalar)) {
  const double azimuth = real("azimuth", geometry(sx, sy, gx, gy, scalar));
  RC_ASSERT(azimuth >= 0.0);
  RC_ASSERT(azimuth < 360.0);
  RC_ASSERT(!std::signbit(azimuth));
}

TEST(DerivedKeys, RefuseAngles) {
  const std::array<std::string_view, 3> units = {"seconds of arc", "decimal degrees", "degrees, minutes and seconds"};
  for (int unit = 2; unit <= 4; ++unit) {
    for (const std::string_view text : {"calc_offset", "azimuth", "midpoint_x", "midpoint_y"}) {
      const TraceKey key = TraceKey::parse(text);
      const Header header = geometry(0, 0, 3, 4, 1, unit);
      std::array<std::byte, 8> out{};
      try {
        key.pack({header.data(), ByteOrder::big, 1}, out.data());
        FAIL() << text << " accepted unit " << unit;
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::input);
        EXPECT_NE(error.parts().problem.find(units[static_cast<std::size_t>(unit - 2)]), std::string::npos);
        EXPECT_NE(error.parts().problem.find(text), std::string::npos);
        EXPECT_NE(error.parts().clause.find("89-90"), std::string::npos);
        EXPECT_TRUE(error.parts().where.file.empty());
      }
      EXPECT_THROW(static_cast<void>(key.value({header.data(), ByteOrder::big, 1})), Error);
    }
  }
  EXPECT_NO_THROW(
      static_cast<void>(TraceKey::parse("sx").value({geometry(0, 0, 3, 4, 1, 2).data(), ByteOrder::big, 1})));
}

TEST(PackedKeys, AreWhatTheyAreDocumentedToBe) {
  Header header{};
  put(header, 21, std::int32_t{5});
  EXPECT_EQ(packed(TraceKey::parse("cdp"), header), std::string("\x80\0\0\x05", 4));
  EXPECT_EQ(packed(TraceKey::parse("-cdp"), header), std::string("\x7F\xFF\xFF\xFA", 4));
  EXPECT_EQ(packed(TraceKey::parse("@23:u2"), header), std::string("\0\x05", 2));
  EXPECT_EQ(packed(TraceKey::parse("file"), header, ByteOrder::big, 3), std::string("\x80\0\0\0\0\0\0\x03", 8));
  const std::array<std::pair<std::string_view, int>, 11> widths = {{{"@1:i1", 1},
                                                                    {"@1:u2", 2},
                                                                    {"@1:i3", 4},
                                                                    {"@1:u4", 4},
                                                                    {"@1:i5", 8},
                                                                    {"@1:u8", 8},
                                                                    {"@1:f4", 4},
                                                                    {"@1:f8", 8},
                                                                    {"@1:ibm4", 8},
                                                                    {"azimuth", 8},
                                                                    {"file", 8}}};
  for (const auto& [text, bytes] : widths) EXPECT_EQ(TraceKey::parse(text).packed_bytes(), bytes) << text;
}

TEST(PackedKeys, MagnitudeOfTheMostNegativeIntegerIsTheLargest) {
  for (int bytes = 1; bytes <= 8; ++bytes) {
    const TraceKey key = TraceKey::parse("abs(@1:i" + std::to_string(bytes) + ")");
    Header max_negative{};
    max_negative[0] = std::byte{0x80};
    Header max_positive{};
    max_positive.fill(std::byte{0xFF});
    max_positive[0] = std::byte{0x7F};
    EXPECT_GT(packed(key, max_negative), packed(key, max_positive)) << bytes;
    EXPECT_EQ(std::get<std::uint64_t>(key.value({max_negative.data(), ByteOrder::big, 1}).number),
              std::uint64_t{1} << (8 * bytes - 1));
  }
}

TEST(PackedKeys, PutNanLastAndMakeZerosEqual) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const std::string_view text : {"@1:f4", "-@1:f4", "abs(@1:f4)", "-abs(@1:f4)"}) {
    const TraceKey key = TraceKey::parse(text);
    const auto code = [&](float value) {
      Header header{};
      put(header, 1, value);
      return packed(key, header);
    };
    EXPECT_EQ(code(nan), std::string(4, '\xFF')) << text;
    EXPECT_EQ(code(-nan), std::string(4, '\xFF')) << text;
    for (const float other : {infinity, -infinity, 0.0F, std::numeric_limits<float>::max()}) {
      EXPECT_LT(code(other), code(nan)) << text << other;
    }
    EXPECT_EQ(code(-0.0F), code(0.0F)) << text;
  }
}

TEST(PackedKeys, TakeUnnormalisedIbmValuesAsTheirValue) {
  const TraceKey key = TraceKey::parse("@1:ibm4");
  Header normalised{};
  put(normalised, 1, std::uint32_t{0x44100000});  // 4096
  Header unnormalised{};
  put(unnormalised, 1, std::uint32_t{0x46001000});  // 4096
  EXPECT_EQ(packed(key, normalised), packed(key, unnormalised));
}

/// Eight bytes that hold the special cases of every type more often than chance does.
std::uint64_t random_bits() {
  constexpr std::uint64_t specials[] = {0,
                                        0x8000000000000000,
                                        0x7FFFFFFFFFFFFFFF,
                                        0xFFFFFFFFFFFFFFFF,
                                        0x8000000080000000,
                                        0x7FF0000000000000,
                                        0xFFF0000000000000,
                                        0x7FF8000000000000,
                                        0xFFF8000000000001,
                                        0x7F800000FF800000,
                                        0x7FC00000FFC00000,
                                        0x3FF0000000000000,
                                        0x0000000000000001};
  if (*rc::gen::inRange(0, 3) == 0) {
    return specials[static_cast<std::size_t>(*rc::gen::inRange<int>(0, static_cast<int>(std::size(specials))))];
  }
  return *rc::gen::arbitrary<std::uint64_t>() * 0x9E3779B97F4A7C15ULL;
}

RC_GTEST_PROP(PackedKeys, AreInTheOrderOfTheValuesForEveryTypeOfWord, ()) {
  const std::array<std::string, 19> types = {"i1", "i2", "i3", "i4", "i5", "i6", "i7", "i8", "u1",  "u2",
                                             "u3", "u4", "u5", "u6", "u7", "u8", "f4", "f8", "ibm4"};
  for (int bytes = 1; bytes <= 8; ++bytes) {
    for (const std::string sign : {"", "-"}) {
      const TraceKey key = TraceKey::parse(sign + "@31:a" + std::to_string(bytes));
      Header text_a{};
      Header text_b{};
      put(text_a, 31, *rc::gen::arbitrary<std::uint64_t>());
      put(text_b, 31, *rc::gen::arbitrary<std::uint64_t>());
      RC_ASSERT(compare_packed(key, text_a, text_b, ByteOrder::little) ==
                compare_values(key, key.value({text_a.data(), ByteOrder::little, 1}),
                               key.value({text_b.data(), ByteOrder::little, 1})));
    }
  }
  const std::array<std::string, 4> forms = {"{}", "-{}", "abs({})", "-abs({})"};
  const ByteOrder order = *rc::gen::element(ByteOrder::big, ByteOrder::little, ByteOrder::pairwise);
  Header a{};
  Header b{};
  const std::uint64_t bits_a = random_bits();
  const std::uint64_t bits_b = *rc::gen::inRange(0, 4) == 0 ? bits_a : random_bits();
  put(a, 31, bits_a);
  put(b, 31, bits_b);
  for (const std::string& type : types) {
    for (const std::string& form : forms) {
      std::string text = form;
      const TraceKey key = TraceKey::parse(text.replace(text.find("{}"), 2, "@31:" + type));
      const WordValue value_a = key.value({a.data(), order, 1});
      const WordValue value_b = key.value({b.data(), order, 1});
      RC_LOG() << key.text() << ": " << value_a.text() << ", " << value_b.text() << std::endl;
      RC_ASSERT(compare_packed(key, a, b, order) == compare_values(key, value_a, value_b));
    }
  }
}

RC_GTEST_PROP(PackedKeys, AreInTheOrderOfTheValuesForDerivedKeysAndFiles,
              (std::array<std::int16_t, 8> xy, int file_a, int file_b)) {
  const std::array<int, 5> scalars = {-1000, -1, 0, 1, 10};
  const int scalar = *rc::gen::elementOf(scalars);
  const Header a = geometry(xy[0], xy[1], xy[2], xy[3], scalar);
  const Header b = geometry(xy[4], xy[5], xy[6], xy[7], scalar);
  for (const std::string_view text : {"calc_offset", "-calc_offset", "azimuth", "-azimuth", "midpoint_x", "-midpoint_y",
                                      "abs(midpoint_x)", "file", "-file", "abs(file)"}) {
    const TraceKey key = TraceKey::parse(text);
    const int expected = compare_values(key, key.value({a.data(), ByteOrder::big, file_a}),
                                        key.value({b.data(), ByteOrder::big, file_b}));
    RC_ASSERT(compare_packed(key, a, b, ByteOrder::big, file_a, file_b) == expected);
  }
}

TEST(SortingCode, IsWhatTheSortMakesTrue) {
  const std::array<std::pair<std::string_view, int>, 26> expected = {{{"cdp,offset", 2},
                                                                      {"-CDP", 2},
                                                                      {"@21:i4", 2},
                                                                      {"@21:u4", -1},
                                                                      {"abs(cdp)", -1},
                                                                      {"ep", 5},
                                                                      {"ShotPoint,offset", 5},
                                                                      {"-fldr", 5},
                                                                      {"sx,sy", 5},
                                                                      {"sy,-sx,offset", 5},
                                                                      {"sx", -1},
                                                                      {"sx,offset,sy", -1},
                                                                      {"sx,sx", -1},
                                                                      {"sx,gy", -1},
                                                                      {"gx,gy", 6},
                                                                      {"gy,gx", 6},
                                                                      {"gx", -1},
                                                                      {"abs(gx),gy", -1},
                                                                      {"offset", 7},
                                                                      {"-abs(offset),cdp", 7},
                                                                      {"calc_offset", 7},
                                                                      {"abs(calc_offset)", 7},
                                                                      {"iline,xline", -1},
                                                                      {"azimuth", -1},
                                                                      {"file,cdp", -1},
                                                                      {"tracf", -1}}};
  for (const auto& [keys, code] : expected) EXPECT_EQ(sorting_code_of(TraceKey::parse_list(keys)), code) << keys;
  for (const char* const keys : {"iline,xline", "-xl,il", "cdp"}) {
    EXPECT_EQ(sorting_code_of(TraceKey::parse_list(keys), 4), 4) << keys;
  }
  EXPECT_EQ(sorting_code_of(TraceKey::parse_list("offset"), 4), 7);
  EXPECT_EQ(sorting_code_of({}), -1);
}

}  // namespace
}  // namespace sill::segy
