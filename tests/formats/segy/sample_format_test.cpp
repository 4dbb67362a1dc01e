// Codes, names, widths and revisions of the sample formats.
#include "sill/formats/segy/samples/sample_format.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "formats/segy/sample_words.hpp"

namespace sill::segy {
namespace {

TEST(SampleFormat, CodesAndNames) {
  int known = 0;
  for (int code = -2; code < 300; ++code) {
    for (const int revision : {0, 1, 2}) {
      const auto format = sample_format_from_code(code, revision);
      EXPECT_EQ(format.has_value(), !meaning_of_code(code).empty()) << code;
      if (!format) continue;
      ++known;
      EXPECT_EQ(code_of(*format), code);
      EXPECT_EQ(name_of(*format), meaning_of_code(code));
    }
  }
  EXPECT_EQ(known, 3 * 14);
  EXPECT_EQ(name_of(SampleFormat::ibm_float), "IBM float, 4 bytes");
  EXPECT_EQ(meaning_of_code(15), "unsigned integer, 3 bytes");
  for (const int code : {-1, 0, 13, 14, 17, 104, 256}) EXPECT_EQ(meaning_of_code(code), "") << code;
}

TEST(SampleFormat, TheRevisionDecidesHowCode4IsRead) {
  EXPECT_EQ(sample_format_from_code(4, 0), SampleFormat::fixed_point_gain);
  EXPECT_EQ(sample_format_from_code(4, 1), SampleFormat::fixed_point_gain);
  EXPECT_EQ(sample_format_from_code(4, 2), SampleFormat::fixed_point_gain_rev2);
  EXPECT_EQ(code_of(SampleFormat::fixed_point_gain_rev2), 4);
  EXPECT_FALSE(is_writable(SampleFormat::fixed_point_gain));
  EXPECT_FALSE(is_writable(SampleFormat::fixed_point_gain_rev2));
}

TEST(SampleFormat, WidthsAndFirstRevisions) {
  struct Facts {
    int bytes;
    int revision;
  };
  const std::map<int, Facts> facts = {{1, {4, 0}},  {2, {4, 0}},  {3, {2, 0}},  {4, {4, 0}}, {5, {4, 0}},
                                      {6, {8, 2}},  {7, {3, 2}},  {8, {1, 1}},  {9, {8, 2}}, {10, {4, 2}},
                                      {11, {2, 2}}, {12, {8, 2}}, {15, {3, 2}}, {16, {1, 2}}};
  for (const auto& [code, fact] : facts) {
    const SampleFormat format = sample_format_from_code(code, 1).value();
    EXPECT_EQ(bytes_of(format), fact.bytes) << code;
    EXPECT_EQ(first_revision_of(format), fact.revision) << code;
  }
  EXPECT_EQ(bytes_of(SampleFormat::fixed_point_gain_rev2), 4);
  EXPECT_EQ(first_revision_of(SampleFormat::fixed_point_gain_rev2), 2);
}

TEST(SampleFormat, Words) {
  using Words = std::vector<std::string>;
  EXPECT_EQ(sample_format_names(0), (Words{"ibm", "ieee", "int16", "int32"}));
  EXPECT_EQ(sample_format_names(1), (Words{"ibm", "ieee", "int8", "int16", "int32"}));
  EXPECT_EQ(sample_format_names(2), (Words{"ibm", "ieee", "ieee64", "int8", "int16", "int24", "int32", "int64", "uint8",
                                           "uint16", "uint24", "uint32", "uint64"}));
  for (const SampleFormat format : test::all_formats) {
    int named = 0;
    for (const std::string& word : sample_format_names(2)) named += sample_format_from_name(word) == format ? 1 : 0;
    EXPECT_EQ(named, is_writable(format) ? 1 : 0) << name_of(format);
  }
  EXPECT_EQ(sample_format_from_name("ieee"), SampleFormat::ieee_float);
  EXPECT_EQ(sample_format_from_name("uint24"), SampleFormat::uint24);
  EXPECT_EQ(sample_format_from_name("float"), std::nullopt);
}

}  // namespace
}  // namespace sill::segy
