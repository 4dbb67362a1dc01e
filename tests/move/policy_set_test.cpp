// Policies for each output of a program.
#include "sill/move/policy/policy_set.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <array>
#include <string>
#include <vector>

#include "move/any_policy.hpp"
#include "sill/base/error.hpp"
#include "store/thrown.hpp"

namespace sill {
namespace {

TEST(PolicySetTest, OnePolicyIsForEveryOutput) {
  const PolicySet set = PolicySet::parse("elected,threads=2");
  EXPECT_EQ(set, PolicySet(Policy::parse("elected,threads=2")));
  EXPECT_EQ(set.of("stations"), Policy::parse("elected,threads=2"));
  EXPECT_EQ(set.others(), set.of("stations"));
  EXPECT_TRUE(set.named().empty());
  EXPECT_EQ(PolicySet{}.of("stations"), Policy::automatic());
}

TEST(PolicySetTest, NamedOutputsHaveTheirOwn) {
  for (const char* text :
       {"stations:stage=64K; surfaces:aggregated; elected", "elected;stations:stage=64K;surfaces:aggregated",
        "  surfaces : aggregated ;elected ; stations:stage=64K "}) {
    const PolicySet set = PolicySet::parse(text);
    EXPECT_EQ(set.of("stations"), Policy::parse("stage=64K")) << "a named part does not change the other";
    EXPECT_EQ(set.of("surfaces"), Policy::parse("aggregated"));
    EXPECT_EQ(set.of("volumes"), Policy::parse("elected"));
    EXPECT_EQ(set.named().size(), 2U);
  }
  EXPECT_EQ(PolicySet::parse("stations:stage=64K").of("surfaces"), Policy::automatic());
  EXPECT_EQ(PolicySet::parse("a-1_z:staged").of("a-1_z"), Policy::parse("staged"));
}

TEST(PolicySetTest, OneSetIsPutOverAnother) {
  const PolicySet before = PolicySet::parse("elected; stations:gathered; volumes:staged");
  EXPECT_EQ(PolicySet::parse_over("stations:aggregated; surfaces:direct", before),
            PolicySet::parse("elected; stations:aggregated; volumes:staged; surfaces:direct"));
  EXPECT_EQ(PolicySet::parse_over("stations:aggregated; staged", before),
            PolicySet::parse("staged; stations:aggregated"));
  EXPECT_EQ(PolicySet::parse_over("auto", before), PolicySet());
}

TEST(PolicySetTest, WorkersCanBeSetInAllPolicies) {
  EXPECT_EQ(PolicySet::parse("elected; stations:gathered,threads=2").with_threads(5),
            PolicySet::parse("elected,threads=5; stations:gathered,threads=5"));
}

TEST(PolicySetTest, WhatIsPrintedIsReadBack) {
  EXPECT_TRUE(rc::check([] {
    std::string text = test::any_policy().text();
    std::vector<std::string> names;
    const int count = *rc::gen::inRange(0, 4);
    for (int i = 0; i < count; ++i) {
      names.push_back(*rc::gen::nonEmpty(
          rc::gen::container<std::string>(rc::gen::elementOf(std::string("abcdefghijklmnopqrstuvwxyz0123456789_-")))));
      names.back() += static_cast<char>('0' + i);  // none twice
    }
    std::vector<Policy> policies;
    for (const std::string& name : names) {
      policies.push_back(test::any_policy());
      text += ";" + name + ":" + policies.back().text();
    }
    const PolicySet set = PolicySet::parse(text);
    RC_ASSERT(PolicySet::parse(set.text()) == set);
    for (std::size_t i = 0; i < names.size(); ++i) RC_ASSERT(set.of(names[i]) == policies[i]);
  }));
}

TEST(PolicySetTest, RefusesWhatIsNoSet) {
  struct Case {
    std::string text;
    std::string problem;
  };
  const std::vector<Case> cases{
      {"", "policy: the text is empty"},
      {" ", "policy: the text is empty"},
      {"direct;", "policy: an empty entry: remove the extra `;`"},
      {";direct", "policy: an empty entry: remove the extra `;`"},
      {"direct; ;a:direct", "policy: an empty entry: remove the extra `;`"},
      {"direct; staged", "policy: `staged` is a second policy without a name"},
      {"direct; direct", "policy: `direct` is a second policy without a name"},
      {"a:direct; b:staged; a:direct", "policy: the output `a` is named twice"},
      {":direct", "policy: `` is not a name of an output: names consist of a-z, 0-9, _ and -"},
      {"Stations:direct", "policy: `Stations` is not a name of an output: names consist of a-z, 0-9, _ and -"},
      {"a\x1B:direct", "policy: `a\\x1B` is not a name of an output: names consist of a-z, 0-9, _ and -"},
      {"my stations:direct", "policy: `my stations` is not a name of an output: names consist of a-z, 0-9, _ and -"},
  };
  for (const Case& wrong : cases) {
    const auto error = test::thrown([&] { (void)PolicySet::parse(wrong.text); });
    ASSERT_TRUE(error) << wrong.text;
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_EQ(error->parts().problem, wrong.problem) << wrong.text;
    EXPECT_EQ(error->parts().action, see_policies) << wrong.text;
  }
}

TEST(PolicySetTest, ErrorsOfAPartNameItsOutput) {
  const auto error = test::thrown([] { (void)PolicySet::parse("direct; stations:writers=electd"); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_EQ(error->parts().problem, "output `stations`: policy: `electd` is not a value of writers");
  EXPECT_EQ(error->parts().action, "did you mean elected? see `sill policies`");
  const auto empty = test::thrown([] { (void)PolicySet::parse("stations:"); });
  ASSERT_TRUE(empty);
  EXPECT_EQ(empty->parts().problem, "output `stations`: policy: the text is empty");
  const auto twice = test::thrown([] { (void)PolicySet::parse("stations:surfaces:direct"); });
  ASSERT_TRUE(twice);
  EXPECT_EQ(twice->parts().problem, "output `stations`: policy: unknown preset `surfaces:direct`");
}

TEST(PolicySetTest, NamesCanBeCheckedAgainstTheOutputsThereAre) {
  constexpr std::array<std::string_view, 2> outputs{"stations", "surfaces"};
  PolicySet::parse("direct; stations:staged").check_names(outputs);
  PolicySet::parse("direct").check_names({});
  const auto near = test::thrown([&] { PolicySet::parse("statoins:staged").check_names(outputs); });
  ASSERT_TRUE(near);
  EXPECT_EQ(near->code(), ErrorCode::usage);
  EXPECT_EQ(near->parts().problem, "policy: unknown output `statoins`");
  EXPECT_EQ(near->parts().action, "did you mean stations? outputs are: stations, surfaces");
  const auto none = test::thrown([&] { PolicySet::parse("stations:staged").check_names({}); });
  ASSERT_TRUE(none);
  EXPECT_EQ(none->parts().action, "this program has one output: give its policy without a name");
}

}  // namespace
}  // namespace sill
