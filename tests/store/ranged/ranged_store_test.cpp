// Remote files, read from a source that counts, fails and changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/store/ranged/ranged_store.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "support/sizes.hpp"

namespace sill::test {
namespace {

const std::string url_of_file = "test://bucket/file";

// A server of one file.
struct RangedServer {
  Bytes bytes;
  std::string identity = "1";
  bool reads_one_state = true;
  std::atomic<int> states{0};
  std::atomic<int> failures{0};  // of the next reads: each may pass
  std::atomic<bool> is_gone{false};
  std::mutex mutex;
  std::vector<ByteRange> ranges;     // requested
  std::vector<std::size_t> at_once;  // requests of each call
};

class ServedFile final : public RangedSource {
 public:
  explicit ServedFile(RangedServer& server) : server_(server), opened_(server.identity) {}

  RangedState state() override {
    ++server_.states;
    return {std::ssize(server_.bytes), server_.identity};
  }
  void read(std::span<RangedRead> reads) override {
    const std::scoped_lock lock(server_.mutex);
    server_.at_once.push_back(reads.size());
    if (server_.is_gone) throw failed("gone");
    if (server_.reads_one_state && server_.identity != opened_) throw changed_error(url_of_file);
    bool fails = false;
    for (RangedRead& read : reads) {
      std::int64_t at = read.offset_bytes;
      const std::int64_t length = length_of({Operation::read, read.offset_bytes, read.memory});
      server_.ranges.push_back({at, length});
      if (server_.failures > 0) {
        --server_.failures;
        fails = true;
        continue;
      }
      for (const iovec& piece : read.memory) {
        std::copy_n(server_.bytes.begin() + at, piece.iov_len, static_cast<std::byte*>(piece.iov_base));
        at += static_cast<std::int64_t>(piece.iov_len);
      }
      read.is_complete = true;
    }
    if (fails) throw PassingError(failed("busy"));
  }
  [[nodiscard]] bool reads_one_state() const override { return server_.reads_one_state; }

 private:
  RangedServer& server_;
  std::string opened_;
};

class RangedStoreTest : public testing::Test {
 protected:
  std::unique_ptr<Store> open(std::int64_t bytes, std::int64_t cache_bytes = 256 * mib) {
    server.bytes = pattern(bytes);
    files.emplace([this](const std::string&) { return std::make_unique<ServedFile>(server); },
                  RangedOptions{.cache_bytes = cache_bytes, .retries = 2, .first_delay = std::chrono::milliseconds(1)});
    return files->open(url_of_file, OpenMode::read);
  }
  // Reads a range and compares it with the file. Returns the number of requests.
  std::size_t requests_of(Store& store, std::int64_t offset, std::int64_t length) {
    server.ranges.clear();
    Bytes bytes(static_cast<std::size_t>(length));
    read_at(store, offset, bytes);
    EXPECT_TRUE(std::ranges::equal(
        bytes, std::span(server.bytes).subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(length))));
    return server.ranges.size();
  }

