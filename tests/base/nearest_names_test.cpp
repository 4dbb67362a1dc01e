// Names that a misspelt one may have been meant to be.
#include "sill/base/nearest_names.hpp"

#include <gtest/gtest.h>

#include <array>

namespace sill {
namespace {

using Names = std::vector<std::string>;

constexpr std::array<std::string_view, 6> known{"staged", "stage", "gathered", "read_ahead", "READ-AHEAD", "n"};

TEST(NearestNamesTest, TheNearestComeFirst) {
  EXPECT_EQ(nearest_names("stagde", known), (Names{"staged", "stage"}));
  EXPECT_EQ(nearest_names("gatherd", known), Names{"gathered"});
  EXPECT_EQ(nearest_names("STAGED", known), (Names{"staged", "stage"}));
}

TEST(NearestNamesTest, CaseAndWhatIsPutBetweenPartsDoNotCount) {
  EXPECT_EQ(nearest_names("ReadAhead", known), Names{"read_ahead"}) << "and the other spelling is told once";
}

TEST(NearestNamesTest, WhatIsFarIsNotTold) {
  EXPECT_EQ(nearest_names("x", known), Names{}) << "another letter is another name";
  EXPECT_EQ(nearest_names("colour", known), Names{});
  EXPECT_EQ(nearest_names("", known), Names{});
  EXPECT_EQ(nearest_names("staged", {}), Names{});
}

TEST(NearestNamesTest, LettersTooManyOrTooFewCountEach) {
  constexpr std::array<std::string_view, 2> long_names{"abcdefghijklmno", "abcdefghijkl"};
  EXPECT_EQ(nearest_names("abcdefghijklmnopqrs", long_names), Names{"abcdefghijklmno"}) << "four more are near";
  EXPECT_EQ(nearest_names("abcdefghijklmnopqrst", long_names), Names{}) << "five are not";
  EXPECT_EQ(nearest_names(std::string(1 << 20, 'a'), long_names), Names{});
}

TEST(NearestNamesTest, AtMostThreeAreTold) {
  constexpr std::array<std::string_view, 5> alike{"abc1", "abc2", "abc3", "abc4", "abc"};
  EXPECT_EQ(nearest_names("abc5", alike), (Names{"abc1", "abc2", "abc3"}));
}

TEST(NearestNamesTest, TheyBecomeAQuestion) {
  EXPECT_EQ(did_you_mean({}), "");
  EXPECT_EQ(did_you_mean(Names{"staged"}), "did you mean staged? ");
  EXPECT_EQ(did_you_mean(Names{"staged", "stage"}), "did you mean staged, stage? ");
}

}  // namespace
}  // namespace sill
