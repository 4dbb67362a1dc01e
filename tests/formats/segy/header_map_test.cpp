// Header maps: presets, files, layers, what moves with a word.
#include "sill/formats/segy/words/header_map.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/formats/segy/words/layout_stanza.hpp"

namespace sill::segy {
namespace {

std::string map_error(std::string_view text) {
  try {
    static_cast<void>(HeaderMap::parse(text, "my.map"));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_EQ(error.parts().where.file, "my.map");
    EXPECT_FALSE(error.parts().action.empty());
    return error.what();
  }
  ADD_FAILURE() << text << " was accepted";
  return {};
}

TEST(StandardMap, KnowsEveryWordByEveryName) {
  const HeaderMap& map = HeaderMap::standard();
  for (const auto words : {trace_words(), former_trace_words(), extension_words()}) {
    for (const Word& word : words) {
      for (const std::string_view name : {word.segyio, word.su, word.standard}) {
        if (name.empty()) continue;
        ASSERT_NE(map.find(name), nullptr) << name;
        EXPECT_EQ(map.find(name)->standard, &word) << name;
        EXPECT_EQ(map.find(name)->byte, word.byte_in_trace());
      }
    }
  }
  EXPECT_EQ(map.find("ffid"), nullptr) << "layout names are for layouts";
  EXPECT_TRUE(std::ranges::is_sorted(map.all(), {}, &MapWord::byte));
  EXPECT_EQ(map.word("sx").scaling, (Scaling{Scaling::Kind::word, 1.0, 71, {WordKind::signed_integer, 2}}));
  EXPECT_EQ(map.word("sx").twin_byte, 0) << "no additional headers are known of";
  EXPECT_EQ(map.word("@73:i4").scaling, map.word("sx").scaling);
  EXPECT_EQ(map.word("@73:i2").standard, nullptr);
}

TEST(Presets, PutWordsWhereTheySay) {
  const HeaderMap petrel = HeaderMap::preset("Petrel");
  EXPECT_EQ(petrel.word("iline").byte, 5);
  EXPECT_EQ(petrel.word("INLINE_3D").byte, 5);
  EXPECT_EQ(petrel.word("crossline").byte, 21);
  EXPECT_EQ(petrel.word("cdpx").byte, 73);
  EXPECT_EQ(petrel.word("CDP_Y").byte, 77);
  EXPECT_EQ(petrel.word("cdpx").scaling.byte, 71) << "it keeps its scalar";
  EXPECT_EQ(petrel.word("offset").byte, 37);
  const HeaderMap extension = HeaderMap::preset("rev2.1-ext1");
  EXPECT_EQ(extension.word("sx").byte, 240 + 97);
  EXPECT_EQ(name_of(extension.word("sx").type), "f8");
  EXPECT_EQ(extension.word("sx").scaling.kind, Scaling::Kind::none);
  EXPECT_EQ(name_of(extension.word("cdp").type), "i8");
  EXPECT_EQ(name_of(extension.word("tracl").type), "u8");
  EXPECT_EQ(extension.word("gaps").byte, 177);
  const HeaderMap su = HeaderMap::preset("su");
  EXPECT_EQ(su.word("d1").byte, 181);
  EXPECT_EQ(name_of(su.word("f2").type), "f4");
  EXPECT_EQ(su.word("ntr").byte, 205);
  EXPECT_EQ(su.word("mark").byte, 209);
  EXPECT_EQ(su.word("SourceX").byte, 73);
  for (const std::string_view name : {"cdpx", "iline", "sp", "scalsp", "SEG00001.cdp", "header_name"}) {
    EXPECT_EQ(su.find(name), nullptr) << name;
  }
  try {
    static_cast<void>(HeaderMap::preset("petrol"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean petrel?"), std::string::npos);
  }
}

constexpr std::string_view toml = R"(base = "standard"
[words.iline]
byte = 5
type = "i4"
also = ["my_line"]
[words.depth]
byte = 233
type = "f4"
scalar = 0.3048
unit = "m"
text = "depth"
[words.gelev]
byte = 197
type = "i4"
[words.cdpx]
byte = 201
type = "i4"
scalar = "scalel"
)";

constexpr std::string_view json = R"({"base": "standard", "words": {
  "iline": {"byte": 5, "type": "i4", "also": ["my_line"]},
  "depth": {"byte": 233, "type": "f4", "scalar": 0.3048, "unit": "m", "text": "depth"},
  "gelev": {"byte": 197, "type": "i4"},
  "cdpx": {"byte": 201, "type": "i4", "scalar": "scalel"}}})";