  RangedServer server;
  std::optional<RangedFiles> files;
};

TEST_F(RangedStoreTest, OpeningTakesOneRequest) {
  const auto store = open(10);
  EXPECT_EQ(store->name(), url_of_file);
  EXPECT_EQ(store->size_bytes(), 10);
  EXPECT_EQ(server.states, 1);
  EXPECT_TRUE(server.ranges.empty());
}

TEST_F(RangedStoreTest, BlocksAreReadOnce) {
  const auto store = open(3 * mib + 7);
  EXPECT_EQ(requests_of(*store, 5000, 10 * kib), 1U);
  EXPECT_EQ(server.ranges.front(), (ByteRange{0, 256 * kib}));
  EXPECT_EQ(requests_of(*store, 100 * kib, 50 * kib), 0U);
  EXPECT_EQ(requests_of(*store, 250 * kib, 50 * kib), 1U);
  EXPECT_EQ(server.ranges.front(), (ByteRange{256 * kib, 256 * kib}));
  EXPECT_EQ(requests_of(*store, 3 * mib - 5000, 5007), 1U);
  EXPECT_EQ(server.ranges.front().end(), 3 * mib + 7);
}

TEST_F(RangedStoreTest, FewBytesAreReadWithTheBytesAround) {
  const auto store = open(3 * mib);
  EXPECT_EQ(requests_of(*store, mib - 300, 240), 1U);
  EXPECT_EQ(server.ranges.front(), (ByteRange{mib - 256 * kib, 512 * kib}));
  EXPECT_EQ(requests_of(*store, mib + 200 * kib, 240), 0U);  // although the next block is near
  EXPECT_EQ(requests_of(*store, 3 * mib - 600 * kib, 240), 1U);
  EXPECT_EQ(server.ranges.front(), (ByteRange{2 * mib + 256 * kib, 768 * kib}));  // to the end
}

TEST_F(RangedStoreTest, SequencesOfFewBytesAreReadAhead) {
  const auto store = open(32 * mib);
  std::size_t requests = 0;
  for (std::int64_t at = 0; at < 32 * mib; at += 32 * kib) requests += requests_of(*store, at, 4);
  EXPECT_LE(requests, 10U);
}

TEST_F(RangedStoreTest, LongReadsTakeFewRequests) {
  const auto store = open(42 * mib, mib);  // nothing remains in the cache
  for (const std::int64_t length : {mib, 8 * mib - 1, 8 * mib, 9 * mib, 16 * mib, 17 * mib, 40 * mib}) {
    EXPECT_LE(static_cast<std::int64_t>(requests_of(*store, 12345, length)), 1 + length / (8 * mib)) << length;
    (void)requests_of(*store, 41 * mib, mib);
  }
}

TEST_F(RangedStoreTest, NearRangesAreOneRequestAndFarOnesAreMadeAtOnce) {
  const auto store = open(64 * mib);
  Bytes bytes(4 * 100);
  store->submit_strided({0, 100, mib + 256 * kib, 4, bytes.data()});  // a gap of 1 MiB between their blocks
  ASSERT_EQ(server.ranges.size(), 1U);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_TRUE(std::ranges::equal(std::span(bytes).subspan(100 * i, 100),
                                   std::span(server.bytes).subspan(i * (mib + 256 * kib), 100)));
  EXPECT_EQ(requests_of(*store, mib, 1000), 0U);  // the gaps are in the cache
  server.ranges.clear();
  server.at_once.clear();
  store->submit_strided({20 * mib, 100, 2 * mib, 4, bytes.data()});
  EXPECT_EQ(server.ranges.size(), 4U);
  EXPECT_EQ(server.at_once, std::vector<std::size_t>{4});
}

TEST_F(RangedStoreTest, AnnouncedRangesAreReadWithTheFirst) {
  const auto store = open(64 * mib);
  const std::vector<ByteRange> ranges{{0, 5000}, {10 * mib, 5000}, {30 * mib, 5000}, {64 * mib - 100, 5000}};
  store->will_need(ranges);
  EXPECT_TRUE(server.ranges.empty());
  EXPECT_EQ(requests_of(*store, 0, 5000), 4U);
  EXPECT_EQ(server.at_once, std::vector<std::size_t>{4});
  EXPECT_EQ(requests_of(*store, 30 * mib, 5000), 0U);
  const auto other = files->open(url_of_file, OpenMode::read);
  store->will_need(ranges);
  EXPECT_EQ(requests_of(*other, 50 * mib, 5000), 1U);
}

TEST_F(RangedStoreTest, StoresOfOneFileShareBlocks) {
  const auto first = open(mib);
  EXPECT_EQ(requests_of(*first, 0, 5000), 1U);
  const auto second = files->open(url_of_file, OpenMode::read);
  EXPECT_EQ(requests_of(*second, 0, 5000), 0U);
  server.identity = "2";
  const auto third = files->open(url_of_file, OpenMode::read);
  EXPECT_EQ(requests_of(*third, 0, 5000), 1U);
}

TEST_F(RangedStoreTest, TheLeastRecentlyUsedBlocksAreDropped) {
  const auto store = open(8 * mib, mib);
  for (int i = 0; i < 4; ++i) EXPECT_EQ(requests_of(*store, i * 2 * mib, 5000), 1U);
  EXPECT_EQ(requests_of(*store, 0, 5000), 0U);
  EXPECT_EQ(requests_of(*store, 5 * mib, 5000), 1U);
  EXPECT_EQ(requests_of(*store, 0, 5000), 0U);
  EXPECT_EQ(requests_of(*store, 2 * mib, 5000), 1U);
}

TEST_F(RangedStoreTest, LinkedItemsAreReadAhead) {
  const auto store = open(20 * mib);
  Bytes items(5000 * 4);
  std::vector<LinkedRead> reads{{.offset_bytes = 100,
                                 .end_byte = 20 * mib,
                                 .length_bytes = 4,
                                 .max_items = 5000,
                                 .memory = items.data(),
                                 .distance = [](const void*, const std::byte*) noexcept { return 3 * kib; },
                                 .context = nullptr}};
  store->submit_linked(reads);
  EXPECT_EQ(reads[0].items, 5000);
  EXPECT_EQ(server.ranges.size(), 2U);
  for (std::size_t i = 0; i < 5000; i += 99)
    EXPECT_TRUE(
        std::ranges::equal(std::span(items).subspan(4 * i, 4), std::span(server.bytes).subspan(100 + i * 3 * kib, 4)));
}

TEST_F(RangedStoreTest, OnlyFailedRequestsAreRepeated) {
  const auto store = open(64 * mib);
  Bytes bytes(4 * 100);
  server.failures = 3;
  store->submit_strided({0, 100, 10 * mib, 4, bytes.data()});
  EXPECT_EQ(server.at_once, (std::vector<std::size_t>{4, 3}));
  EXPECT_TRUE(std::ranges::equal(std::span(bytes).last(100), std::span(server.bytes).subspan(30 * mib, 100)));
}

TEST_F(RangedStoreTest, ErrorsThatDoNotPassAreThrown) {
  const auto store = open(mib);
  server.failures = 100;
  const auto busy = thrown([&] { (void)requests_of(*store, 0, 5000); });
  ASSERT_TRUE(busy);
  EXPECT_EQ(busy->parts().problem, "busy, also after 2 retries");
  EXPECT_EQ(server.at_once.size(), 3U);
  server.failures = 0;
  server.is_gone = true;
  const auto gone = thrown([&] { (void)requests_of(*store, 0, 5000); });
  ASSERT_TRUE(gone);
  EXPECT_EQ(gone->parts().problem, "gone");
  server.is_gone = false;
  EXPECT_EQ(requests_of(*store, 0, 5000), 1U);
}

TEST_F(RangedStoreTest, AChangedFileIsAnError) {
  for (const bool reads_one_state : {true, false}) {
    server.reads_one_state = reads_one_state;
    server.identity = "1";
    const auto store = open(mib);
    EXPECT_EQ(requests_of(*store, 0, 5000), 1U);
    server.identity = "2";
    const auto error = thrown([&] { (void)requests_of(*store, 512 * kib, 5000); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_EQ(error->parts().where.file, url_of_file);
    EXPECT_NE(error->parts().problem.find("was changed"), std::string::npos);
  }
}

TEST_F(RangedStoreTest, ReadingPastTheEndAndWritingAreErrors) {
  const auto store = open(1000);
  Bytes bytes(10);
  const auto past = thrown([&] { read_at(*store, 995, bytes); });
  ASSERT_TRUE(past);
  EXPECT_EQ(past->code(), ErrorCode::io);
  EXPECT_EQ(past->parts().where.byte, 995);
  EXPECT_TRUE(thrown([&] { store->submit_strided({900, 10, 50, 3, bytes.data()}); }));
  EXPECT_TRUE(thrown([&] { write_at(*store, 0, bytes); }));
  EXPECT_TRUE(thrown([&] { store->allocate(10); }));
  EXPECT_TRUE(thrown([&] { store->punch_hole({0, 10}); }));
  const auto created = thrown([&] { (void)files->open(url_of_file, OpenMode::create); });
  ASSERT_TRUE(created);
  EXPECT_EQ(created->code(), ErrorCode::usage);
}

TEST_F(RangedStoreTest, SeveralThreadsReadEachBlockOnce) {
  const auto store = open(16 * mib);
  std::atomic<int> wrong = 0;
  run_on_threads(8, [&](int thread) {
    for (std::int64_t i = 0; i < 16; ++i) {
      const std::int64_t at = (i + thread * 2) % 16 * mib;
      Bytes bytes(static_cast<std::size_t>(mib));
      read_at(*store, at, bytes);
      if (!std::ranges::equal(bytes, std::span(server.bytes).subspan(static_cast<std::size_t>(at), bytes.size())))
        ++wrong;
    }
  });
  EXPECT_EQ(wrong, 0);
  std::int64_t total = 0;
  for (const ByteRange& range : server.ranges) total += range.length;
  EXPECT_LE(total, 2 * 16 * mib);  // and gaps between blocks that other threads were reading
}

TEST_F(RangedStoreTest, ThreadsReadWhatOtherThreadsFailedToRead) {
  const auto store = open(8 * mib);
  server.failures = 5;  // a thread gives up after 3
  std::atomic<int> errors = 0;
  std::atomic<int> wrong = 0;
  run_on_threads(4, [&](int) {
    Bytes bytes(100 * kib);  // in one block
    try {
      read_at(*store, 0, bytes);
      if (!std::ranges::equal(bytes, std::span(server.bytes).first(bytes.size()))) ++wrong;
    } catch (const Error&) {
      ++errors;
    }
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(errors, 1);
  EXPECT_EQ(requests_of(*store, 0, 1000), 0U);
}

}  // namespace
}  // namespace sill::test
