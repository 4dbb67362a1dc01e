// Passes, from what operations declare.
#include <gtest/gtest.h>

#include "sill/base/error.hpp"
#include "sill/flow/plan/pass.hpp"

namespace sill::flow {
namespace {

PlannedOperation samples(std::string name) {
  return {std::move(name), {.reads_samples = true, .writes_samples = true}, {}};
}

PlannedOperation sorted(const std::string& keys) {
  PlannedOperation operation{"sort", {.writes_order = true}, segy::TraceKey::parse_list(keys)};
  for (const segy::TraceKey& key : operation.keys) operation.access.reads_words.push_back(key.needed_bytes());
  return operation;
}

PlannedOperation gathered(const std::string& keys, std::int64_t traces_per_gather = 0) {
  PlannedOperation operation = sorted(keys);
  operation.name = "gathered";
  operation.access.writes_order = false;
  operation.access.scope = Scope::gather;
  operation.access.reads_samples = operation.access.writes_samples = true;
  operation.access.traces_per_gather = traces_per_gather;
  return operation;
}

PlannedOperation selected() { return {"select", {.writes_membership = true}, {}}; }
PlannedOperation numbered() { return {"numbered", {.reads_position = true, .writes_membership = true}, {}}; }

// `header WORD=`: writes the bytes of a word.
PlannedOperation written(const std::string& word) {
  const segy::WordRef at = segy::parse_word(word);
  return {"header", {.writes_words = {{at.byte - 1, at.type.bytes}}}, {}};
}

std::vector<Pass> plan(const std::vector<PlannedOperation>& operations) { return plan_passes(operations); }

std::vector<std::string> keys_of(const Pass& pass) {
  std::vector<std::string> keys;
  for (const PassKey& key : pass.keys) keys.push_back(key.key.text());
  return keys;
}

using Keys = std::vector<std::string>;

TEST(Plan, OperationsOnTracesAreOnePassWithoutAScan) {
  const auto passes = plan({samples("a"), samples("b")});
  ASSERT_EQ(passes.size(), 1U);
  EXPECT_FALSE(passes[0].scans());
  EXPECT_TRUE(passes[0].needs_samples);
  EXPECT_EQ(passes[0].block_operation, 2U);
}

TEST(Plan, ALaterSortCountsMore) {
  const auto passes = plan({sorted("cdp"), samples("a"), sorted("offset,fldr")});
  ASSERT_EQ(passes.size(), 1U);
  EXPECT_EQ(keys_of(passes[0]), (Keys{"offset", "fldr", "cdp"}));
  EXPECT_EQ(passes[0].scan_end, 3U);
}

TEST(Plan, AKeyThatCountsAlreadyIsNotTakenTwice) {
  EXPECT_EQ(keys_of(plan({sorted("cdp,offset"), sorted("-cdp")})[0]), (Keys{"-cdp", "offset"}));
  EXPECT_EQ(keys_of(plan({sorted("cdp,offset"), written("cdp"), sorted("cdp")})[0]), (Keys{"cdp", "cdp", "offset"}));
}

TEST(Plan, GathersKeepTheOrderBeforeThem) {
  const auto passes = plan({sorted("cdp,offset"), samples("a"), gathered("cdp", 1), samples("b")});
  ASSERT_EQ(passes.size(), 1U);
  EXPECT_EQ(keys_of(passes[0]), (Keys{"cdp", "offset"}));
  EXPECT_EQ(passes[0].gather_keys, 1U);
  EXPECT_EQ(passes[0].block_operation, 2U);
  EXPECT_EQ(passes[0].traces_per_gather, 1);
}

TEST(Plan, EqualGathersShareAPass) {
  EXPECT_EQ(plan({gathered("cdp"), samples("a"), gathered("cdp", 1)}).size(), 1U);
  EXPECT_EQ(plan({gathered("cdp"), gathered("fldr")}).size(), 2U);
  EXPECT_EQ(plan({gathered("cdp"), written("cdp"), gathered("cdp")}).size(), 2U);
}

TEST(Plan, WhatGathersMakeIsNeededInOrderBeforeTheNextPass) {
  for (const PlannedOperation& last : {sorted("cdp"), selected(), numbered(), gathered("offset")}) {
    const auto passes = plan({gathered("cdp", 1), last});
    ASSERT_EQ(passes.size(), 2U) << last.name;
    EXPECT_EQ(passes[1].first, 1U);
    EXPECT_FALSE(passes[1].reasons.empty());
  }
}

TEST(Plan, NumbersOfTracesAreThoseOfTheirPlace) {
  EXPECT_EQ(plan({samples("a"), numbered()}).size(), 1U);
  EXPECT_EQ(plan({sorted("cdp"), numbered()}).size(), 2U);
  EXPECT_EQ(plan({selected(), numbered()}).size(), 2U);
  EXPECT_EQ(plan({numbered(), selected(), sorted("cdp")}).size(), 1U);
}

TEST(Plan, TheNumberOfTheFileIsKnownInTheFirstPassOnly) {
  PlannedOperation of_file = selected();
  of_file.access.reads_file = true;
  EXPECT_NO_THROW((void)plan({sorted("cdp"), of_file}));
  EXPECT_THROW((void)plan({gathered("cdp", 1), sorted("offset"), of_file}), Error);
}

TEST(Plan, WhatMayStopIsSeenBeforeTracesLeave) {
  const std::vector<PlannedOperation> operations{samples("a"), selected()};
  const Pass pass = plan_passes(operations)[0];
  EXPECT_TRUE(must_see_before(operations, pass, 1, true));
  EXPECT_FALSE(must_see_before(operations, pass, 1, false));
  EXPECT_FALSE(must_see_before(operations, pass, 0, true));
}

TEST(Plan, WhatReportsSeesTracesBeforeTheyLeave) {
  std::vector<PlannedOperation> operations{samples("a"), selected()};
  operations[0].access.reports = true;
  EXPECT_TRUE(must_see_before(operations, plan_passes(operations)[0], 1, false));
}

}  // namespace
}  // namespace sill::flow
