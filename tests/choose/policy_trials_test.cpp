// Trials of policies on phases whose times are given.
#include "sill/choose/policy_trials.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace sill {
namespace {

using Writers = Policy::Writers;

std::vector<PolicyEstimate> three(double all_s, double elected_s, double node_s) {
  const auto estimate = [](Writers writers, double seconds, double requests) {
    return PolicyEstimate{{.writers = writers}, {.counts = {.requests = requests}, .seconds_s = seconds, .bound = "x"}};
  };
  return {estimate(Writers::all, all_s, 100), estimate(Writers::elected, elected_s, 10),
          estimate(Writers::node, node_s, 1)};
}

struct Phases {
  std::map<Writers, int> phases;
  Writers last = Writers::all;
  double all_s = 0;
};

Phases run(PolicyTrials& trials, int phases, const std::function<double(Writers, int)>& seconds) {
  Phases found;
  for (int phase = 0; phase < phases; ++phase) {
    const Writers writers = trials.policy().writers;
    found.last = writers;
    ++found.phases[writers];
    found.all_s += seconds(writers, phase);
    (void)trials.measured(seconds(writers, phase));
  }
  return found;
}

TEST(PolicyTrialsTest, FewPhasesUseTheEstimateAlone) {
  for (const int phases : {1, 3, 20}) {
    PolicyTrials trials(three(1, 1.1, 1.2));
    EXPECT_EQ(run(trials, phases, [](Writers, int) { return 1.0; }).phases.size(), 1U) << phases;
    EXPECT_EQ(trials.policy().writers, Writers::all);
  }
}

TEST(PolicyTrialsTest, LongRunsFindTheFastestWhateverTheEstimateSays) {
  for (const Writers fastest : {Writers::all, Writers::elected, Writers::node}) {
    PolicyTrials trials(three(1, 1.1, 1.2));
    const Phases found = run(trials, 200, [&](Writers writers, int) { return writers == fastest ? 1.0 : 1.5; });
    EXPECT_EQ(found.last, fastest);
  }
}

// Also where what is tried is much slower than estimated.
TEST(PolicyTrialsTest, TrialsTakeATwentiethOfTheTime) {
  PolicyTrials trials(three(1, 1.1, 1.2));
  const int phases = 1000;
  const Phases found = run(trials, phases, [](Writers writers, int) { return writers == Writers::all ? 1.0 : 3.0; });
  EXPECT_EQ(found.last, Writers::all);
  EXPECT_LE(found.all_s, 1.05 * phases);
  EXPECT_EQ(found.phases.size(), 3U) << "each was tried";
}

TEST(PolicyTrialsTest, AStoreThatBecomesSlowIsAnsweredWithinTenPhases) {
  PolicyTrials trials(three(1, 1.1, 1.2));
  const int change = 50;
  (void)run(trials, change, [&](Writers writers, int) { return writers == Writers::all ? 1.0 : 1.2; });
  const auto slow = [](Writers writers, int) { return writers == Writers::node ? 4.0 : 20.0; };
  EXPECT_EQ(run(trials, 11, slow).last, Writers::node);
  EXPECT_GE(run(trials, 150, slow).phases.at(Writers::node), 140);
}

// A machine that others use: some phases before the change were slow, too.
TEST(PolicyTrialsTest, AStoreThatBecomesSlowAfterSlowPhasesIsAnswered) {
  const int change = 50;
  for (int first = change - 15; first < change; ++first) {
    for (int length = 1; first + length <= change; ++length) {
      PolicyTrials trials(three(1, 1.1, 1.2));
      const Phases found = run(trials, 200, [&](Writers writers, int phase) {
        if (phase >= first && phase < first + length) return 20.0;
        if (phase < change) return writers == Writers::all ? 1.0 : 1.2;
        return writers == Writers::node ? 4.0 : 20.0;
      });
      EXPECT_EQ(found.last, Writers::node) << first << ' ' << length;
      EXPECT_GE(found.phases.at(Writers::node), 90) << first << ' ' << length;
    }
  }
}

// The fastest was tried while the machine was busy.
TEST(PolicyTrialsTest, WhatWasTriedAtABadTimeIsTriedAgain) {
  PolicyTrials trials(three(1, 1.1, 1.2));
  int of_node = 0;
  const Phases found = run(trials, 500, [&](Writers writers, int) {
    if (writers == Writers::node) return ++of_node <= 4 ? 5.0 : 0.5;  // each phase is asked for twice
    return 1.0;
  });
  EXPECT_EQ(found.last, Writers::node);
  EXPECT_GE(found.phases.at(Writers::node), 100);
}

TEST(PolicyTrialsTest, ReasonsAreKnownWhenATrialOfWhatWasBeforeIsLeft) {
  PolicyTrials trials(three(1, 1.1, 1.2));
  const auto elected_is_fastest = [](Writers writers, int) { return writers == Writers::elected ? 0.5 : 1.0; };
  (void)run(trials, 60, elected_is_fastest);
  for (int phase = 0; phase < 500 && trials.policy().writers != Writers::all; ++phase) (void)trials.measured(0.5);
  ASSERT_EQ(trials.policy().writers, Writers::all) << "it is tried again";
  trials.plan_again();
  EXPECT_NE(trials.why().find("; 1 s by "), std::string::npos) << trials.why();
}

TEST(PolicyTrialsTest, VaryingPhasesChangeNothing) {
  PolicyTrials trials(three(1, 5, 6));
  std::uint32_t state = 1;
  const Phases found = run(trials, 500, [&](Writers writers, int) {
    state = state * 1664525 + 1013904223;
    return (writers == Writers::all ? 1.0 : 5.0) * (0.8 + 0.4 * (state >> 8) / double(1 << 24));
  });
  EXPECT_EQ(found.last, Writers::all);
  EXPECT_LE(found.phases.at(Writers::all), 500);
  EXPECT_GE(found.phases.at(Writers::all), 480);
}

TEST(PolicyTrialsTest, ATrialThatFailsIsGivenUpForGood) {
  PolicyTrials trials(three(1, 1.0, 1.0));
  int phase = 0;
  while (!trials.is_trial()) {
    (void)trials.measured(1.0);
    ASSERT_LT(++phase, 100);
  }
  const Writers failed = trials.policy().writers;
  trials.give_up("No space left on device");
  EXPECT_NE(trials.why().find(" failed in a trial: No space left on device"), std::string::npos) << trials.why();
  EXPECT_FALSE(trials.is_trial());
  EXPECT_EQ(trials.policy().writers, Writers::all);
  const Phases found = run(trials, 300, [](Writers, int) { return 1.0; });
  EXPECT_EQ(found.phases.count(failed), 0U);
}

TEST(PolicyTrialsTest, ReasonsHaveNumbers) {
  PolicyTrials trials(three(0.001, 0.0011, 0.0012));
  EXPECT_EQ(trials.why().find("estimated at 1 ms, bound by x; 1.1 ms by writers=elected"), 0U) << trials.why();
  (void)run(trials, 200, [](Writers writers, int) { return writers == Writers::node ? 0.0005 : 0.001; });
  EXPECT_EQ(trials.why().find("500 us per phase, measured; 1 ms by "), 0U) << trials.why();
}

}  // namespace
}  // namespace sill
