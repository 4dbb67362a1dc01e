#include "sill/formats/segy/detect/byte_labels.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace sill::segy;

using Label = std::tuple<int, int, std::string, LabelMeaning>;

std::vector<Label> labels_of(const std::string& line, TextEncoding encoding = TextEncoding::ebcdic) {
  std::array<std::byte, text_header_bytes> text{};
  const std::vector<std::string> lines{"C 1 CLIENT", line};
  encode_text_header(lines, encoding, text);
  std::vector<Label> labels;
  for (const ByteLabel& label : byte_labels(text, encoding)) {
    EXPECT_EQ(label.line, 2U);
    labels.emplace_back(label.first_byte, label.last_byte, label.label, label.meaning);
  }
  return labels;
}

constexpr auto coordinate = LabelMeaning::coordinate;
constexpr auto inlines = LabelMeaning::inline_number;
constexpr auto crosslines = LabelMeaning::crossline_number;
constexpr auto other = LabelMeaning::other;

TEST(ByteLabels, StandBeforeTheirBytesOrAfterThem) {
  const std::vector<Label> wanted{{189, 192, "INLINE", inlines}, {193, 196, "XLINE", crosslines}};
  EXPECT_EQ(labels_of("C12 BYTES 189-192: INLINE, 193-196: X-LINE"), wanted);
  EXPECT_EQ(labels_of("C12 INLINE (BYTES 189-192), X-LINE (BYTES 193-196)"), wanted);
  EXPECT_EQ(labels_of("C 2 inline 189 to 192  x_line 193 to 196", TextEncoding::ascii), wanted);
}

TEST(ByteLabels, OfSingleBytesNeedAWordThatSaysSo) {
  EXPECT_EQ(labels_of("C12 IL BYTE181 XL BYTE185"),
            (std::vector<Label>{{181, 181, "IL", inlines}, {185, 185, "XL", crosslines}}));
  // Unless they can be places only: words of four bytes that follow each other.
  EXPECT_EQ(labels_of("C12 INLINE 181 CROSSLINE 185"),
            (std::vector<Label>{{181, 181, "INLINE", inlines}, {185, 185, "CROSSLINE", crosslines}}));
  EXPECT_TRUE(labels_of("C12 INLINE 180 CROSSLINE 185").empty());
  EXPECT_TRUE(labels_of("C12 INLINES 181 TO 412 XLINES 185").empty());
  EXPECT_TRUE(labels_of("C12 INLINES 181-412").empty());
}

TEST(ByteLabels, AreSharedByBytesThatFollow) {
  EXPECT_EQ(labels_of("C12 CDP X AND Y IN BYTES 181 AND 185"),
            (std::vector<Label>{{181, 181, "CDP X", coordinate}, {185, 185, "CDP Y", coordinate}}));
}

TEST(ByteLabels, WithoutWordsAreNone) {
  EXPECT_TRUE(labels_of("C12 TRACE HEADER BYTES 181-184").empty());
  EXPECT_TRUE(byte_labels({}, TextEncoding::ebcdic).empty());
}

TEST(ByteLabels, MeanOtherThingsToo) {
  EXPECT_EQ(labels_of("C12 SHOT POINT: 197-200"), (std::vector<Label>{{197, 200, "SHOT POINT", other}}));
  EXPECT_EQ(labels_of("C12 EASTINGS 73-76"), (std::vector<Label>{{73, 76, "EASTINGS", coordinate}}));
}

TEST(ByteLabels, NameStandardWords) {
  const auto word_of = [](const std::string& label, LabelMeaning meaning) {
    return std::string(word_named_by({.label = label, .meaning = meaning}));
  };
  EXPECT_EQ(word_of("CDP X COORD", coordinate), "cdpx");
  EXPECT_EQ(word_of("UTM NORTH", coordinate), "cdpy");
  EXPECT_EQ(word_of("SOURCE EASTING", coordinate), "sx");
  EXPECT_EQ(word_of("RECEIVER Y", coordinate), "gy");
  EXPECT_EQ(word_of("CDP X Y", coordinate), "");
  EXPECT_EQ(word_of("XLINE NUMBER", crosslines), "xline");
  EXPECT_EQ(word_of("CDP NUMBER", other), "cdp");
  EXPECT_EQ(word_of("SHOT POINT", other), "");
}

}  // namespace