TEST(MapFiles, SayTheSameInTomlAndJson) {
  for (const std::string_view text : {toml, json}) {
    const HeaderMap map = HeaderMap::parse(text, "my.map");
    for (const std::string_view name : {"iline", "inline", "INLINE_3D", "MY_LINE"}) {
      EXPECT_EQ(map.word(name).byte, 5) << name;
      EXPECT_EQ(map.word(name).name, name);
    }
    EXPECT_EQ(map.find("depth")->unit, "m");
    EXPECT_EQ(map.find("depth")->text, "depth");
    EXPECT_EQ(map.find("depth")->standard, nullptr);
    EXPECT_EQ(map.word("depth").scaling, (Scaling{Scaling::Kind::factor, 0.3048, 0, {}}));
    EXPECT_EQ(map.word("gelev").scaling.byte, 69) << "an integer keeps the scalar of the word";
    EXPECT_EQ(map.word("cdpx").scaling.byte, 69);
    EXPECT_EQ(map.find("gelev")->text, "receiver group elevation");
  }
}

TEST(MapFiles, MoveScalarsForAllThatTheyScale) {
  const HeaderMap map = HeaderMap::parse("[words.co]\nbyte=17\ntype='i4'\nalso=['scalco']", "my.map");
  EXPECT_EQ(map.word("sx").scaling, (Scaling{Scaling::Kind::word, 1.0, 17, {WordKind::signed_integer, 4}}));
  EXPECT_EQ(map.word("co").byte, 17);
  const HeaderMap bad = HeaderMap::parse("[words.scalco]\nbyte=17\ntype='f4'", "my.map");
  EXPECT_EQ(bad.word("sx").scaling.kind, Scaling::Kind::missing) << "a float is no scalar";
  EXPECT_EQ(HeaderMap::parse("[words.sx]\nbyte=73\ntype='i4'\nscalar=1", "m").word("sx").scaling.kind,
            Scaling::Kind::none);
}

