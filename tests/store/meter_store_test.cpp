// The meter counts what succeeded, exactly, and times it.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <numeric>
#include <thread>
#include <utility>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/store/time_line.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "support/memory_store.hpp"

namespace sill {
namespace {

using test::Bytes;
using test::pattern;
using test::thrown;

class MeterStoreTest : public testing::Test {
 protected:
  MemoryFiles files;
  Meter meter;
  Opener open = metered([this](const std::string& path, OpenMode mode) { return files.open(path, mode); }, meter);
};

TEST_F(MeterStoreTest, CountsRequestsAndBytes) {
  const auto store = open("file", OpenMode::create);
  EXPECT_EQ(meter.opens, 1);
  Bytes bytes = pattern(100);
  const std::vector<iovec> pieces{{bytes.data(), 30}, {bytes.data() + 30, 0}, {bytes.data() + 30, 70}};
  const std::vector<Request> requests{{Operation::write, 0, pieces},
                                      {Operation::write, 200, std::span(pieces).first(1)},
                                      {Operation::read, 0, std::span(pieces).last(1)}};
  store->submit(requests);
  EXPECT_EQ(meter.write_requests, 2);
  EXPECT_EQ(meter.written_bytes, 130);
  EXPECT_EQ(meter.read_requests, 1);
  EXPECT_EQ(meter.read_bytes, 70);
  store->submit_strided({0, 3, 10, 7, bytes.data()});
  EXPECT_EQ(meter.read_requests, 2);
  EXPECT_EQ(meter.read_bytes, 70 + 21);
  store->sync();
  store->sync();
  EXPECT_EQ(meter.syncs, 2);
  store->allocate(500);
  (void)store->size_bytes();
  store->close();
  EXPECT_EQ(meter.write_requests, 2);
  EXPECT_EQ(meter.written_bytes, 130);
  EXPECT_EQ(meter.opens, 1);
}

TEST_F(MeterStoreTest, CountsTheRequestsThatExtentsBecome) {
  const auto store = open("file", OpenMode::create);
  EXPECT_FALSE(store->takes_extents());
  Bytes bytes = pattern(1000);
  // Backwards in memory and without gaps in the file: one request of ten pieces.
  Extent reversed = contiguous(0, {0, 10}, bytes.data() + 90);
  reversed.steps = {{10, 10, -10}};
  store->submit_extents(Operation::write, {&reversed, 1});
  EXPECT_EQ(meter.write_requests, 1);
  EXPECT_EQ(meter.written_bytes, 100);
  // With gaps: one each. The next extent continues the last run.
  Extent strided = contiguous(0, {100, 10}, bytes.data());
  strided.steps = {{7, 50, 10}};
  const std::vector<Extent> extents{strided, contiguous(0, {410, 30}, bytes.data() + 500)};
  store->submit_extents(Operation::write, extents);
  EXPECT_EQ(meter.write_requests, 1 + 7);
  EXPECT_EQ(meter.written_bytes, 100 + 100);
  store->submit_extents(Operation::read, extents);
  EXPECT_EQ(meter.read_requests, 7);
  EXPECT_EQ(meter.read_bytes, 100);
}

TEST_F(MeterStoreTest, DoesNotCountWhatFails) {
  EXPECT_TRUE(thrown([&] { (void)open("missing", OpenMode::read); }));
  EXPECT_EQ(meter.opens, 0);
  files.put("file", pattern(10));
  const auto store = open("file", OpenMode::read);
  Bytes into(100);
  EXPECT_TRUE(thrown([&] { read_at(*store, 0, into); }));
  EXPECT_TRUE(thrown([&] { store->submit_strided({0, 5, 10, 3, into.data()}); }));
  EXPECT_TRUE(thrown([&] { write_at(*store, 0, into); }));
  EXPECT_EQ(meter.read_requests + meter.read_bytes + meter.write_requests + meter.written_bytes, 0);
}

TEST_F(MeterStoreTest, AddsUpOverStoresAndThreads) {
  files.put("a", pattern(1000));
  files.put("b", pattern(1000));
  const auto a = open("a", OpenMode::read);
  const auto b = open("b", OpenMode::read);
  EXPECT_EQ(meter.opens, 2);
  run_on_threads(4, [&](int thread) {
    Bytes into(10);
    for (int i = 0; i < 50; ++i) read_at(thread % 2 == 0 ? *a : *b, i, into);
  });
  EXPECT_EQ(meter.read_requests, 200);
  EXPECT_EQ(meter.read_bytes, 2000);
}

TEST(SizeHistogramTest, HasAClassForEachPowerOfTwo) {
  EXPECT_EQ(SizeHistogram::class_of(0), 0);
  EXPECT_EQ(SizeHistogram::class_of(1), 1);
  EXPECT_EQ(SizeHistogram::class_of(4095), 12);
  EXPECT_EQ(SizeHistogram::class_of(4096), 13);
  EXPECT_EQ(SizeHistogram::class_of(INT64_MAX), SizeHistogram::classes - 1);
  EXPECT_EQ(SizeHistogram::min_bytes(0), 0);
  for (int k = 1; k < SizeHistogram::classes; ++k) {
    const std::int64_t min = SizeHistogram::min_bytes(k);
    EXPECT_EQ(SizeHistogram::class_of(min), k);
    EXPECT_EQ(SizeHistogram::class_of(min - 1), k - 1);
  }
}

TEST_F(MeterStoreTest, SortsRequestsByTheirSizes) {
  const auto store = open("file", OpenMode::create);
  Bytes bytes = pattern(4096);
  for (const std::size_t size : std::vector<std::size_t>{1, 512, 1023, 1024, 4096})
    write_at(*store, 0, std::span(bytes).first(size));
  store->submit_strided({0, 4, 16, 100, bytes.data()});  // one request of 400 bytes
  read_at(*store, 0, std::span(bytes).first(0));
  EXPECT_EQ(meter.write_sizes.requests(1), 1);
  EXPECT_EQ(meter.write_sizes.requests(10), 2);
  EXPECT_EQ(meter.write_sizes.requests(11), 1);
  EXPECT_EQ(meter.write_sizes.requests(13), 1);
  EXPECT_EQ(meter.read_sizes.requests(9), 1);
  std::int64_t reads = 0;
  std::int64_t writes = 0;
  for (int k = 0; k < SizeHistogram::classes; ++k) {
    reads += meter.read_sizes.requests(k);
    writes += meter.write_sizes.requests(k);
  }
  EXPECT_EQ(reads, meter.read_requests);
  EXPECT_EQ(writes, meter.write_requests);
}

TEST(MeterTest, TakesWhatAProgramCountsItself) {
  Meter meter;
  meter.count_open(0.25);
  meter.count_open(0.5);
  meter.count_writes(1'000, 4, 0.125);
  meter.count_writes(1, 8192, 1);
  meter.count_reads(3, 100, 2);
  meter.count_sync(0.75);
  meter.count_close(1.5);
  meter.count_output(1, 0.5);
  meter.count_output(0, 3);
  EXPECT_EQ(meter.phases, 1);
  EXPECT_EQ(meter.calls_ns, 3'500'000'000);
  EXPECT_EQ(meter.opens, 2);
  EXPECT_EQ(meter.open_ns, 750'000'000);
  EXPECT_EQ(meter.write_requests, 1'001);
  EXPECT_EQ(meter.written_bytes, 4'000 + 8'192);
  EXPECT_EQ(meter.write_ns, 1'125'000'000);
  EXPECT_EQ(meter.write_sizes.requests(SizeHistogram::class_of(4)), 1'000);
  EXPECT_EQ(meter.write_sizes.requests(SizeHistogram::class_of(8192)), 1);
  EXPECT_EQ(meter.read_requests, 3);
  EXPECT_EQ(meter.read_bytes, 300);
  EXPECT_EQ(meter.read_ns, 2'000'000'000);
  EXPECT_EQ(meter.read_sizes.requests(SizeHistogram::class_of(100)), 3);
  EXPECT_EQ(meter.syncs, 1);
  EXPECT_EQ(meter.sync_ns, 750'000'000);
  EXPECT_EQ(meter.close_ns, 1'500'000'000);
}

TEST(MeterTest, TimesCallsForOutput) {
  Meter meter;
  const auto begin = std::chrono::steady_clock::now();
  {
    OutputCall call(&meter);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    call.completes_phase();
  }
  { const OutputCall unfinished(&meter); }
  { OutputCall(nullptr).completes_phase(); }
  EXPECT_EQ(meter.phases, 1);
  EXPECT_GE(meter.calls_ns, 20'000'000);
  EXPECT_LE(meter.calls_ns, std::chrono::nanoseconds(std::chrono::steady_clock::now() - begin).count());
}

// Every call of it takes a time of its own.
class SlowStore final : public Store {
 public:
  static constexpr std::chrono::milliseconds read_time{8}, write_time{16}, sync_time{24}, close_time{32};

  [[nodiscard]] const std::string& name() const override { return name_; }
  void submit(std::span<const Request> requests) override {
    for (const Request& request : requests) {
      std::this_thread::sleep_for(request.operation == Operation::read ? read_time : write_time);
    }
  }
  void submit_strided(const StridedRead&) override { std::this_thread::sleep_for(read_time); }
  [[nodiscard]] std::int64_t size_bytes() override { return 0; }
  void allocate(std::int64_t) override {}
  void punch_hole(ByteRange) override {}
  void sync() override { std::this_thread::sleep_for(sync_time); }
  void close() override { std::this_thread::sleep_for(close_time); }

 private:
  std::string name_ = "slow";
};

void expect_at_least(std::int64_t ns, std::chrono::nanoseconds slept) { EXPECT_GE(ns, slept.count()); }

// No call is timed twice, nor does its time count as another's: all times together are no longer than it all took.
TEST(MeterTest, TimesEachKindOfCallApart) {
  constexpr std::chrono::milliseconds open_time{40};
  const auto begin = std::chrono::steady_clock::now();
  Meter meter;
  auto slow = metered(
      [&](const std::string&, OpenMode) {
        std::this_thread::sleep_for(open_time);
        return std::make_unique<SlowStore>();
      },
      meter);
  const auto store = slow("slow", OpenMode::create);
  expect_at_least(meter.open_ns, open_time);
  EXPECT_EQ(meter.read_ns + meter.write_ns + meter.sync_ns + meter.close_ns, 0);
  Bytes bytes = pattern(10);
  const iovec piece{bytes.data(), bytes.size()};
  const std::vector<Request> requests{{Operation::write, 0, {&piece, 1}}, {Operation::write, 0, {&piece, 1}}};
  store->submit(requests);
  expect_at_least(meter.write_ns, 2 * SlowStore::write_time);
  EXPECT_EQ(meter.read_ns, 0);
  const std::vector<Request> mixed{{Operation::read, 0, {&piece, 1}}, {Operation::write, 0, {&piece, 1}}};
  store->submit(mixed);
  expect_at_least(meter.read_ns, SlowStore::read_time);
  expect_at_least(meter.write_ns, 3 * SlowStore::write_time);
  EXPECT_EQ(meter.write_requests, 3);
  EXPECT_EQ(meter.read_requests, 1);
  store->submit_strided({0, 1, 1, 1, bytes.data()});
  expect_at_least(meter.read_ns, 2 * SlowStore::read_time);
  store->sync();
  expect_at_least(meter.sync_ns, SlowStore::sync_time);
  store->close();
  expect_at_least(meter.close_ns, SlowStore::close_time);
  const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - begin;
  EXPECT_LE(meter.open_ns + meter.read_ns + meter.write_ns + meter.sync_ns + meter.close_ns, took.count());
}

TEST(MeterTest, SumsTimesOverThreads) {
  Meter meter;
  const auto store = metered(std::make_unique<SlowStore>(), meter);
  run_on_threads(4, [&](int) {
    Bytes into(10);
    read_at(*store, 0, into);
  });
  EXPECT_GE(meter.read_ns, std::chrono::nanoseconds(4 * SlowStore::read_time).count());
}

// Times in intervals: none is lost or counted twice, however long they are.
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

TEST_F(MeterStoreTest, ItsTimeLineHasTheTimeOfItsCounters) {
  Bytes bytes = pattern(100);
  {
    const auto store = open("file", OpenMode::create);
    write_at(*store, 0, bytes);
    read_at(*store, 0, bytes);
    store->sync();
  }
  meter.count_output(1, 0.002);
  meter.count_preparing(0.001);
  const IntervalTimes times = meter.time_line.times();
  EXPECT_EQ(sum_of(times, IoActivity::write), meter.write_ns);
  EXPECT_EQ(sum_of(times, IoActivity::read), meter.read_ns);
  EXPECT_EQ(sum_of(times, IoActivity::other), meter.open_ns + meter.sync_ns + meter.close_ns);
  EXPECT_LE(sum_of(times, IoActivity::output_call), meter.calls_ns) << "less what lies before its beginning";
  EXPECT_GT(sum_of(times, IoActivity::prepare), 0);
}

}  // namespace
}  // namespace sill
