// The store that watches its callers: what it refuses, and what it lets pass.
#include "support/check_store.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "sill/base/threads.hpp"
#include "store/collective_store.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "support/fault_store.hpp"
#include "support/memory_store.hpp"

namespace sill {
namespace {

using test::Bytes;
using test::CollectiveStore;
using test::pattern;
using test::thrown;

using Ranges = std::vector<ByteRange>;

class CheckStoreTest : public testing::Test {
 protected:
  std::unique_ptr<Store> open(const std::string& path, OpenMode mode, Ledger& book) {
    return checked([this](const std::string& p, OpenMode m) { return files.open(p, m); }, book)(path, mode);
  }
  std::unique_ptr<Store> open(const std::string& path, OpenMode mode) { return open(path, mode, ledger); }
  static void write(Store& store, ByteRange bytes, std::uint64_t seed = 1) {
    write_at(store, bytes.offset, pattern(bytes.length, seed));
  }
  static Bytes read(Store& store, ByteRange bytes) {
    Bytes into(static_cast<std::size_t>(bytes.length));
    read_at(store, bytes.offset, into);
    return into;
  }

  MemoryFiles files;
  Ledger ledger;
};

TEST_F(CheckStoreTest, AByteWrittenTwiceInAPhaseIsRefused) {
  files.put("file", pattern(100));
  const auto store = open("file", OpenMode::write);
  write(*store, {10, 20}, 2);
  write(*store, {30, 5}, 2);
  write(*store, {5, 5}, 2);
  for (const ByteRange again : Ranges{{29, 1}, {10, 1}, {0, 100}, {8, 4}, {34, 10}}) {
    const auto error = thrown([&] { write(*store, again, 3); });
    ASSERT_TRUE(error) << again.offset;
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_EQ(error->parts().where.file, "file");
  }
  const auto error = thrown([&] { write(*store, {25, 10}, 3); });
  EXPECT_EQ(error->parts().problem, "bytes 25 to 34 are written after bytes 30 to 34 in one phase");
  EXPECT_EQ(error->parts().where.byte, 30);
  const Bytes bytes = files.bytes("file");
  EXPECT_TRUE(std::ranges::equal(std::span(bytes).subspan(10, 20), pattern(20, 2))) << "what is refused is not done";
  EXPECT_EQ(ledger.written("file"), (Ranges{{5, 30}}));
  ledger.next_phase();
  EXPECT_EQ(ledger.written("file"), Ranges{});
  write(*store, {0, 100}, 3);
  EXPECT_EQ(files.bytes("file"), pattern(100, 3));
}

TEST_F(CheckStoreTest, AnOverlapWithinOneCallIsFoundToo) {
  const auto store = open("file", OpenMode::create);
  Bytes bytes = pattern(10);
  const iovec piece{bytes.data(), bytes.size()};
  const std::vector<Request> requests{{Operation::write, 0, {&piece, 1}}, {Operation::write, 9, {&piece, 1}}};
  EXPECT_TRUE(thrown([&] { store->submit(requests); }));
  const Extent extent{.offset_bytes = 20, .run_bytes = 3, .steps = {{2, 2, 3}}, .memory = bytes.data()};
  EXPECT_TRUE(thrown([&] { store->submit_extents(Operation::write, {&extent, 1}); }));
}

TEST_F(CheckStoreTest, TwoHandlesOfAFileShareTheLedger) {
  const auto one = open("file", OpenMode::create);
  const auto other = open("file", OpenMode::write);
  write(*one, {0, 10});
  EXPECT_TRUE(thrown([&] { write(*other, {9, 1}); }));
  const auto another_file = open("other", OpenMode::create);
  write(*another_file, {0, 10});
}

TEST_F(CheckStoreTest, WritesOutsideWhatIsDeclaredAreRefused) {
  ledger.declare("file", {{10, 10}, {20, 5}, {40, 10}, {60, 0}});
  const auto store = open("file", OpenMode::create);
  write(*store, {10, 15});
  write(*store, {45, 5});
  for (const auto& [bytes, at] : std::vector<std::pair<ByteRange, std::int64_t>>{
           {{0, 1}, 0}, {{9, 2}, 9}, {{24, 2}, 25}, {{30, 20}, 30}, {{42, 9}, 50}, {{60, 1}, 60}}) {
    ledger.next_phase();
    const auto error = thrown([&, range = bytes] { write(*store, range); });
    ASSERT_TRUE(error) << bytes.offset;
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_EQ(error->parts().where.byte, at);
  }
  EXPECT_EQ(files.bytes("file").size(), 50U);
}

TEST_F(CheckStoreTest, WhatWasNeverWrittenIsNotRead) {
  const auto store = open("file", OpenMode::create);
  store->allocate(100);
  write(*store, {10, 20});
  write(*store, {30, 10});
  EXPECT_EQ(read(*store, {15, 25}).size(), 25U);
  const auto error = thrown([&] { (void)read(*store, {20, 30}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_EQ(error->parts().problem, "bytes 20 to 49 are read, but byte 40 was never written");
  Bytes into(12);
  EXPECT_TRUE(thrown([&] { store->submit_strided({10, 3, 10, 4, into.data()}); }));
  store->submit_strided({10, 3, 9, 4, into.data()});
  EXPECT_TRUE(thrown([&] {
    const Extent extent{.offset_bytes = 38, .run_bytes = 2, .steps = {{2, 2, 2}}, .memory = into.data()};
    store->submit_extents(Operation::read, {&extent, 1});
  }));
  ledger.next_phase();
  EXPECT_EQ(read(*store, {15, 25}).size(), 25U) << "what was written in another phase is there";
  store->punch_hole({20, 5});
  EXPECT_TRUE(thrown([&] { (void)read(*store, {24, 2}); })) << "and what was discarded is not";
  EXPECT_EQ(read(*store, {25, 2}).size(), 2U);
  store->allocate(30);
  store->allocate(100);
  EXPECT_TRUE(thrown([&] { (void)read(*store, {29, 2}); })) << "nor what was cut off";
}

TEST_F(CheckStoreTest, OfFilesThatWereThereEverythingMayBeRead) {
  files.put("file", pattern(100));
  EXPECT_EQ(read(*open("file", OpenMode::read), {0, 100}), pattern(100));
  EXPECT_EQ(read(*open("file", OpenMode::write_or_create), {0, 100}), pattern(100));
  const auto made = open("new", OpenMode::write_or_create);
  made->allocate(10);
  EXPECT_TRUE(thrown([&] { (void)read(*made, {0, 1}); }));
}

TEST_F(CheckStoreTest, AFailedWriteWroteNothing) {
  Fault fault{.call = Fault::Call::write, .nth = 1};
  const Opener opener =
      checked(faulty([this](const std::string& p, OpenMode m) { return files.open(p, m); }, fault), ledger);
  const auto store = opener("file", OpenMode::create);
  EXPECT_TRUE(thrown([&] { write(*store, {0, 10}); }));
  EXPECT_EQ(ledger.written("file"), Ranges{});
  store->allocate(10);
  EXPECT_TRUE(thrown([&] { (void)read(*store, {0, 1}); }));
}

TEST_F(CheckStoreTest, WhatAStoreLeavesUntouchedShows) {
  files.put("file", pattern(100));
  Fault fault{.call = Fault::Call::read, .nth = 1, .kind = Fault::Kind::is_short};
  const Opener opener =
      checked(faulty([this](const std::string& p, OpenMode m) { return files.open(p, m); }, fault), ledger);
  const auto store = opener("file", OpenMode::read);
  Bytes into(10);
  EXPECT_TRUE(thrown([&] { read_at(*store, 0, into); }));
  EXPECT_TRUE(std::equal(into.begin(), into.begin() + 5, pattern(100).begin()));
  EXPECT_EQ(Bytes(into.begin() + 5, into.end()), Bytes(5, unread_byte));
  fault.nth = 2;
  EXPECT_TRUE(thrown([&] { store->submit_strided({0, 1, 2, 10, into.data()}); }));
  EXPECT_EQ(Bytes(into.begin() + 5, into.end()), Bytes(5, unread_byte));
  fault.nth = 3;
  const Extent extent{.offset_bytes = 0, .run_bytes = 1, .steps = {{5, 3, 2}}, .memory = into.data()};
  std::ranges::fill(into, std::byte{});
  EXPECT_TRUE(thrown([&] { store->submit_extents(Operation::read, {&extent, 1}); }));
  EXPECT_EQ(into[2], unread_byte);
  EXPECT_EQ(into[3], std::byte{}) << "only what is to be read into is filled";
}

TEST_F(CheckStoreTest, AClosedFileIsNotUsed) {
  const auto store = open("file", OpenMode::create);
  write(*store, {0, 10});
  store->close();
  Bytes into(1);
  EXPECT_TRUE(thrown([&] { write(*store, {10, 1}); }));
  EXPECT_TRUE(thrown([&] { (void)read(*store, {0, 1}); }));
  EXPECT_TRUE(thrown([&] { store->submit_strided({0, 1, 1, 1, into.data()}); }));
  EXPECT_TRUE(thrown([&] { store->submit_extents(Operation::read, {}); }));
  EXPECT_TRUE(thrown([&] { (void)store->size_bytes(); }));
  EXPECT_TRUE(thrown([&] { store->sync(); }));
  EXPECT_TRUE(thrown([&] { store->close(); }));
}

TEST_F(CheckStoreTest, ChecksCanBeLeftOut) {
  Ledger lax({.overlap = false, .unwritten = false});
  const auto store = open("file", OpenMode::create, lax);
  write(*store, {5, 10});
  write(*store, {0, 10}, 2);
  EXPECT_EQ(lax.written("file"), (Ranges{{0, 15}}));
  store->allocate(20);
  EXPECT_EQ(read(*store, {0, 20}).size(), 20U);
}

TEST_F(CheckStoreTest, ARankThatIsRefusedStillTakesItsPart) {
  std::vector<std::size_t> calls;
  const auto store = checked([&](const std::string&, OpenMode) { return std::make_unique<CollectiveStore>(calls); },
                             ledger)("file", OpenMode::create);
  EXPECT_TRUE(store->is_collective());
  EXPECT_FALSE(open("plain", OpenMode::create)->is_collective());
  Bytes bytes(10);
  const std::vector<Extent> extents{contiguous(0, {0, 10}, bytes.data())};
  store->submit_collective(Operation::write, extents);
  EXPECT_TRUE(thrown([&] { store->submit_collective(Operation::write, extents); }));
  store->submit_collective(Operation::read, extents);
  EXPECT_EQ(bytes, Bytes(10, unread_byte));
  EXPECT_EQ(calls, (std::vector<std::size_t>{1, 0, 1}));
  EXPECT_EQ(ledger.written("file"), (Ranges{{0, 10}}));
}

// Against the plain way: a flag a byte.
TEST(LedgerTest, KnowsEveryByte) {
  EXPECT_TRUE(rc::check([] {
    constexpr std::int64_t size = 40;
    Ledger ledger;
    ledger.created("file");
    std::vector<bool> in_phase(size);
    std::vector<bool> filled(size);
    const int operations = *rc::gen::inRange(0, 40);
    for (int i = 0; i < operations; ++i) {
      const auto offset = *rc::gen::inRange<std::int64_t>(0, size);
      const ByteRange bytes{offset, *rc::gen::inRange<std::int64_t>(1, std::min<std::int64_t>(size - offset, 8) + 1)};
      const auto any = [&](const std::vector<bool>& flags, bool value) {
        return std::find(flags.begin() + bytes.offset, flags.begin() + bytes.end(), value) !=
               flags.begin() + bytes.end();
      };
      const auto set = [&](std::vector<bool>& flags, bool value) {
        std::fill(flags.begin() + bytes.offset, flags.begin() + bytes.end(), value);
      };
      switch (*rc::gen::inRange(0, 6)) {
        case 0: {
          ledger.drop("file", bytes);
          set(filled, false);
          break;
        }
        case 1: {
          ledger.next_phase();
          in_phase.assign(size, false);
          break;
        }
        case 2: {
          RC_ASSERT(thrown([&] { ledger.need("file", bytes); }).has_value() == any(filled, false));
          break;
        }
        default: {
          const bool overlaps = any(in_phase, true);
          RC_ASSERT(thrown([&] { ledger.reserve_files("file", bytes); }).has_value() == overlaps);
          if (overlaps) break;
          ledger.fill("file", bytes);
          set(in_phase, true);
          set(filled, true);
        }
      }
      std::vector<bool> stated(size);
      for (const ByteRange range : ledger.written("file")) {
        const bool is_apart = range.offset == 0 || !stated[static_cast<std::size_t>(range.offset - 1)];
        RC_ASSERT(is_apart);  // which evaluates both sides of what it is given
        std::fill(stated.begin() + range.offset, stated.begin() + range.end(), true);
      }
      RC_ASSERT(stated == in_phase);
    }
  }));
}

TEST(LedgerTest, IsSharedByThreads) {
  Ledger ledger;
  run_on_threads(4, [&](int thread) {
    for (std::int64_t i = 0; i < 500; ++i) {
      ledger.reserve_files("file", {4 * i + thread, 1});
      ledger.fill("file", {4 * i + thread, 1});
    }
  });
  EXPECT_EQ(ledger.written("file"), (Ranges{{0, 2000}}));
}

}  // namespace
}  // namespace sill
