// The meter counts what succeeded, exactly.
#include <gtest/gtest.h>

#include <vector>

#include "sill/base/threads.hpp"
#include "sill/store/memory_store.hpp"
#include "sill/store/meter_store.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"

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

}  // namespace
}  // namespace sill
