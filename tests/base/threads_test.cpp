// Running work on the threads of a rank.
#include "sill/base/threads.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <chrono>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace sill {
namespace {

TEST(RunOnThreads, RunsEveryThreadOnceAndAllAtOnce) {
  for (const int threads : {1, 2, 5}) {
    std::barrier everyone(threads);  // would wait for ever if they ran one after another
    std::mutex mutex;
    std::set<int> numbers;
    std::set<std::thread::id> ids;
    run_on_threads(threads, [&](int thread) {
      everyone.arrive_and_wait();
      const std::lock_guard lock(mutex);
      EXPECT_TRUE(numbers.insert(thread).second);
      ids.insert(std::this_thread::get_id());
    });
    EXPECT_EQ(numbers.size(), static_cast<std::size_t>(threads));
    EXPECT_EQ(*numbers.begin(), 0);
    EXPECT_EQ(*numbers.rbegin(), threads - 1);
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(threads));
    EXPECT_TRUE(ids.contains(std::this_thread::get_id())) << "thread 0 is the caller's";
  }
}

TEST(RunOnThreads, ThrowsWhatAnyThreadThrewAfterAllEnded) {
  for (int thrower = 0; thrower < 3; ++thrower) {
    std::atomic<int> ended{0};
    try {
      run_on_threads(3, [&](int thread) {
        if (thread == thrower) throw std::runtime_error("thread " + std::to_string(thread));
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        ++ended;
      });
      ADD_FAILURE() << "nothing was thrown";
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), "thread " + std::to_string(thrower));
    }
    EXPECT_EQ(ended, 2);
  }
}

TEST(RunOnThreads, AFailureElsewhereDoesNotKeepThread0FromItsWork) {
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> ran{0};
    std::atomic<bool> thread_0{false};
    // Thread 1 has failed long before the last thread is started, and thread 0 comes after that.
    EXPECT_THROW(run_on_threads(32,
                                [&](int thread) {
                                  ++ran;
                                  if (thread == 1) throw std::runtime_error("early");
                                  if (thread == 0) thread_0 = true;
                                }),
                 std::runtime_error);
    EXPECT_TRUE(thread_0);
    EXPECT_EQ(ran, 32);
  }
}

TEST(RunOnThreads, ThrowsWhatTheLowestThreadThrewThoughItWasLast) {
  std::atomic<bool> other_threw{false};
  try {
    run_on_threads(3, [&](int thread) {
      if (thread == 1) {
        while (!other_threw) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
      if (thread == 2) other_threw = true;
      if (thread > 0) throw std::runtime_error("thread " + std::to_string(thread));
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "thread 1");
  }
}

TEST(HandOut, GivesEveryTaskToOneThread) {
  for (const int threads : {1, 2, 4}) {
    for (const std::int64_t tasks : {0, 1, 3, 1000}) {
      std::vector<std::atomic<int>> times(static_cast<std::size_t>(tasks));
      parallel_for(threads, tasks, [&](std::int64_t task, int thread) {
        ++times[static_cast<std::size_t>(task)];
        EXPECT_GE(thread, 0);
        EXPECT_LT(thread, threads);
      });
      for (const auto& time : times) EXPECT_EQ(time, 1);
    }
  }
}

TEST(HandOut, OneThreadTakesTasksInOrder) {
  std::vector<std::int64_t> seen;
  parallel_for(1, 5, [&](std::int64_t task, int /*thread*/) { seen.push_back(task); });
  EXPECT_EQ(seen, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(HandOut, ThrowsWhatTheLowestTaskThrewThoughItWasLast) {
  std::atomic<bool> other_threw{false};
  try {
    parallel_for(2, 2, [&](std::int64_t task, int /*thread*/) {
      if (task == 0) {
        while (!other_threw) std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      } else {
        other_threw = true;
      }
      throw std::runtime_error("task " + std::to_string(task));
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "task 0");
  }
}

TEST(HandOut, StopsAfterAnException) {
  for (const int threads : {1, 3}) {
    std::atomic<std::int64_t> begun{0};
    EXPECT_THROW(parallel_for(threads, 1'000'000'000'000,
                              [&](std::int64_t task, int /*thread*/) {
                                ++begun;
                                if (task == 10) throw std::runtime_error("stop");
                              }),
                 std::runtime_error);
    EXPECT_GE(begun, 11);
  }
}

}  // namespace
}  // namespace sill