TEST(MapFiles, AreRefusedWithFileLineAndWhatIsAllowed) {
  struct Case {
    std::string_view text;
    std::vector<std::string_view> stated;
  };
  const std::vector<Case> cases = {
      {"", {"empty"}},
      {"base = ", {"line 1", "TOML"}},
      {"{\"words\": {}", {"JSON"}},
      {"{\n\n\"words\": x}", {"line 3", "JSON"}},
      {"bass = 'petrel'", {"line 1", "bass", "did you mean base?"}},
      {"base = 5", {"line 1", "not a string"}},
      {"base = 'petrol'", {"petrol", "did you mean petrel?"}},
      {"words = 3", {"line 1", "table"}},
      {"[words]\niline = 5", {"line 2", "iline"}},
      {"[words.iline]\nbyte = 5\ntype = 'i4'\nscaler = 1", {"line 4", "scaler", "did you mean scalar?"}},
      {"[words.iline]\nbyte = 5", {"line 1", "no type"}},
      {"[words.iline]\ntype = 'i4'", {"line 1", "byte"}},
      {"[words.iline]\nbyte = '5'\ntype = 'i4'", {"line 2", "integer"}},
      {"[words.iline]\nbyte = 5.5\ntype = 'i4'", {"line 2", "integer"}},
      {"[words.iline]\nbyte = 5\ntype = 'int4'", {"line 3", "int4", "i1-i8"}},
      {"[words.iline]\nbyte = 5\ntype = 4", {"line 3", "not a string"}},
      {"[words.iline]\nbyte = 0\ntype = 'i4'", {"line 2", "byte 0"}},
      {"[words.iline]\nbyte = 238\ntype = 'i4'", {"line 2", "beyond byte 240"}},
      {"[words.iline]\nbyte = 15601\ntype = 'i1'", {"line 2", "15601"}},
      {"{\"words\": {\"a\": {\"byte\": 18446744073709551615, \"type\": \"i1\"}}}", {"not a byte of a trace's headers"}},
      {"[words.iline]\nbyte = 5\ntype = 'i4'\nscalar = 'scalcoo'", {"scalcoo", "did you mean scalco?"}},
      {"[words.iline]\nbyte = 5\ntype = 'i4'\nscalar = 'iline'", {"another word"}},
      {"[words.iline]\nbyte = 5\ntype = 'i4'\nscalar = 'header_name'", {"integer"}},
      {"[words.iline]\nbyte = 5\ntype = 'i4'\nscalar = 0", {"line 4", "0"}},
      {"[words.iline]\nbyte = 5\ntype = 'i4'\nscalar = nan", {"line 4", "finite"}},
      {"[words.iline]\nbyte = 5\ntype = 'i4'\nscalar = true", {"line 4", "neither"}},
      {"[words.label]\nbyte = 5\ntype = 'a4'\nscalar = 2", {"line 4", "text has no scalar"}},
      {"[words.iline]\nbyte = 5\ntype = 'i4'\nalso = 'x'", {"line 4", "list"}},
      {"[words.iline]\nbyte = 5\ntype = 'i4'\nalso = [5]", {"line 4", "not a string"}},
      {"[words.iline]\nbyte = 5\ntype = 'i4'\nalso = ['ILINE']", {"line 1", "twice"}},
      {"[words.iline]\nbyte = 5\ntype = 'i4'\nalso = ['cdp']", {"different words"}},
      {"[words.iline]\nbyte = 5\ntype = 'i4'\n[words.INLINE_3D]\nbyte = 9\ntype = 'i4'", {"another name of iline"}},
      {"[words.a]\nbyte = 5\ntype = 'i4'\n[words.a]\nbyte = 9\ntype = 'i4'", {"TOML"}},
      {"{\"words\": {\"a\": {\"byte\": 5, \"type\": \"i4\"}, \"a\": {\"byte\": 9, \"type\": \"i4\"}}}",
       {"'a'", "twice"}},
      {"[words.'a,b']\nbyte = 5\ntype = 'i4'", {"line 1", "name of a word"}},
      {"[words.file]\nbyte = 5\ntype = 'i4'", {"name of a word"}},
      {"[words.'@5']\nbyte = 5\ntype = 'i4'", {"name of a word"}}};
  for (const Case& one : cases) {
    const std::string error = map_error(one.text);
    for (const std::string_view part : one.stated) {
      EXPECT_NE(error.find(part), std::string::npos) << one.text << "\n" << error;
    }
  }
}

TEST(MapFiles, OfAnyBytesAreRefusedOrTaken) {
  // Every cut and every damaged byte of both forms: an Error or a map, never anything else.
  for (const std::string_view text : {toml, json}) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      for (const char c : {'\0', '"', '[', '{', '\xFF', 'x'}) {
        std::string damaged(text);
        damaged[i] = c;
        try {
          static_cast<void>(HeaderMap::parse(damaged, "my.map"));
        } catch (const Error& error) {
          EXPECT_EQ(error.code(), ErrorCode::usage);
        }
      }
      try {
        static_cast<void>(HeaderMap::parse(text.substr(0, i), "my.map"));
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ErrorCode::usage);
      }
    }
  }
  EXPECT_NE(map_error(std::string(100000, '[')), "");
  EXPECT_NE(map_error("{\"a\":" + std::string(100000, '[')), "");
}

