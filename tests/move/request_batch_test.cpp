// Jobs of phases behind the calling thread: their order, their errors, their buffers. For ThreadSanitizer, too.
#include "sill/move/request_batch.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/move/io_threads.hpp"
#include "store/thrown.hpp"
#include "support/memory.hpp"

namespace sill {
namespace {

using namespace std::chrono_literals;
using test::failed;

TEST(IoThreads, NoJobBeginsBeforeThePhasesBeforeItAreDone) {
  for (const int threads : {0, 1, 2, 3}) {
    std::mutex mutex;
    std::vector<std::pair<int, bool>> seen;  // phase, whether it ended
    {
      IoThreads background(threads);
      for (int phase = 0; phase < 20; ++phase) {
        background.begin_batch();
        for (int job = 0; job < 7; ++job) {
          background.start([&, phase, job] {
            {
              const std::lock_guard lock(mutex);
              seen.emplace_back(phase, false);
            }
            if (job % 3 == 0) std::this_thread::sleep_for(100us);
            const std::lock_guard lock(mutex);
            seen.emplace_back(phase, true);
          });
        }
      }
    }  // all are done when it is gone
    ASSERT_EQ(seen.size(), 2U * 7 * 20) << threads;
    for (std::size_t i = 0; i < seen.size(); ++i) EXPECT_EQ(seen[i].first, static_cast<int>(i) / 14) << threads;
  }
}

TEST(IoThreads, JobsOfAPhaseRunAtTheSameTime) {
  IoThreads background(2);
  EXPECT_EQ(background.threads(), 2);
  std::atomic<int> waiting{0};
  const auto phase = std::make_shared<RequestBatch>(nullptr);
  for (int job = 0; job < 2; ++job) {
    phase->start(background, [&] {
      ++waiting;
      const auto end = std::chrono::steady_clock::now() + 20s;
      while (waiting < 2 && std::chrono::steady_clock::now() < end) std::this_thread::yield();
      if (waiting < 2) throw failed("alone");
    });
  }
  phase->seal();
  EXPECT_FALSE(phase->wait());
}

TEST(IoThreads, WithoutThreadsJobsArePerformedAtOnce) {
  IoThreads background(0);
  const std::thread::id caller = std::this_thread::get_id();
  std::thread::id performer;
  background.start([&] { performer = std::this_thread::get_id(); });
  EXPECT_EQ(performer, caller);
}

TEST(RequestBatch, WhatAJobHeldIsBackWhenItIsFinished) {
  IoThreads background(1);
  std::atomic<bool> is_back{false};
  const auto phase = std::make_shared<RequestBatch>(nullptr);
  phase->start(background, [held = std::shared_ptr<int>(new int(1), [&is_back](const int* memory) {
                              std::this_thread::sleep_for(20ms);  // a phase that ends too early is seen to
                              delete memory;
                              is_back = true;
                            })] {});
  phase->seal();
  EXPECT_FALSE(phase->wait());
  EXPECT_TRUE(is_back);
}

TEST(RequestBatch, IsFinishedWhenSealedAndAllAreDone) {
  IoThreads background(2);
  std::atomic<bool> may_end{false};
  std::atomic<int> last_after{-1};
  std::atomic<int> done{0};
  const auto phase = std::make_shared<RequestBatch>([&] { last_after = done.load(); });
  phase->start(background, [&] {
    while (!may_end) std::this_thread::yield();
    ++done;
  });
  phase->perform([&] { ++done; });
  EXPECT_EQ(done, 1);
  phase->seal();
  EXPECT_FALSE(phase->finished());
  may_end = true;
  EXPECT_FALSE(phase->wait());
  EXPECT_TRUE(phase->finished());
  EXPECT_EQ(last_after, 2);
}

TEST(RequestBatch, OfNothingIsFinishedWhenSealed) {
  int calls = 0;
  const auto phase = std::make_shared<RequestBatch>([&] { ++calls; });
  EXPECT_FALSE(phase->finished());
  phase->seal();
  EXPECT_TRUE(phase->finished());
  EXPECT_FALSE(phase->wait());
  EXPECT_FALSE(phase->wait());
  EXPECT_EQ(calls, 1);
}

// Not of the job that failed first: that would differ from run to run.
TEST(RequestBatch, ErrorIsOfTheJobThatWasGivenFirst) {
  IoThreads background(3);
  std::atomic<bool> second_failed{false};
  bool last = false;
  const auto phase = std::make_shared<RequestBatch>([&] { last = true; });
  phase->start(background, [] {});
  phase->start(background, [&] {
    while (!second_failed) std::this_thread::yield();
    throw failed("one");
  });
  phase->start(background, [&] {
    second_failed = true;
    throw failed("two");
  });
  phase->seal();
  const auto error = phase->wait();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().problem, "one");
  EXPECT_FALSE(last);
}

// Whether or not an earlier job had begun when a later one failed.
TEST(RequestBatch, AJobGivenBeforeTheOneThatFailedIsPerformed) {
  IoThreads background(1);
  std::atomic<bool> may_begin{false};
  const auto phase = std::make_shared<RequestBatch>(nullptr);
  background.start([&] {
    while (!may_begin) std::this_thread::yield();
  });
  phase->start(background, [] { throw failed("one"); });
  phase->perform([] { throw failed("two"); });
  may_begin = true;
  phase->seal();
  const auto error = phase->wait();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().problem, "one");
}

