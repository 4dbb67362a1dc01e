// Text headers: recognizing, decoding and encoding EBCDIC and ASCII.
#include "sill/formats/segy/text/text_header.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <vector>

#include "sill/base/error.hpp"

namespace sill::segy {
namespace {

using Block = std::array<std::byte, text_header_bytes>;

Block filled(unsigned byte) {
  Block block;
  block.fill(static_cast<std::byte>(byte));
  return block;
}

Block encoded(const std::vector<std::string>& lines, TextEncoding encoding) {
  Block block = filled(0xEE);
  encode_text_header(lines, encoding, block);
  return block;
}

std::string padded(std::string line) {
  line.resize(text_header_columns, ' ');
  return line;
}

std::string all_printable() {
  std::string all;
  for (char c = ' '; c <= '~'; ++c) all += c;
  return all;
}

TEST(TextHeader, EncodesAndDecodesEveryPrintableCharacter) {
  const std::string all = all_printable();
  const std::vector<std::string> lines = {all.substr(0, 80), all.substr(80), "", "C 4"};
  for (const TextEncoding encoding : {TextEncoding::ebcdic, TextEncoding::ascii}) {
    const auto decoded = decode_text_header(encoded(lines, encoding), encoding);
    for (std::size_t i = 0; i < decoded.size(); ++i) {
      EXPECT_EQ(decoded[i], padded(i < lines.size() ? lines[i] : "")) << i;
    }
  }
}

TEST(TextHeader, KnowsCodePage037) {
  // Published values: C is 0xC3, 1 is 0xF1, blank 0x40, a is 0x81, z is 0xA9, [ is 0xBA, ] is 0xBB, ^ is 0xB0, ! is
  // 0x5A.
  const std::map<char, unsigned> published = {{'C', 0xC3}, {'1', 0xF1}, {' ', 0x40}, {'a', 0x81}, {'z', 0xA9},
                                              {'[', 0xBA}, {']', 0xBB}, {'^', 0xB0}, {'!', 0x5A}, {'|', 0x4F},
                                              {'~', 0xA1}, {'{', 0xC0}, {'@', 0x7C}, {'.', 0x4B}, {'-', 0x60}};
  for (const auto& [character, byte] : published) {
    const Block block = encoded({std::string(1, character)}, TextEncoding::ebcdic);
    EXPECT_EQ(std::to_integer<unsigned>(block[0]), byte) << character;
  }
  EXPECT_EQ(decode_text_header(filled(0x4A), TextEncoding::ebcdic)[0].substr(0, 2), "\xC2\xA2");  // cent, as UTF-8
}

TEST(TextHeader, EveryByteOfEbcdicIsAnotherCharacter) {
  std::map<std::string, int> shown;
  for (unsigned byte = 0; byte < 256; ++byte) {
    const auto lines = decode_text_header(filled(byte), TextEncoding::ebcdic);
    const std::string character = lines[0].substr(0, lines[0].size() / text_header_columns);
    EXPECT_EQ(lines[39].size(), character.size() * text_header_columns);
    ++shown[character];
  }
  EXPECT_EQ(shown[" "], 3);   // blank, NUL, no-break space
  EXPECT_EQ(shown["."], 66);  // itself, 31 other C0 controls, delete, 32 C1 controls, soft hyphen
  EXPECT_EQ(shown.size(), 256U - 2U - 65U);
}

TEST(TextHeader, ShowsWhatIsNotPrintable) {
  Block block = filled(0x20);
  block[0] = std::byte{0};
  block[1] = std::byte{'\n'};
  block[2] = std::byte{0x1B};
  block[3] = std::byte{0xC3};
  block[4] = std::byte{'x'};
  EXPECT_EQ(decode_text_header(block, TextEncoding::ascii)[0], padded(" ...x"));
  EXPECT_EQ(decode_text_header(block, TextEncoding::unknown)[0], padded(" ...x"));
}

TEST(TextHeader, RefusesToEncodeWhatDoesNotFit) {
  Block block{};
  const auto refused = [&](const std::vector<std::string>& lines, TextEncoding encoding) {
    try {
      encode_text_header(lines, encoding, block);
    } catch (const Error& error) {
      return error.code() == ErrorCode::usage;
    }
    return false;
  };
  EXPECT_TRUE(refused(std::vector<std::string>(41), TextEncoding::ebcdic));
  EXPECT_TRUE(refused({std::string(81, 'x')}, TextEncoding::ascii));
  EXPECT_TRUE(refused({"na\xC3\xAFve"}, TextEncoding::ascii));
  EXPECT_FALSE(refused({"na\xC3\xAFve"}, TextEncoding::ebcdic));
  EXPECT_TRUE(refused({"\xD0\x96"}, TextEncoding::ebcdic));  // beyond Latin-1
  EXPECT_TRUE(refused({"\xC2\x85"}, TextEncoding::ebcdic));  // a control
  EXPECT_TRUE(refused({"\xC2\xAD"}, TextEncoding::ebcdic));  // not seen
  EXPECT_TRUE(refused({"x\xC3"}, TextEncoding::ebcdic));     // cut
  EXPECT_TRUE(refused({"\xAF"}, TextEncoding::ebcdic));      // no UTF-8
  EXPECT_TRUE(refused({"a\n"}, TextEncoding::ascii));
  EXPECT_TRUE(refused({"a"}, TextEncoding::unknown));
  EXPECT_FALSE(refused(std::vector<std::string>(40, std::string(80, 'x')), TextEncoding::ebcdic));
}

// What is shown can be given back: no byte changes, whatever the block holds.
TEST(SetTextLines, LinesAsTheyAreShownKeepTheirBytes) {
  std::mt19937 random(7);
  for (const TextEncoding encoding : {TextEncoding::ebcdic, TextEncoding::ascii, TextEncoding::unknown})
    for (int round = 0; round < 20; ++round) {
      Block block;
      for (std::byte& b : block) b = static_cast<std::byte>(random() & 0xFFU);
      const Block before = block;
      const auto shown = decode_text_header(block, encoding);
      std::vector<std::string> lines(shown.begin(), shown.end());
      set_text_lines(lines, encoding, block);
      EXPECT_EQ(block, before) << name_of(encoding);
      if (encoding == TextEncoding::unknown) continue;
      lines[6] = "C 7 NEW";
      set_text_lines(lines, encoding, block);
      EXPECT_EQ(decode_text_header(block, encoding)[6], padded("C 7 NEW"));
      EXPECT_TRUE(std::equal(before.begin(), before.begin() + 480, block.begin()));
      EXPECT_TRUE(std::equal(before.begin() + 560, before.end(), block.begin() + 560));
    }
}

TEST(SetTextLines, ABlockOfAnUnknownEncodingIsWrittenAnew) {
  Block block = filled(0);
  set_text_lines(std::vector<std::string>{"C 1", ""}, TextEncoding::unknown, block);
  EXPECT_EQ(block, encoded({"C 1"}, TextEncoding::ebcdic));
}

TEST(DetectTextEncoding, GoesByTheEvidence) {
  const std::vector<std::string> lines = {"C 1 CLIENT SILL", "C 2 LINE 7"};
  EXPECT_EQ(detect_text_encoding(encoded(lines, TextEncoding::ebcdic)), TextEncoding::ebcdic);
  EXPECT_EQ(detect_text_encoding(encoded(lines, TextEncoding::ascii)), TextEncoding::ascii);
  const std::vector<std::string> full(40, std::string(80, 'x'));
  EXPECT_EQ(detect_text_encoding(encoded(full, TextEncoding::ebcdic)), TextEncoding::ebcdic);
  EXPECT_EQ(detect_text_encoding(encoded(full, TextEncoding::ascii)), TextEncoding::ascii);
  EXPECT_EQ(detect_text_encoding(filled(0x40)), TextEncoding::ebcdic);
  EXPECT_EQ(detect_text_encoding(filled(0x20)), TextEncoding::ascii);
  EXPECT_EQ(detect_text_encoding(filled(0)), TextEncoding::unknown);
  EXPECT_EQ(detect_text_encoding(filled(0xFF)), TextEncoding::unknown);

  Block some_nuls = encoded(full, TextEncoding::ebcdic);
  std::fill(some_nuls.begin() + 2000, some_nuls.end(), std::byte{0});
  EXPECT_EQ(detect_text_encoding(some_nuls), TextEncoding::ebcdic);
  EXPECT_TRUE(is_text_block(some_nuls));
  std::fill(some_nuls.begin() + 1500, some_nuls.end(), std::byte{0});
  EXPECT_EQ(detect_text_encoding(some_nuls), TextEncoding::ebcdic);
  EXPECT_FALSE(is_text_block(some_nuls));  // nobody says that it is a text header

  Block few = filled(0);
  const std::string_view line_id = "LINE_ID 0";
  const auto put = [&](std::size_t at, std::string_view text) {
    std::ranges::transform(text, few.begin() + static_cast<std::ptrdiff_t>(at),
                           [](char c) { return static_cast<std::byte>(c); });
  };
  put(320, line_id.substr(0, 7));
  EXPECT_EQ(detect_text_encoding(few), TextEncoding::unknown);  // seven characters are too few
  put(320, line_id);
  EXPECT_EQ(detect_text_encoding(few), TextEncoding::ascii);
  EXPECT_FALSE(is_text_block(few));
  few[2000] = std::byte{0x01};
  EXPECT_EQ(detect_text_encoding(few), TextEncoding::unknown);

  std::mt19937 random(1);
  Block noise;
  for (std::byte& b : noise) b = static_cast<std::byte>(random() & 0xFFU);
  EXPECT_EQ(detect_text_encoding(noise), TextEncoding::unknown);
}

TEST(DetectTextEncoding, AgreesWithAnIndependentParserOnRealFiles) {
  const char* folder = std::getenv("SILL_SAMPLES");
  if (folder == nullptr || !std::filesystem::exists(std::filesystem::path(folder) / "MANIFEST.tsv")) {
    GTEST_SKIP() << "SILL_SAMPLES names no folder with a MANIFEST.tsv";
  }
  std::ifstream manifest(std::filesystem::path(folder) / "MANIFEST.tsv");
  int checked = 0;
  for (std::string row; std::getline(manifest, row);) {
    const std::size_t at = row.find("text=");
    if (at == std::string::npos) continue;
    const std::string name = row.substr(0, row.find('\t'));
    std::string expected;
    std::istringstream(row.substr(at + 5)) >> expected;
    // That parser goes by the first byte. Both files that begin with NUL are ASCII padded with it.
    if (expected == "other:00") expected = "ASCII";
    Block block{};
    std::ifstream file(std::filesystem::path(folder) / name, std::ios::binary);
    file.read(reinterpret_cast<char*>(block.data()), text_header_bytes);
    ASSERT_TRUE(file) << name;
    EXPECT_EQ(name_of(detect_text_encoding(block)), expected) << name;
    ++checked;
  }
  EXPECT_GT(checked, 0);
}

}  // namespace
}  // namespace sill::segy