TEST(Layers, PutTheUsersOverTheFilesOverTheStandard) {
  const LayoutStanza stanza = parse_layout_stanza(
      "<segy-layout><entry name='iline' byte='1' type='int4'/><entry name='xline' byte='5' type='int4'/></segy-layout>",
      "file.sgy");
  const HeaderMap user = HeaderMap::parse("[words.xline]\nbyte = 29\ntype = 'i2'", "my.map");
  const HeaderMap map = words_of(HeaderKind::segy, {}, &stanza, &user);
  EXPECT_EQ(map.word("iline").byte, 1);
  EXPECT_EQ(map.word("xline").byte, 29);
  EXPECT_EQ(map.word("cdp").byte, 21);
  EXPECT_EQ(map.find("tracl"), nullptr) << "the layout has something else there";
  const HeaderMap standard = HeaderMap::preset("standard");
  EXPECT_EQ(words_of(HeaderKind::segy, {}, &stanza, &standard).word("iline").byte, 189);
  EXPECT_NE(words_of(HeaderKind::segy, {}, &stanza, &standard).find("tracl"), nullptr);
  const HeaderMap petrel = HeaderMap::parse("base = 'petrel'\n[words.iline]\nbyte = 9\ntype = 'i4'", "my.map");
  EXPECT_EQ(petrel.word("iline").byte, 9) << "the file's own words count before its base";
  EXPECT_EQ(words_of(HeaderKind::segy, {}, nullptr, &petrel).word("iline").byte, 9);
  EXPECT_EQ(words_of(HeaderKind::segy, {}, nullptr, &petrel).word("xline").byte, 21);
  EXPECT_EQ(words_of(HeaderKind::su, {}, nullptr, nullptr).word("d1").byte, 181);
  EXPECT_EQ(words_of(HeaderKind::su, {}, nullptr, nullptr).find("iline"), nullptr);
}

TEST(Layers, OfRevision0HaveNoScalarOfTimes) {
  const HeaderMap old = words_of(HeaderKind::segy_of_revision_0, {}, nullptr, nullptr);
  EXPECT_EQ(old.word("delrt").scaling.kind, Scaling::Kind::none) << "bytes 215-216 are unassigned";
  EXPECT_EQ(old.word("sx").scaling.byte, 71);
  EXPECT_EQ(words_of(HeaderKind::segy, {}, nullptr, nullptr).word("delrt").scaling.byte, 215);
  const HeaderMap user = HeaderMap::parse("[words.delrt]\nbyte = 109\ntype = 'i2'\nscalar = 'sctrh'", "my.map");
  EXPECT_EQ(words_of(HeaderKind::segy_of_revision_0, {}, nullptr, &user).word("delrt").scaling.byte, 215)
      << "who knows better can say so";
}

TEST(Layers, HaveNoWordsOfExtension1WhereTheHeaderIsAnother) {
  const HeaderMap map = words_of(HeaderKind::segy, std::vector<std::string>{"", "OWN"}, nullptr, nullptr);
  EXPECT_EQ(map.additional_headers(), 1);
  EXPECT_EQ(map.find("SEG00001.sht_x"), nullptr);
  EXPECT_EQ(map.word("sx").twin_byte, 0);
  EXPECT_EQ(map.word("@241:i4").standard, nullptr);
}

TEST(Layers, OfFilesHaveNoWordsOfHeadersThatAreNotThere) {
  const HeaderMap one = words_of(HeaderKind::segy, {}, nullptr, nullptr);
  const HeaderMap two = words_of(HeaderKind::segy, std::vector<std::string>{"", "SEG00001"}, nullptr, nullptr);
  for (const std::string_view word : {"@241:i4", "SEG00001.sht_x"}) {
    EXPECT_EQ(two.word(word).byte, HeaderMap::standard().word(word).byte);
    try {
      static_cast<void>(one.word(word));
      FAIL() << word;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_NE(std::string(error.what()).find("additional header 1"), std::string::npos);
    }
  }
  EXPECT_THROW(static_cast<void>(two.word("@481:i1")), Error);
  const HeaderMap extension = HeaderMap::preset("rev2.1-ext1");
  EXPECT_THROW(static_cast<void>(words_of(HeaderKind::segy, {}, nullptr, &extension).word("sx")), Error);
}

TEST(Layers, LeaveExtension1ToWordsThatNoUserMoved) {
  const HeaderMap user = HeaderMap::parse("[words.sx]\nbyte = 73\ntype = 'i4'", "my.map");
  const HeaderMap map = words_of(HeaderKind::segy, std::vector<std::string>{"", "SEG00001"}, nullptr, &user);
  EXPECT_EQ(map.word("sx").twin_byte, 0);
  EXPECT_EQ(map.word("sy").twin_byte, 240 + 105);
  EXPECT_EQ(name_of(map.word("sy").twin_type), "f8");
}

}  // namespace
}  // namespace sill::segy
