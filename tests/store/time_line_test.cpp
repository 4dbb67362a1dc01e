// Times in intervals: none is lost or counted twice, whatever their lengths.
#include "sill/store/time_line.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

namespace sill {
namespace {

std::int64_t sum_of(const IntervalTimes& times, IoActivity activity) {
  const auto& of_activity = times.ns[static_cast<std::size_t>(activity)];
  return std::accumulate(of_activity.begin(), of_activity.end(), std::int64_t{0});
}

TEST(TimeLine, TimeLiesInItsIntervals) {
  IntervalTimes times;
  times.add(IoActivity::write, 500'000, 2'250'000);
  const auto& writes = times.ns[static_cast<std::size_t>(IoActivity::write)];
  EXPECT_EQ(writes[0], 500'000);
  EXPECT_EQ(writes[1], 1'000'000);
  EXPECT_EQ(writes[2], 250'000);
  EXPECT_EQ(writes[3], 0);
  EXPECT_EQ(sum_of(times, IoActivity::read), 0);
}

TEST(TimeLine, IntervalsBecomeLongerAndKeepTheirSums) {
  IntervalTimes times;
  times.add(IoActivity::read, 0, 3'000'000);
  times.add(IoActivity::read, 255'999'999, 256'000'000);
  EXPECT_EQ(times.interval_ns, 1'000'000);
  times.add(IoActivity::read, 256'000'000, 256'000'001);  // the first time behind the last interval
  EXPECT_EQ(times.interval_ns, 2'000'000);
  EXPECT_EQ(sum_of(times, IoActivity::read), 3'000'002);
  EXPECT_EQ(times.ns[static_cast<std::size_t>(IoActivity::read)][1], 1'000'000);
  times.add(IoActivity::prepare, 0, 3'600'000'000'000);  // an hour
  EXPECT_EQ(sum_of(times, IoActivity::prepare), 3'600'000'000'000);
  EXPECT_EQ(sum_of(times, IoActivity::read), 3'000'002);
}

TEST(TimeLine, TimesOfDifferentIntervalsAreAdded) {
  IntervalTimes longer;
  longer.add(IoActivity::other, 0, 1'000'000'000);
  IntervalTimes shorter;
  shorter.add(IoActivity::other, 10, 30);
  for (IntervalTimes first : {longer, shorter}) {
    for (const IntervalTimes& second : {longer, shorter}) {
      const std::int64_t sum = sum_of(first, IoActivity::other) + sum_of(second, IoActivity::other);
      IntervalTimes both = first;
      both.add(second);
      EXPECT_EQ(sum_of(both, IoActivity::other), sum);
      EXPECT_EQ(both.interval_ns, std::max(first.interval_ns, second.interval_ns));
    }
  }
}

TEST(TimeLine, ThreadsAddTogether) {
  TimeLine line;
  const auto begin = TimeLine::Clock::now();
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) line.add(IoActivity::write, begin, begin + std::chrono::microseconds(1));
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(sum_of(line.times(), IoActivity::write), 3'000'000);
}

}  // namespace
}  // namespace sill
