// Lists of chosen traces give back what was added, in few bytes.
#include "sill/survey/select/trace_list.hpp"

#include <gtest/gtest.h>

#include <random>

namespace sill {
namespace {

void expect_traces(const TraceList& list, const std::vector<SelectedTrace>& wanted) {
  ASSERT_EQ(list.count(), std::ssize(wanted));
  TraceList::Cursor cursor(list);
  for (const SelectedTrace& trace : wanted) {
    const SelectedTrace found = cursor.next();
    ASSERT_EQ(found.trace, trace.trace);
    ASSERT_EQ(found.samples.first, trace.samples.first);
    ASSERT_EQ(found.samples.count, trace.samples.count);
  }
}

TEST(TraceList, GivesBackWhatWasAdded) {
  std::mt19937_64 random(11);
  for (const std::int64_t step : {std::int64_t{1}, std::int64_t{3}, std::int64_t{1000}, std::int64_t{1} << 40}) {
    for (const int samples : {1, 5}) {
      TraceList list;
      std::vector<SelectedTrace> wanted;
      std::int64_t trace = static_cast<std::int64_t>(random() % 7);
      for (int i = 0; i < 3000; ++i) {
        wanted.push_back({trace, {static_cast<std::int64_t>(random() % static_cast<unsigned>(samples)), 9}});
        list.add(wanted.back());
        trace += 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(step));
        // In any order, and again.
        if (random() % 5 == 0) trace = static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(trace));
      }
      expect_traces(list, wanted);
      std::vector<char> message;
      list.append_to(message);
      list.append_to(message);
      std::span<const char> left = message;
      expect_traces(TraceList::take_from(left), wanted);
      expect_traces(TraceList::take_from(left), wanted);
      EXPECT_TRUE(left.empty());
    }
  }
}

TEST(TraceList, TakesFewBytes) {
  TraceList all;
  TraceList each_second;
  for (std::int64_t trace = 0; trace < 1'000'000; ++trace) {
    all.add({trace, {0, 10}});
    if (trace % 2 == 0) each_second.add({trace, {0, 10}});
  }
  EXPECT_LT(all.bytes(), 1000);
  EXPECT_LT(each_second.bytes(), 2'100'000);
}

}  // namespace
}  // namespace sill
