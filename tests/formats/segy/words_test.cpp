// Header words: the tables, their names, types and values.
#include "sill/formats/segy/words.hpp"

#include <gtest/gtest.h>
// RapidCheck's header needs gtest's before it.
#include <rapidcheck/gtest.h>

#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <vector>

#include "sill/base/error.hpp"

namespace sill::segy {
namespace {

std::array<std::string_view, 3> names_of(const Word& word) { return {word.segyio, word.su, word.standard}; }

std::string error_of(std::string_view text) {
  try {
    static_cast<void>(parse_word(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  ADD_FAILURE() << text << " was accepted";
  return {};
}

TEST(TraceWords, CoverBytes1To232WithoutGap) {
  int next = 1;
  for (const Word& word : trace_words()) {
    EXPECT_EQ(word.byte, next) << word.standard;
    next = word.byte + word.type.bytes;
  }
  EXPECT_EQ(next, 233);
}

TEST(BinaryWords, CoverTheDefinedBytesWithoutGap) {
  int next = 3201;
  for (const Word& word : binary_words()) {
    if (next == 3261) next = 3501;
    EXPECT_EQ(word.byte, next) << word.standard;
    next = word.byte + word.type.bytes;
  }
  EXPECT_EQ(next, 3507);
}

TEST(Words, EveryNameOfEveryVocabularyLeadsToItsWordInAnyCase) {
  const auto check = [](std::span<const Word> words, auto find) {
    for (const Word& word : words) {
      EXPECT_FALSE(word.text.empty());
      for (const std::string_view name : names_of(word)) {
        ASSERT_FALSE(name.empty()) << word.byte;
        std::string upper(name);
        for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        // The first match is this word: so no other word has the name, in whichever vocabulary.
        EXPECT_EQ(find(name), &word) << name;
        EXPECT_EQ(find(upper), &word) << upper;
        EXPECT_EQ(find(detail::lower_case(name)), &word) << name;
      }
    }
  };
  check(trace_words(), find_trace_word);
  check(binary_words(), find_binary_word);
}

TEST(Words, NoNameIsSharedByTwoWords) {
  for (const auto words : {trace_words(), binary_words()}) {
    std::map<std::string, int> byte_of;
    for (const Word& word : words) {
      for (const std::string_view name : names_of(word)) {
        const auto [known, is_new] = byte_of.emplace(detail::lower_case(name), word.byte);
        EXPECT_TRUE(is_new || known->second == word.byte) << name;
      }
    }
  }
}

TEST(Words, LieWhereTheVocabulariesPutThem) {
  struct Expected {
    std::string_view segyio, su, standard;
    int byte;
    std::string type;
  };
  const Expected expected[] = {{"TRACE_SEQUENCE_LINE", "tracl", "trace_seq_num_line", 1, "i4"},
                               {"FieldRecord", "fldr", "orig_field_record_num", 9, "i4"},
                               {"EnergySourcePoint", "ep", "energy_source_point_num", 17, "i4"},
                               {"CDP", "cdp", "ensemble_num", 21, "i4"},
                               {"offset", "offset", "source_to_receiver_distance", 37, "i4"},
                               {"SourceGroupScalar", "scalco", "coordinate_scalar", 71, "i2"},
                               {"GroupY", "gy", "group_coord_y", 85, "i4"},
                               {"DelayRecordingTime", "delrt", "delay_recording_time", 109, "i2"},
                               {"TRACE_SAMPLE_COUNT", "ns", "samples_per_trace", 115, "u2"},
                               {"TRACE_SAMPLE_INTERVAL", "dt", "sample_interval", 117, "u2"},
                               {"SweepTraceTaperLengthStart", "stas", "sweep_taper_start", 135, "i2"},
                               {"CDP_X", "cdpx", "cdp_x", 181, "i4"},
                               {"INLINE_3D", "iline", "inline", 189, "i4"},
                               {"CROSSLINE_3D", "xline", "crossline", 193, "i4"},
                               {"ShotPoint", "sp", "shot_point", 197, "i4"},
                               {"TransductionConstantMantissa", "tdcm", "transduction_const_mantissa", 205, "i4"},
                               {"TransductionConstantPower", "tdcp", "transduction_const_exponent", 209, "i2"},
                               {"SourceMeasurementUnit", "smunit", "source_measurement_unit", 231, "i2"}};
  for (const Expected& e : expected) {
    for (const std::string_view name : {e.segyio, e.su, e.standard}) {
      const WordRef word = parse_word(name);
      EXPECT_EQ(word.byte, e.byte) << name;
      EXPECT_EQ(name_of(word.type), e.type) << name;
      EXPECT_EQ(word.name, name);
    }
  }
  ASSERT_NE(find_binary_word("SortingCode"), nullptr);
  EXPECT_EQ(find_binary_word("SortingCode")->byte, 3229);
  EXPECT_EQ(find_binary_word("hns")->byte, 3221);
  EXPECT_EQ(name_of(find_binary_word("hns")->type), "u2");
  EXPECT_EQ(find_binary_word("ensembletraces")->byte, 3213);
  EXPECT_EQ(find_binary_word("cdp"), nullptr);
  EXPECT_EQ(find_trace_word(""), nullptr);
}

TEST(Words, ScalarsAreWordsOfTheHeader) {
  const std::map<int, std::string> scalars = {{69, "scalel"}, {71, "scalco"}, {201, "scalsp"}, {215, "sctrh"}};
  for (const Word& word : trace_words()) {
    if (word.scalar_byte == 0) continue;
    ASSERT_TRUE(scalars.contains(word.scalar_byte)) << word.standard;
    EXPECT_EQ(find_trace_word(scalars.at(word.scalar_byte))->byte, word.scalar_byte);
    EXPECT_EQ(name_of(find_trace_word(scalars.at(word.scalar_byte))->type), "i2");
  }
  EXPECT_EQ(find_trace_word("gwdep")->scalar_byte, 69);
  EXPECT_EQ(find_trace_word("cdpy")->scalar_byte, 71);
  EXPECT_EQ(find_trace_word("mute")->scalar_byte, 215);
  EXPECT_EQ(find_trace_word("sp")->scalar_byte, 201);
  EXPECT_EQ(find_trace_word("offset")->scalar_byte, 0);
}

TEST(Words, NameTheirClause) {
  EXPECT_EQ(find_trace_word("sx")->clause(), "SEG-Y rev 1, trace header bytes 73-76");
  EXPECT_EQ(find_binary_word("hdt")->clause(), "SEG-Y rev 1, bytes 3217-3218");
  EXPECT_EQ(find_binary_word("rev")->clause(), "SEG-Y rev 1, byte 3501");
}

TEST(NearestNames, FindTheMisspelt) {
  const auto has = [](std::string_view name, std::string_view wanted) {
    for (const std::string& near : nearest_names(name)) {
      if (near == wanted) return true;
    }
    return false;
  };
  EXPECT_TRUE(has("ofset", "offset"));
  EXPECT_TRUE(has("cpd", "CDP"));
  EXPECT_TRUE(has("source_x", "SourceX"));
  EXPECT_TRUE(has("inlin", "inline"));
  EXPECT_TRUE(has("fldrr", "fldr"));
  EXPECT_TRUE(nearest_names("entirely_unlike_any_word").empty());
  EXPECT_TRUE(nearest_names("").empty());
  EXPECT_LE(nearest_names("sweep_freq").size(), 3U);
  EXPECT_EQ(nearest_names("SortingCod", binary_words()).at(0), "SortingCode");
  const std::array<std::string_view, 1> also = {"azimuth"};
  EXPECT_EQ(nearest_names("azimut", trace_words(), also).at(0), "azimuth");
}

TEST(ParseWord, ReadsPositions) {
  const WordRef word = parse_word(" @233:u8 ");
  EXPECT_EQ(word.byte, 233);
  EXPECT_EQ(name_of(word.type), "u8");
  EXPECT_EQ(word.name, "@233:u8");
  EXPECT_EQ(parse_word("@240:i1").byte, 240);
  EXPECT_EQ(name_of(parse_word("@1:IBM4").type), "ibm4");
}

TEST(ParseWord, RefusesWhatIsNoWord) {
  for (const std::string_view bad : {"@0:i4", "@241:i1", "@239:i4", "@240:i2", "@-1:i4", "@1x:i4", "@:i4",
                                     "@99999999999:i4", "@9", "@9:", "@9:i9", "@9:i0", "@9:f2", "@9:ibm8", "@", ""}) {
    EXPECT_NE(error_of(bad).find("@BYTE:TYPE"), std::string::npos) << bad;
  }
  EXPECT_NE(error_of("ofset").find("did you mean offset?"), std::string::npos);
  EXPECT_NE(error_of("SortingCode").find("binary header"), std::string::npos);
}

TEST(WordTypes, AreReadAsTheyAreWritten) {
  int types = 0;
  for (const std::string letters : {"i", "u", "f", "ibm"}) {
    for (int bytes = 0; bytes <= 9; ++bytes) {
      const std::string text = letters + std::to_string(bytes);
      const auto type = parse_word_type(text);
      if (!type) continue;
      ++types;
      EXPECT_EQ(name_of(*type), text);
      EXPECT_EQ(type->bytes, bytes);
    }
  }
  EXPECT_EQ(types, 8 + 8 + 2 + 1);
  for (const std::string_view bad : {"", "4", "i", "i16", "x4", "f3", "ibm2", "i4 "})
    EXPECT_FALSE(parse_word_type(bad));
}

WordValue read_bytes(std::initializer_list<unsigned> bytes, std::string_view type, ByteOrder order) {
  std::vector<std::byte> block;
  for (const unsigned b : bytes) block.push_back(static_cast<std::byte>(b));
  return read_word(block.data(), 1, *parse_word_type(type), order);
}

TEST(ReadWord, KnowsWidthsSignsAndOrders) {
  const auto big = ByteOrder::big;
  EXPECT_EQ(read_bytes({0xFF}, "i1", big).text(), "-1");
  EXPECT_EQ(read_bytes({0xFF}, "u1", big).text(), "255");
  EXPECT_EQ(read_bytes({0xFF, 0xFE}, "i2", big).text(), "-2");
  EXPECT_EQ(read_bytes({0xFF, 0xFE}, "u2", big).text(), "65534");
  EXPECT_EQ(read_bytes({0x80, 0, 0}, "i3", big).text(), "-8388608");
  EXPECT_EQ(read_bytes({0x80, 0, 0}, "u3", big).text(), "8388608");
  EXPECT_EQ(read_bytes({1, 2, 3}, "u3", ByteOrder::little).text(), std::to_string(0x030201));
  EXPECT_EQ(read_bytes({1, 2, 3}, "u3", ByteOrder::pairwise).text(), std::to_string(0x020103));
  EXPECT_EQ(read_bytes({1, 2, 3, 4}, "i4", ByteOrder::little).text(), std::to_string(0x04030201));
  EXPECT_EQ(read_bytes({1, 2, 3, 4}, "i4", ByteOrder::pairwise).text(), std::to_string(0x02010403));
  EXPECT_EQ(read_bytes({1, 2, 3, 4, 5}, "i5", big).text(), std::to_string(0x0102030405));
  EXPECT_EQ(read_bytes({1, 2, 3, 4, 5, 6}, "u6", ByteOrder::pairwise).text(), std::to_string(0x020104030605));
  EXPECT_EQ(read_bytes({0x80, 0, 0, 0, 0, 0, 0}, "i7", big).text(), "-36028797018963968");
  EXPECT_EQ(read_bytes({0x80, 0, 0, 0, 0, 0, 0, 0}, "i8", big).text(), "-9223372036854775808");
  EXPECT_EQ(read_bytes({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}, "u8", big).text(), "18446744073709551615");
}

TEST(ReadWord, ShowsFloatsInTheFewestDigits) {
  const auto big = ByteOrder::big;
  EXPECT_EQ(read_bytes({0x3D, 0xCC, 0xCC, 0xCD}, "f4", big).text(), "0.1");
  EXPECT_EQ(read_bytes({0x3F, 0xB9, 0x99, 0x99, 0x99, 0x99, 0x99, 0x9A}, "f8", big).text(), "0.1");
  // The double nearest to the float 0.1 is not 0.1.
  EXPECT_EQ(read_bytes({0x3F, 0xB9, 0x99, 0x99, 0xA0, 0, 0, 0}, "f8", big).text(), "0.10000000149011612");
  EXPECT_EQ(read_bytes({0x42, 0x76, 0xA0, 0x00}, "ibm4", big).text(), "118.625");
  EXPECT_EQ(read_bytes({0x40, 0x19, 0x99, 0x9A}, "ibm4", big).text(), "0.100000024");  // as coarse as that
  EXPECT_EQ(read_bytes({0x46, 0x00, 0x10, 0x00}, "ibm4", big).text(), "4096");
  EXPECT_EQ(read_bytes({0x7F, 0xFF, 0xFF, 0xFF}, "ibm4", big).text(), "7.2370051459731155e+75");
  EXPECT_EQ(read_bytes({0x7F, 0xC0, 0, 0}, "f4", big).text(), "nan");
  EXPECT_EQ(read_bytes({0xFF, 0xC0, 0, 0}, "f4", big).text(), "nan");
  EXPECT_EQ(read_bytes({0xFF, 0x80, 0, 0}, "f4", big).text(), "-inf");
}

RC_GTEST_PROP(WordValueText, OfADoubleReadsBackAsTheSameValue, (std::uint64_t bits)) {
  const auto value = std::bit_cast<double>(bits);
  RC_PRE(!std::isnan(value));
  RC_ASSERT(std::bit_cast<std::uint64_t>(std::strtod(WordValue{value}.text().c_str(), nullptr)) == bits);
}

TEST(WordValues, AreTotallyOrdered) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_LT(WordValue{std::int64_t{-1}}, WordValue{std::int64_t{0}});
  EXPECT_LT(WordValue{std::uint64_t{1}}, WordValue{std::numeric_limits<std::uint64_t>::max()});
  EXPECT_LT(WordValue{-1.5}, WordValue{0.0});
  EXPECT_EQ(WordValue{-0.0}, WordValue{0.0});
  EXPECT_EQ(WordValue{nan}, WordValue{-nan});
  EXPECT_LT(WordValue{infinity}, WordValue{nan});
  EXPECT_FALSE(WordValue{nan} < WordValue{infinity});
}

}  // namespace
}  // namespace sill::segy
