// The inline form and recipes are one value.
#include "sill/flow/value/flow_text.hpp"

#include <gtest/gtest.h>

#include "sill/base/error.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/flow/value/recipe.hpp"

namespace sill::flow {
namespace {

TEST(FlowText, ReadsBackWhatItPrints) {
  for (const char* const text :
       {"", "agc 200ms", "agc 200ms kind=mean; sort 'cdp, -offset' # a comment\n mute top at=3ms",
        "sort \"abs(offset)\"", "sort 'a'\"'\"'b\"'", ";;\n\nagc window=1s ;"}) {
    const std::vector<Step> steps = parse_steps(text);
    const std::string printed = inline_text(steps);
    EXPECT_EQ(parse_steps(printed), steps) << text;
    EXPECT_EQ(inline_text(parse_steps(printed)), printed) << text;
    const Flow flow{{"a b.sgy", "c'\"\n.sgy"}, "out.sgy", steps};
    if (steps.empty()) continue;
    const Flow read = parse_recipe(recipe_text(flow), "recipe");
    EXPECT_EQ(read, flow) << recipe_text(flow);
    EXPECT_EQ(hash_of(read), hash_of(flow));
  }
}

TEST(FlowText, ArgumentsHaveKeysInTheOrderOfTheParameters) {
  const std::vector<Step> steps = parse_steps("mute top shape=sine ramp=3ms at=1s");
  ASSERT_EQ(steps.size(), 1U);
  std::vector<std::string> keys;
  for (const Argument& argument : steps[0].arguments) keys.push_back(argument.key);
  EXPECT_EQ(keys, (std::vector<std::string>{"edge", "at", "ramp", "shape"}));
  EXPECT_EQ(steps, parse_steps("mute edge=top at=1s ramp=3ms shape=sine"));
}

TEST(FlowText, OtherStepsHaveAnotherHash) {
  const auto hash = [](const char* text) { return hash_of({{"a"}, "b", parse_steps(text)}); };
  EXPECT_NE(hash("agc 200ms"), hash("agc 201ms"));
  EXPECT_NE(hash("agc 200ms; sort cdp"), hash("sort cdp; agc 200ms"));
  EXPECT_EQ(hash("agc 200ms"), hash("  agc   window=200ms;"));
}

TEST(FlowText, EveryExampleIsAStep) {
  for (const OperationType* const type : operation_types()) {
    const std::vector<Step> steps = parse_steps(type->example);
    ASSERT_EQ(steps.size(), 1U) << type->name;
    EXPECT_EQ(steps[0].operation, type->name);
  }
}

TEST(FlowText, KindsFromOutsideAreReadToo) {
  if (find_operation_type("mine") == nullptr)
    add_operation_type({.name = "mine", .summary = "", .formula = "", .example = "mine", .make = {}});
  EXPECT_EQ(parse_steps("mine").at(0).operation, "mine");
  EXPECT_THROW(add_operation_type({.name = "agc", .summary = "", .formula = "", .example = "", .make = {}}), Error);
}

}  // namespace
}  // namespace sill::flow
