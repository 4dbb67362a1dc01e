// Header words: the tables, their names, types and values.
#include "sill/formats/segy/words/words.hpp"

#include <gtest/gtest.h>
// RapidCheck's header needs gtest's before it.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::segy {
namespace {

std::array<std::string_view, 3> names_of(const Word& word) { return {word.segyio, word.su, word.standard}; }

std::string word_error(std::string_view text) {
  try {
    static_cast<void>(parse_word(text));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  ADD_FAILURE() << text << " was accepted";
  return {};
}

TEST(TraceWords, CoverBytes1To240WithoutGap) {
  int next = 1;
  for (const Word& word : trace_words()) {
    EXPECT_EQ(word.byte, next) << word.standard;
    EXPECT_EQ(word.block, WordBlock::trace);
    EXPECT_EQ(word.until, Revision::none) << word.standard;
    next = word.byte + word.type.bytes;
  }
  EXPECT_EQ(next, 241);
}

TEST(BinaryWords, CoverTheDefinedBytesWithoutGap) {
  int next = 3201;
  for (const Word& word : binary_words()) {
    if (next == 3301) next = 3501;
    EXPECT_EQ(word.byte, next) << word.standard;
    EXPECT_EQ(word.block, WordBlock::binary);
    next = word.byte + word.type.bytes;
  }
  EXPECT_EQ(next, 3533);
}

TEST(ExtensionWords, CoverTheDefinedBytesWithoutGapAndOverrideWordsOfTheTraceHeader) {
  int next = 1;
  int twins = 0;
  for (const Word& word : extension_words()) {
    if (next == 177) next = 233;
    EXPECT_EQ(word.byte, next) << word.standard;
    EXPECT_EQ(word.block, WordBlock::extension1);
    EXPECT_EQ(word.byte_in_trace(), 240 + word.byte);
    EXPECT_EQ(word.scalar_byte, 0) << "true values need no scalar";
    next = word.byte + word.type.bytes;
    if (word.overrides == 0) continue;
    ++twins;
    const auto base = std::ranges::find(trace_words(), word.overrides, &Word::byte);
    ASSERT_NE(base, trace_words().end()) << word.standard;
    EXPECT_EQ(base->layout, word.layout) << "they have one layout name";
  }
  EXPECT_EQ(next, 241);
  EXPECT_EQ(twins, 20);
}

TEST(SuWords, LieAfterByte180WithoutGap) {
  int next = 181;
  for (const Word& word : su_words()) {
    EXPECT_EQ(word.byte, next) << word.su;
    EXPECT_TRUE(word.segyio.empty() && word.standard.empty()) << "SEG-Y has no such word";
    next = word.byte + word.type.bytes;
  }
  EXPECT_EQ(next, 213);
}

TEST(Words, OfSeveralRevisionsAreToldApart) {
  const Word* const in_2_0 = find_binary_word("max_additional_trace_headers_rev2_0");
  const Word* const in_2_1 = find_binary_word("MaxAdditionalTraceHeaders");
  ASSERT_NE(in_2_0, nullptr);
  ASSERT_NE(in_2_1, nullptr);
  EXPECT_EQ(in_2_0->byte, 3507);
  EXPECT_EQ(in_2_1->byte, 3507);
  EXPECT_EQ(name_of(in_2_0->type), "i4");
  EXPECT_EQ(name_of(in_2_1->type), "i2");
  EXPECT_EQ(in_2_0->since, Revision::rev2_0);
  EXPECT_EQ(in_2_0->until, Revision::rev2_1);
  EXPECT_EQ(find_binary_word("SurveyType")->since, Revision::rev2_1);
  EXPECT_EQ(find_trace_word("sedm")->until, Revision::rev2_0);
  EXPECT_EQ(find_trace_word("SourceEnergyDirectionXline")->byte, 221);
  EXPECT_EQ(find_trace_word("cdpx")->since, Revision::rev1);
  EXPECT_EQ(find_trace_word("sx")->since, Revision::rev0);
}

TEST(Words, EveryNameOfEveryVocabularyLeadsToItsWordInAnyCase) {
  const auto check = [](std::span<const Word> words, auto find) {
    for (const Word& word : words) {
      EXPECT_FALSE(word.text.empty());
      EXPECT_FALSE(word.shown_name().empty()) << word.byte;
      for (const std::string_view name : names_of(word)) {
        if (name.empty()) continue;
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
  check(former_trace_words(), find_trace_word);
  check(binary_words(), find_binary_word);
  check(former_binary_words(), find_binary_word);
  check(extension_words(), find_extension_word);
}

TEST(Words, NoNameIsSharedByTwoWordsThatOneLookupSees) {
  const std::vector<std::vector<std::span<const Word>>> lookups = {
      {trace_words(), former_trace_words(), extension_words()},
      {trace_words().first(70), su_words()},
      {binary_words(), former_binary_words()}};
  for (const auto& tables : lookups) {
    std::map<std::string, const Word*> word_of;
    for (const auto words : tables) {
      for (const Word& word : words) {
        for (const std::string_view name : names_of(word)) {
          if (name.empty()) continue;
          const auto [known, is_new] = word_of.emplace(detail::lower_case(name), &word);
          EXPECT_TRUE(is_new || known->second == &word) << name;
        }
      }
    }
  }
}

TEST(Words, HaveLayoutNamesThatAreUniqueInTheirHeader) {
  for (const auto words : {trace_words(), extension_words()}) {
    std::map<std::string_view, int> byte_of;
    for (const Word& word : words) {
      if (!word.layout.empty()) {
        EXPECT_TRUE(byte_of.emplace(word.layout, word.byte).second) << word.layout;
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
    if (word.scalar_byte == 0 || word.scalar_byte == word.byte + word.type.bytes) continue;
    ASSERT_TRUE(scalars.contains(word.scalar_byte)) << word.standard;
    EXPECT_EQ(find_trace_word(scalars.at(word.scalar_byte))->byte, word.scalar_byte);
    EXPECT_EQ(name_of(find_trace_word(scalars.at(word.scalar_byte))->type), "i2");
  }
  EXPECT_EQ(find_trace_word("gwdep")->scalar_byte, 69);
  EXPECT_EQ(find_trace_word("cdpy")->scalar_byte, 71);
  EXPECT_EQ(find_trace_word("mute")->scalar_byte, 215);
  EXPECT_EQ(find_trace_word("sp")->scalar_byte, 201);
  EXPECT_EQ(find_trace_word("offset")->scalar_byte, 0);
  EXPECT_EQ(find_trace_word("tdcm")->scalar_byte, 209) << "a power of ten, after the word";
  EXPECT_EQ(find_trace_word("smm")->scalar_byte, 229);
}

TEST(Words, NameTheirClause) {
  EXPECT_EQ(find_trace_word("sx")->clause(), "SEG-Y rev 1, trace header bytes 73-76");
  EXPECT_EQ(find_binary_word("hdt")->clause(), "SEG-Y rev 1, bytes 3217-3218");
  EXPECT_EQ(find_binary_word("rev")->clause(), "SEG-Y rev 1, byte 3501");
  EXPECT_EQ(find_binary_word("ExtSamples")->clause(), "SEG-Y rev 2.0, bytes 3269-3272");
  EXPECT_EQ(find_binary_word("SurveyType")->clause(), "SEG-Y rev 2.1, bytes 3509-3510");
  EXPECT_EQ(find_extension_word("SEG00001.sht_x")->clause(), "SEG-Y rev 2.0, trace header extension 1 bytes 97-104");
  EXPECT_EQ(su_words()[0].clause(), "Seismic Unix, segy.h, bytes 181-184");
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
  EXPECT_EQ(parse_word("@241:i4").byte, 241);
  EXPECT_EQ(parse_word("@15600:a1").byte, 15600);
  EXPECT_EQ(name_of(parse_word("@1:IBM4").type), "ibm4");
}

TEST(ParseWord, RefusesWhatIsNoWord) {
  for (const std::string_view bad :
       {"@0:i4", "@15601:i1", "@239:i4", "@240:i2", "@479:i4", "@1:a9", "@-1:i4", "@1x:i4", "@:i4", "@99999999999:i4",
        "@9", "@9:", "@9:i9", "@9:i0", "@9:f2", "@9:ibm8", "@", ""}) {
    EXPECT_NE(word_error(bad).find("@BYTE:TYPE"), std::string::npos) << bad;
  }
  EXPECT_NE(word_error("ofset").find("did you mean offset?"), std::string::npos);
  EXPECT_NE(word_error("SortingCode").find("binary header"), std::string::npos);
}

TEST(WordTypes, AreReadAsTheyAreWritten) {
  int types = 0;
  for (const std::string letters : {"i", "u", "f", "ibm", "a"}) {
    for (int bytes = 0; bytes <= 9; ++bytes) {
      const std::string text = letters + std::to_string(bytes);
      const auto type = parse_word_type(text);
      if (!type) continue;
      ++types;
      EXPECT_EQ(name_of(*type), text);
      EXPECT_EQ(type->bytes, bytes);
    }
  }
  EXPECT_EQ(types, 8 + 8 + 2 + 1 + 8);
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

TEST(ReadWord, ShowsTextInAsciiOrEbcdic) {
  const auto big = ByteOrder::big;
  EXPECT_EQ(read_bytes({'S', 'E', 'G', '0', '0', '0', '0', '1'}, "a8", big).text(), "SEG00001");
  EXPECT_EQ(read_bytes({'A', 'B', ' ', 0}, "a4", big).text(), "AB");
  EXPECT_EQ(read_bytes({0xE3, 0xE8, 0xD7, 0xC5, 0xE2, 0, 0, 0}, "a8", big).text(), "TYPES");
  EXPECT_EQ(read_bytes({0xE3, 0xE8, 0x40, 0x40}, "a4", big).text(), "TY");
  EXPECT_EQ(read_bytes({0x40, 0x40, 0x40}, "a3", big).text(), "");
  EXPECT_EQ(read_bytes({0, 0}, "a2", big).text(), "");
  EXPECT_EQ(read_bytes({'A', 0x07, 0xFF}, "a3", big).text(), "A..");
  // The order of bytes is that of numbers.
  EXPECT_EQ(read_bytes({'A', 'B'}, "a2", ByteOrder::little).text(), "AB");
  EXPECT_LT(read_bytes({'A', 'B'}, "a2", big), read_bytes({'A', 'C'}, "a2", big));
  EXPECT_LT(read_bytes({'Z', 'Z'}, "a2", big), read_bytes({0xC1, 'A'}, "a2", big));
  EXPECT_TRUE(std::isnan(read_bytes({'4'}, "a1", big).as_double()));
}

struct Written {
  std::string error;
  std::vector<std::byte> bytes;
};

Written written(std::string_view type_name, const WordValue& value, ByteOrder order = ByteOrder::big) {
  const WordType type = *parse_word_type(type_name);
  Written result{{}, std::vector<std::byte>(16, std::byte{0x5A})};
  try {
    write_word(result.bytes.data(), 3, type, order, value, "sx");
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    result.error = error.what();
    EXPECT_EQ(result.bytes, std::vector<std::byte>(16, std::byte{0x5A})) << "nothing is written";
  }
  for (std::size_t i = 0; i < 16; ++i) {
    if (i < 2 || i >= 2 + static_cast<std::size_t>(type.bytes)) {
      EXPECT_EQ(result.bytes[i], std::byte{0x5A});
    }
  }
  return result;
}

TEST(WriteWord, RefusesWhatDoesNotFitAndNamesWordValueAndType) {
  const std::string error = written("i2", {std::int64_t{40000}}).error;
  for (const std::string_view part : {"sx", "40000", "i2", "too large"}) {
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }
  for (int bytes = 1; bytes <= 8; ++bytes) {
    const std::string width = std::to_string(bytes);
    const std::int64_t max = std::numeric_limits<std::int64_t>::max() >> (64 - 8 * bytes);
    EXPECT_EQ(written("i" + width, {max}).error, "");
    EXPECT_EQ(written("i" + width, {-max - 1}).error, "");
    EXPECT_NE(written("i" + width, {static_cast<std::uint64_t>(max) + 1}).error, "");
    const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - 8 * bytes);
    EXPECT_EQ(written("u" + width, {all}).error, "");
    EXPECT_NE(written("u" + width, {std::int64_t{-1}}).error, "");
    if (bytes == 8) continue;
    EXPECT_NE(written("i" + width, {max + 1}).error, "");
    EXPECT_NE(written("i" + width, {-max - 2}).error, "");
    EXPECT_NE(written("u" + width, {all + 1}).error, "");
  }
  EXPECT_NE(written("i4", {1.5}).error.find("integer"), std::string::npos);
  EXPECT_NE(written("i8", {9223372036854775808.0}).error, "");
  EXPECT_EQ(written("u8", {9223372036854775808.0}).error, "");
  EXPECT_NE(written("u8", {18446744073709551616.0}).error, "");
  EXPECT_EQ(written("i8", {-9223372036854775808.0}).error, "");
  EXPECT_NE(written("i4", {std::numeric_limits<double>::quiet_NaN()}).error, "");
  EXPECT_NE(written("i4", {std::numeric_limits<double>::infinity()}).error, "");
  EXPECT_NE(written("f4", {1e39}).error, "");
  EXPECT_EQ(written("f4", {std::numeric_limits<double>::infinity()}).error, "");
  EXPECT_EQ(written("f4", {0.1}).error, "") << "reals are rounded";
  EXPECT_NE(written("f4", {std::int64_t{16777217}}).error.find("rounded"), std::string::npos);
  EXPECT_NE(written("f8", {std::numeric_limits<std::int64_t>::max()}).error.find("rounded"), std::string::npos);
  EXPECT_NE(written("f8", {std::numeric_limits<std::uint64_t>::max()}).error.find("rounded"), std::string::npos);
  EXPECT_NE(written("ibm4", {1e76}).error, "");
  EXPECT_NE(written("ibm4", {std::numeric_limits<double>::quiet_NaN()}).error, "");
  EXPECT_NE(written("ibm4", {std::int64_t{16777217}}).error, "");
  EXPECT_NE(written("a4", {std::int64_t{1}}).error, "");
  EXPECT_NE(written("i4", {word_text("AB")}).error, "");
  EXPECT_NE(written("f8", {word_text("AB")}).error, "");
  EXPECT_NE(written("a1", {word_text("AB")}).error.find("too long"), std::string::npos);
  EXPECT_THROW(static_cast<void>(word_text("123456789")), Error);
  EXPECT_THROW(static_cast<void>(word_text("\n")), Error);
}

TEST(WriteWord, TellsTheByteWhereThereIsNoName) {
  std::array<std::byte, 8> block{};
  try {
    write_word(block.data(), 3, *parse_word_type("u1"), ByteOrder::big, {std::int64_t{256}});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("byte 3"), std::string::npos);
  }
}

TEST(WriteWord, FillsTextUpWithBlanks) {
  const Written result = written("a4", {word_text("AB")});
  EXPECT_EQ(read_word(result.bytes.data(), 3, *parse_word_type("a4"), ByteOrder::big).text(), "AB");
  EXPECT_EQ(result.bytes[4], std::byte{' '});
}

TEST(WriteWord, TakesStandardWordsInTheirHeaders) {
  std::vector<std::byte> binary(400);
  write_word(binary.data(), *find_binary_word("hns"), ByteOrder::big, {std::int64_t{40000}});
  EXPECT_EQ(load<std::uint16_t>(binary.data() + 20, ByteOrder::big), 40000);
  EXPECT_EQ(read_word(binary.data(), *find_binary_word("hns"), ByteOrder::big).text(), "40000");
  std::vector<std::byte> extension(240);
  write_word(extension.data(), *find_extension_word("ext_source_coord_x"), ByteOrder::little, {1.25});
  EXPECT_EQ(load<double>(extension.data() + 96, ByteOrder::little), 1.25);
}

RC_GTEST_PROP(WriteWord, IsReadBackForEveryTypeAndOrder, (std::uint64_t random)) {
  const ByteOrder order = *rc::gen::element(ByteOrder::big, ByteOrder::little, ByteOrder::pairwise);
  for (const std::string letters : {"i", "u", "a", "f", "ibm"}) {
    for (int bytes = 1; bytes <= 8; ++bytes) {
      const auto type = parse_word_type(letters + std::to_string(bytes));
      if (!type) continue;
      std::array<std::byte, 8> from{};
      store(from.data(), random, ByteOrder::big);
      if (type->kind == WordKind::text) {
        for (std::byte& byte : from) byte = static_cast<std::byte>('A' + std::to_integer<int>(byte) % 26);
      }
      const WordValue value = read_word(from.data(), 1, *type, order);
      const auto* const real = std::get_if<double>(&value.number);
      if (real != nullptr && std::isnan(*real)) continue;
      std::array<std::byte, 8> to{};
      write_word(to.data(), 1, *type, order, value);
      RC_ASSERT(read_word(to.data(), 1, *type, order) == value);
    }
  }
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
