// The text form of policies.
#include "sill/move/policy.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "store/thrown.hpp"

namespace sill {
namespace {

TEST(PolicyTest, PresetsNameValues) {
  EXPECT_EQ(Policy::parse("direct"), Policy{});
  const Policy staged = Policy::parse("staged");
  EXPECT_EQ(staged.writers, Policy::Writers::first);
  EXPECT_EQ(staged.stage_bytes, 256 * 1024);
  EXPECT_EQ(staged.sync, Policy::Sync::never);
}

TEST(PolicyTest, AxesChangeWhatTheyName) {
  const Policy policy = Policy::parse("writers=first,stage=1.5K,call=posix,sync=close,threads=3");
  EXPECT_EQ(policy, (Policy{Policy::Writers::first, 1536, Policy::Sync::close, 3}));
  EXPECT_EQ(Policy::parse("stage=7"), (Policy{.stage_bytes = 7}));
  EXPECT_EQ(Policy::parse("staged,writers=all,threads=1"),
            (Policy{.writers = Policy::Writers::all, .stage_bytes = 256 * 1024, .threads = 1}));
  EXPECT_EQ(Policy::parse("threads=1,threads=2").threads, 2) << "the last counts";
  EXPECT_EQ(Policy::parse("stage=1G").stage_bytes, std::int64_t{1} << 30U);
}

TEST(PolicyTest, WhatIsPrintedIsReadBack) {
  EXPECT_TRUE(rc::check([] {
    const Policy policy{*rc::gen::element(Policy::Writers::all, Policy::Writers::first),
                        *rc::gen::inRange<std::int64_t>(0, (std::int64_t{1} << 30U) + 1),
                        *rc::gen::element(Policy::Sync::never, Policy::Sync::close), *rc::gen::inRange(0, 1025)};
    RC_ASSERT(Policy::parse(policy.text()) == policy);
    RC_ASSERT(Policy::parse("staged," + policy.text()) == policy);
  }));
  EXPECT_EQ(Policy::parse("staged").text(), "writers=first,stage=262144,call=posix,sync=never,threads=0");
}

TEST(PolicyTest, RefusesWhatIsNoPolicyWithTheGrammar) {
  struct Case {
    std::string text;
    std::string problem;
  };
  const std::vector<Case> cases{
      {"", "an empty part"},
      {"direct,", "an empty part"},
      {"direct,,threads=1", "an empty part"},
      {"fast", "there is no axis or preset `fast`"},
      {"Direct", "there is no axis or preset `Direct`"},
      {"threads=1,direct", "the preset `direct` must come first"},
      {"colour=red", "there is no axis or preset `colour`"},
      {"=all", "there is no axis or preset ``"},
      {"writers=some", "`some` is no value of writers"},
      {"writers=", "`` is no value of writers"},
      {"stage=2G", "stage=2G is above 1G"},
      {"call=fopen", "`fopen` is no value of call"},
      {"sync=often", "`often` is no value of sync"},
      {"threads=-1", "threads=-1 is no number from 0 to 1024"},
      {"threads=1025", "threads=1025 is no number from 0 to 1024"},
      {"threads=2x", "threads=2x is no number from 0 to 1024"},
      {"threads=", "threads= is no number from 0 to 1024"},
  };
  for (const Case& wrong : cases) {
    const auto error = test::thrown([&] { (void)Policy::parse(wrong.text); });
    ASSERT_TRUE(error) << wrong.text;
    EXPECT_EQ(error->code(), ErrorCode::usage) << wrong.text;
    EXPECT_EQ(error->parts().problem, "policy: " + wrong.problem) << wrong.text;
    EXPECT_EQ(error->parts().action, policy_grammar()) << wrong.text;
  }
  for (const char* text : {"stage=", "stage=-1", "stage=much", "stage=1X"}) {
    const auto error = test::thrown([&] { (void)Policy::parse(text); });
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->code(), ErrorCode::usage) << text;
    EXPECT_NE(error->parts().problem.find("stage"), std::string::npos) << error->what();
  }
}

TEST(PolicyTest, SaysWhatIsPlannedButNotThere) {
  struct Case {
    std::string text;
    std::string what;
  };
  std::vector<Case> cases{{"writers=root", "writers=root"},
                          {"writers=elected", "writers=elected"},
                          {"writers=node", "writers=node"},
                          {"writers=4", "writers=4"},
                          {"call=mpiio", "call=mpiio"},
                          {"call=mpiio-collective", "call=mpiio-collective"},
                          {"sync=phase", "sync=phase"},
                          {"align=1M", "the axis `align`"},
                          {"striping=4x1M", "the axis `striping`"},
                          {"async=2", "the axis `async`"}};
  for (const char* preset : {"gathered", "elected", "aggregated", "independent", "collective", "auto"}) {
    cases.push_back({preset, "the preset `" + std::string(preset) + "`"});
  }
  for (const Case& planned : cases) {
    const auto error = test::thrown([&] { (void)Policy::parse(planned.text); });
    ASSERT_TRUE(error) << planned.text;
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_EQ(error->parts().problem, "policy: " + planned.what + " is planned, but this version does not have it yet");
  }
}

}  // namespace
}  // namespace sill
