// Texts that users gave, trimmed and quoted in messages.
#include "sill/base/user_text.hpp"

#include <gtest/gtest.h>

#include <string>

namespace sill {
namespace {

TEST(UserText, BlanksAtBothEndsGo) {
  EXPECT_EQ(trimmed(" \t a b\r\n"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \n"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(UserText, WhatCanBePrintedIsToldAsItIs) {
  for (const char* text : {"", "stage=4M", "`a` 'b' \\", "Größe", "尺寸", "😀", "\u00A0"}) EXPECT_EQ(echoed(text), text);
}

TEST(UserText, ControlCharactersAndBrokenOnesAreEscaped) {
  EXPECT_EQ(echoed("a\nb\r\tc"), "a\\nb\\r\\tc");
  EXPECT_EQ(echoed("\x1B[31mred\x7F"), "\\x1B[31mred\\x7F");
  EXPECT_EQ(echoed(std::string("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(echoed("\xC2\x9B"), "\\xC2\\x9B") << "an escape sequence may begin with this one, too";
  EXPECT_EQ(echoed("Gr\xF6\xDF"), "Gr\\xF6\\xDF") << "Latin-1";
  EXPECT_EQ(echoed("\xC0\x8A\x80\xE5\xB0"), "\\xC0\\x8A\\x80\\xE5\\xB0") << "too long, or without an end";
}

TEST(UserText, LongTextsAreCutBetweenCharacters) {
  EXPECT_EQ(echoed(std::string(80, 'a')), std::string(80, 'a'));
  EXPECT_EQ(echoed(std::string(81, 'a')), std::string(77, 'a') + "...");
  EXPECT_EQ(echoed(std::string(1000000, 'a')), std::string(77, 'a') + "...");
  std::string umlauts;
  for (int i = 0; i < 80; ++i) umlauts += "ä";
  EXPECT_EQ(echoed(umlauts), umlauts);
  EXPECT_EQ(echoed(umlauts + "ä"), umlauts.substr(0, 2 * 77) + "...");
  EXPECT_EQ(echoed(std::string(100, '\n')).size(), 76U + 3U) << "no half of an escape";
}

}  // namespace
}  // namespace sill