TEST(RequestBatch, AfterAnErrorTheRestIsLeftOut) {
  IoThreads background(1);
  int performed = 0;
  const auto phase = std::make_shared<RequestBatch>(nullptr);
  phase->fail(failed("beside the jobs"));
  phase->fail(std::nullopt);
  for (int job = 0; job < 5; ++job) phase->start(background, [&] { ++performed; });
  phase->perform([&] { ++performed; });
  phase->seal();
  ASSERT_TRUE(phase->wait());
  EXPECT_EQ(phase->wait()->parts().problem, "beside the jobs");
  EXPECT_EQ(performed, 0);
}

TEST(RequestBatch, WhatComesLastMayFailToo) {
  const auto phase = std::make_shared<RequestBatch>([] { throw failed("last"); });
  phase->perform([] {});
  phase->seal();
  ASSERT_TRUE(phase->wait());
  EXPECT_EQ(phase->wait()->parts().problem, "last");
}

TEST(RequestBatch, OtherExceptionsBecomeErrors) {
  IoThreads background(1);
  const auto phase = std::make_shared<RequestBatch>(nullptr);
  phase->start(background, [] { throw std::bad_alloc(); });
  phase->seal();
  ASSERT_TRUE(phase->wait());
  EXPECT_EQ(phase->wait()->parts().problem, "out of memory");
}

TEST(StagePool, LendsNoMoreThanItMay) {
  StagePool pool(100, 2);
  EXPECT_EQ(pool.made(), 0);
  pool.prepare(1);
  EXPECT_EQ(pool.made(), 1);
  auto one = pool.take();
  auto two = pool.take();
  EXPECT_EQ(pool.made(), 2);
  EXPECT_NE(one.get(), two.get());
  std::byte* const first = one.get();
  std::thread other([&] {
    std::this_thread::sleep_for(1ms);
    one.reset();
  });
  const auto three = pool.take();  // waits for the first to come back
  EXPECT_EQ(three.get(), first);
  EXPECT_EQ(pool.made(), 2);
  other.join();
}

TEST(StagePool, PreparesNoMoreThanItMay) {
  StagePool pool(100, 2);
  pool.prepare(5);
  EXPECT_EQ(pool.made(), 2);
  EXPECT_EQ(pool.max_buffers(), 2);
  EXPECT_EQ(pool.bytes_each(), 100);
}

// What counts the owners of a buffer takes memory, too.
TEST(StagePool, LosesNoBufferWhereMemoryRunsOut) {
  IoThreads background(1);
  StagePool pool(100, 1);
  pool.prepare(1);
  const auto phase = std::make_shared<RequestBatch>(nullptr);
  phase->start(background, [&] {
    const test::RefusedMemory refused(1);
    (void)pool.take();
  });
  phase->seal();
  const auto error = phase->wait();
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().problem, "out of memory");
  EXPECT_NE(pool.take(), nullptr) << "the only one there is";
}

TEST(StagePool, BuffersOutliveIt) {
  std::shared_ptr<std::byte[]> buffer;
  {
    StagePool pool(100, 1);
    pool.prepare(1);
    buffer = pool.take();
  }
  buffer[99] = std::byte{1};
}

TEST(StagePool, ServesManyThreads) {
  StagePool pool(8, 3);
  pool.prepare(1);
  std::atomic<int> out{0};
  std::atomic<int> max{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 6; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        const auto buffer = pool.take();
        const int now = ++out;
        int seen = max;
        while (now > seen && !max.compare_exchange_weak(seen, now)) {
        }
        buffer[0] = std::byte{1};
        --out;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(max, 3);
  EXPECT_LE(pool.made(), 3);
}

}  // namespace
}  // namespace sill
