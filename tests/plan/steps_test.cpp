// A short list that behaves as a vector does, whether its steps are kept within or not.
#include "sill/plan/steps.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

#include "support/any_number.hpp"

namespace sill {
namespace {

bool same(const Steps& steps, const std::vector<Step>& expected) {
  return steps.size() == expected.size() && steps.empty() == expected.empty() &&
         std::equal(steps.begin(), steps.end(), expected.begin(), expected.end()) &&
         steps == Steps(std::span(expected)) &&
         (expected.empty() || (steps.front() == expected.front() && steps.back() == expected.back()));
}

TEST(Steps, AreAVector) {
  EXPECT_TRUE(rc::check([] {
    const auto any_step = [] { return Step{test::any_number(0, 3), test::any_number(0, 9), test::any_number(-9, 9)}; };
    Steps steps;
    std::vector<Step> expected;
    for (int acts = test::any_number<int>(0, 12); acts > 0; --acts) {
      const Step step = any_step();
      switch (test::any_number<int>(0, 5)) {
        case 0:
        case 1:
          steps.push_back(step);
          expected.push_back(step);
          break;
        case 2:
          steps.push_front(step);
          expected.insert(expected.begin(), step);
          break;
        case 3:
          if (expected.empty()) break;
          {
            const auto i = test::any_number<std::size_t>(0, expected.size() - 1);
            steps.erase(i);
            expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(i));
          }
          break;
        case 4: {
          const auto unwanted = [&](const Step& each) { return each.count == step.count; };
          steps.erase_if(unwanted);
          std::erase_if(expected, unwanted);
          break;
        }
        default: {
          const Steps copy = steps;
          steps = {step, step, step};
          steps = copy;
        }
      }
      RC_ASSERT(same(steps, expected));
    }
  }));
}

}  // namespace
}  // namespace sill
