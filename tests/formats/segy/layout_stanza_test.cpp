// Layout stanzas: found, read, and refused without harm.
#include "sill/formats/segy/words/layout_stanza.hpp"

#include <gtest/gtest.h>
// RapidCheck's header needs gtest's before it.
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/segy/words/key.hpp"
#include "sill/formats/segy/words/layout_entries.hpp"

namespace sill::segy {
namespace {

std::vector<std::byte> bytes_of(std::string_view text) {
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

const LayerWord* word_of(const LayoutStanza& stanza, std::string_view name) {
  for (const LayerWord& word : stanza.words) {
    const bool is_it = std::ranges::find(word.names, name) != word.names.end() ||
                       std::ranges::find(word.if_free, name) != word.if_free.end();
    if (is_it) return &word;
  }
  return nullptr;
}

std::string stated(const LayoutStanza& stanza) {
  std::string text;
  for (const Diagnostic& one : stanza.diagnostics) text += one.problem + "; " + one.action + "\n";
  return text;
}

TEST(FindLayoutStanza, TakesItsTextUntilTheNextStanza) {
  const std::string text = "((SEG: Other))\nabc\n((seg : LAYOUT:text/xml))<a>((b))</a>  ((SEG:EndText))  ";
  EXPECT_EQ(find_layout_stanza(bytes_of(text)), "<a>((b))</a>  ");
  EXPECT_EQ(find_layout_stanza(bytes_of("((SEG:Layout))<a/>")), "<a/>");
  EXPECT_EQ(find_layout_stanza(bytes_of("((SEG:Other))<a/>")), std::nullopt);
  EXPECT_EQ(find_layout_stanza(bytes_of("((SEG:Layout")), std::nullopt);
  EXPECT_EQ(find_layout_stanza({}), std::nullopt);
  std::vector<std::byte> ebcdic;
  for (const int b :
       {0x4D, 0x4D, 0xE2, 0xC5, 0xC7, 0x7A, 0xD3, 0x81, 0xA8, 0x96, 0xA4, 0xA3, 0x5D, 0x5D, 0x4C, 0x81, 0x61, 0x6E}) {
    ebcdic.push_back(static_cast<std::byte>(b));
  }
  EXPECT_EQ(find_layout_stanza(ebcdic), "<a/>");
}

TEST(Layout, PutsStandardWordsElsewhereByTheirLayoutNames) {
  const LayoutStanza stanza = parse_layout_stanza(
      "<?xml version='1.0'?><segy-layout><entry name='ffid' byte='1' type='int4'/>"
      "<entry name='sht_x' byte='5' type='coor4'/><entry name='fold' byte='9' type='int2'/></segy-layout>",
      "file.sgy");
  EXPECT_EQ(stated(stanza), "");
  const HeaderMap map = words_of(HeaderKind::segy, {}, &stanza, nullptr);
  for (const std::string_view name : {"ffid", "fldr", "FieldRecord"}) EXPECT_EQ(map.word(name).byte, 1) << name;
  EXPECT_EQ(map.word("sx").byte, 5);
  EXPECT_EQ(map.word("sx").scaling.byte, 71);
  EXPECT_EQ(map.word("nhs").byte, 9);
  EXPECT_EQ(map.word("fold").byte, 9);
}

TEST(Layout, FindsHeadersByNameElseByOrder) {
  const std::string xml =
      "<segy-layout><extension name='B'><entry name='x' byte='1' type='int2'/></extension>"
      "<extension name='A'><entry name='x' byte='3' type='int2'/></extension></segy-layout>";
  const auto byte_of = [&](const std::vector<std::string>& names, std::string_view word) {
    const LayoutStanza stanza = parse_layout_stanza(xml, "file.sgy", names);
    const HeaderMap map = words_of(HeaderKind::segy, std::vector<std::string>{"", "", ""}, &stanza, nullptr);
    return map.find(word) == nullptr ? 0 : map.word(word).byte;
  };
  EXPECT_EQ(byte_of({}, "B.x"), 241);
  EXPECT_EQ(byte_of({}, "A.x"), 483);
  EXPECT_EQ(byte_of({}, "x"), 241);
  EXPECT_EQ(byte_of({"", "A", "B"}, "A.x"), 243);
  EXPECT_EQ(byte_of({"", "A", "B"}, "B.x"), 481);
  EXPECT_EQ(byte_of({"", "", ""}, "A.x"), 483);
  EXPECT_EQ(byte_of({"", "C", "A"}, "B.x"), 0) << "the first additional header is another";
  EXPECT_EQ(byte_of({"", "C", "A"}, "A.x"), 483);
}

TEST(Layout, LeavesOutWhatItCannotTakeAndTells) {
  const auto problem = [](const std::string& entry) {
    const LayoutStanza stanza = parse_layout_stanza("<segy-layout>" + entry + "</segy-layout>", "file.sgy");
    EXPECT_LE(stanza.words.size(), 1U);
    return stated(stanza);
  };
  EXPECT_NE(problem("<entry name='a' byte='1' type='int3'/>").find("unknown type 'int3'"), std::string::npos);
  EXPECT_NE(problem("<entry name='a' byte='0' type='int4'/>").find("byte '0'"), std::string::npos);
  EXPECT_NE(problem("<entry name='a' byte='238' type='int4'/>").find("byte '238'"), std::string::npos);
  EXPECT_NE(problem("<entry name='a' byte='236' type='scale6'/>").find("byte '236'"), std::string::npos);
  EXPECT_EQ(problem("<entry name='a' byte='235' type='scale6'/>"), "");
  EXPECT_NE(problem("<entry name='a' byte='1e9' type='int4'/>").find("byte '1e9'"), std::string::npos);
  EXPECT_NE(problem("<entry name='' byte='1' type='int4'/>").find("name"), std::string::npos);
  EXPECT_NE(problem("<entry name='a,b' byte='1' type='int4'/>").find("name"), std::string::npos);
  EXPECT_NE(problem("<entry/>").find("name"), std::string::npos);
  EXPECT_NE(problem("<surprise/>").find("surprise"), std::string::npos);
  EXPECT_NE(problem("<entry name='a' byte='1' type='int4' if-non-zero='1'/>").find("only valid if"), std::string::npos);
  EXPECT_NE(
      problem("<entry name='sx' byte='1' type='int4'/><entry name='SourceX' byte='5' type='int4'/>").find("twice"),
      std::string::npos)
      << "two names of one word";
}

TEST(Layout, ThatIsNoneGivesNoWordsAndADiagnostic) {
  std::string nested;
  for (int i = 0; i < 200000; ++i) nested += "<a>";
  std::string closed;
  for (int i = 0; i < 200000; ++i) closed += "</a>";
  std::string many = "<segy-layout>";
  for (int i = 0; i < 20000; ++i) {
    many += "<entry name='w" + std::to_string(i) + "' byte='1' type='int2'/>";
  }
  many += "</segy-layout>";
  const std::string laughs =
      "<!DOCTYPE l [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;'>]><segy-layout><entry name='&b;' byte='1' "
      "type='int4'/></segy-layout>";
  for (const std::string& xml :
       {std::string(), std::string("no xml"), std::string("<segy-layout>"), std::string("<other/>"), nested,
        nested + closed, "<segy-layout>" + nested + closed + "</segy-layout>", many, laughs,
        std::string(5 << 20, ' ')}) {
    const LayoutStanza stanza = parse_layout_stanza(xml, "file.sgy");
    EXPECT_TRUE(stanza.words.empty()) << xml.substr(0, 50);
    EXPECT_FALSE(stanza.diagnostics.empty()) << xml.substr(0, 50);
  }
}

constexpr std::string_view sound =
    "<?xml version='1.0'?><segy-layout name='x'><desc>y</desc><entry name='iline' byte='1' type='int4'/>"
    "<entry name='co_scal' byte='17' type='ieee32'/><entry name='cdp_x' byte='9' type='coor4'/><extension name='E'>"
    "<entry name='s' byte='83' type='scale6'/></extension></segy-layout>";

TEST(Layout, CutAnywhereHarmsNothing) {
  for (std::size_t length = 0; length <= sound.size(); ++length) {
    const LayoutStanza stanza = parse_layout_stanza(sound.substr(0, length), "file.sgy");
    if (stanza.words.empty()) {
      EXPECT_FALSE(stanza.diagnostics.empty()) << length;
    }
    static_cast<void>(words_of(HeaderKind::segy, std::vector<std::string>{"", "TYPES"}, &stanza, nullptr));
  }
}

RC_GTEST_PROP(Layout, DamagedAnywhereHarmsNothing, (std::vector<std::pair<std::uint16_t, char>> damages)) {
  std::string xml(sound);
  for (const auto& [at, c] : damages) xml[at % xml.size()] = c;
  const LayoutStanza stanza = parse_layout_stanza(xml, "file.sgy");
  RC_ASSERT(!stanza.words.empty() || !stanza.diagnostics.empty());
  static_cast<void>(words_of(HeaderKind::segy, std::vector<std::string>{"", "TYPES"}, &stanza, nullptr));
}

TEST(Layout, OfOneWordUnderManyNamesNeverContradictsItself) {
  std::string xml = "<segy-layout>";
  for (const Word& word : trace_words()) {
    for (const std::string_view name : {word.segyio, word.su, word.standard, word.layout}) {
      xml += "<entry name='" + std::string(name) + "' byte='1' type='int2'/>";
    }
  }
  xml +=
      "<extension name='A'><entry name='B.bar' byte='1' type='int2'/></extension>"
      "<extension name='B'><entry name='bar' byte='1' type='int2'/></extension></segy-layout>";
  const LayoutStanza stanza = parse_layout_stanza(xml, "file.sgy");
  const HeaderMap map = words_of(HeaderKind::segy, std::vector<std::string>{"", "", ""}, &stanza, nullptr);
  EXPECT_EQ(map.word("B.bar").byte, 481);
  EXPECT_EQ(map.word("A.B.bar").byte, 241);
}

TEST(Layout, OfARealFileIsReadAsItsValuesSay) {
  const char* const samples = std::getenv("SILL_SAMPLES");
  if (samples == nullptr) GTEST_SKIP() << "set SILL_SAMPLES to a folder with segyio_mapping-all-types.sgy";
  std::ifstream file(std::string(samples) + "/segyio_mapping-all-types.sgy", std::ios::binary);
  ASSERT_TRUE(file) << "the sample is not there";
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  const std::vector<std::byte> bytes = bytes_of(content);
  ASSERT_EQ(bytes.size(), 7792U);
  const auto xml = find_layout_stanza(std::span(bytes).subspan(3600, 3200));
  ASSERT_TRUE(xml);
  const std::byte* const trace = bytes.data() + 6800;
  const auto name_of_header = [&](int header) {
    return read_word(trace + 240 * header, 233, {WordKind::text, 8}, ByteOrder::big).text();
  };
  EXPECT_EQ(name_of_header(1), "TYPES") << "it is in EBCDIC";
  const LayoutStanza stanza = parse_layout_stanza(*xml, "file.sgy", std::vector{name_of_header(0), name_of_header(1)});
  EXPECT_EQ(stated(stanza), "");
  EXPECT_EQ(stanza.words.size(), 9U + 18U);
  const HeaderMap map = words_of(HeaderKind::segy, std::vector<std::string>{"", "TYPES"}, &stanza, nullptr);
  const auto value = [&](std::string_view key) {
    return TraceKey::parse(key, map).value({trace, ByteOrder::big, 1}).text();
  };
  // Values as segyio 2.0 gives them.
  const std::pair<std::string_view, std::string_view> expected[] = {
      {"iline", "1"},  {"xline", "20"}, {"offset", "1"},   {"dt", "0"},       {"delay", "9"},     {"int2", "1"},
      {"int4", "2"},   {"int8", "3"},   {"uint2", "4"},    {"uint4", "5"},    {"uint8", "6"},     {"ibmfp", "7"},
      {"ieee32", "8"}, {"ieee64", "9"}, {"linetrc", "10"}, {"reeltrc", "11"}, {"linetrc8", "12"}, {"reeltrc8", "13"},
      {"coor4", "14"}, {"elev4", "15"}, {"time2", "16"},   {"spnum4", "17"},  {"scale6", "18"}};
  for (const auto& [key, text] : expected) EXPECT_EQ(value(key), text) << key;
  EXPECT_EQ(value("true(coor4)"), "28") << "co_scal is 2";
  EXPECT_EQ(value("true(elev4)"), "45") << "ed_scal is 3";
  EXPECT_EQ(value("true(scale6)"), "1.8e+20") << "the power of ten is 19";
  EXPECT_EQ(value("TYPES.int8"), "3");
  EXPECT_EQ(word_of(stanza, "dt")->byte, 13);
}

TEST(LayoutEntries, AreAllThatTheLayoutStates) {
  const std::vector<LayoutHeader> headers = layout_entries(
      "<segy-layout><entry name='a' byte='1' type='coor4'/><extension name='not a key'>"
      "<entry name='b c' byte='235' type='scale6' if-non-zero='1'/></extension></segy-layout>");
  ASSERT_EQ(headers.size(), 2U);
  EXPECT_EQ(headers[0].name, "SEG00000");
  EXPECT_EQ(headers[0].entries.at(0).type->scalar, "scalco");
  EXPECT_EQ(headers[1].name, "not a key");
  EXPECT_EQ(headers[1].entries.at(0).name, "b c");
  EXPECT_EQ(headers[1].entries.at(0).byte, 235);
  EXPECT_TRUE(headers[1].entries.at(0).type->has_exponent);
  EXPECT_TRUE(headers[1].entries.at(0).only_non_zero);
}

TEST(LayoutEntries, RefusesWhatCannotBeUsed) {
  for (const std::string_view xml :
       {"", "<a/>", "<segy-layout>", "<segy-layout><entry byte='1' type='int2'/></segy-layout>",
        "<segy-layout><entry name='a' byte='x' type='int2'/></segy-layout>",
        "<segy-layout><entry name='a' byte='240' type='int2'/></segy-layout>",
        "<segy-layout><entry name='a' byte='1' type='int3'/></segy-layout>"})
    EXPECT_THROW((void)layout_entries(xml), Error) << xml;
}

}  // namespace
}  // namespace sill::segy
