// The store that fails when told to: just then, just so.
#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

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

class FaultStoreTest : public testing::Test {
 protected:
  void SetUp() override { files.put("file", pattern(1000)); }

  Opener opener(Fault& fault) {
    return faulty([this](const std::string& path, OpenMode mode) { return files.open(path, mode); }, fault);
  }
  // One call of each kind, by name; which of `rounds` rounds fails, from 1, or 0.
  static int failing_round(const Opener& open, Fault::Call call, int rounds, std::optional<Error>& error) {
    std::unique_ptr<Store> store = call == Fault::Call::open ? nullptr : open("file", OpenMode::write);
    Bytes bytes = pattern(10);
    for (int round = 1; round <= rounds; ++round) {
      error = thrown([&] {
        switch (call) {
          case Fault::Call::open: (void)open("file", OpenMode::read); break;
          case Fault::Call::read: read_at(*store, 0, bytes); break;
          case Fault::Call::write: write_at(*store, 0, bytes); break;
          case Fault::Call::allocate: store->allocate(1000); break;
          case Fault::Call::sync: store->sync(); break;
          case Fault::Call::close: store->close(); break;
        }
      });
      if (error) return round;
    }
    return 0;
  }

  MemoryFiles files;
};

TEST_F(FaultStoreTest, TheNthCallOfItsKindFailsWithItsErrno) {
  for (const Fault::Call call : {Fault::Call::open, Fault::Call::read, Fault::Call::write, Fault::Call::allocate,
                                 Fault::Call::sync, Fault::Call::close}) {
    for (const int nth : {1, 3}) {
      for (const int reason : {EIO, ENOSPC, EDQUOT}) {
        Fault fault{.call = call, .nth = nth, .errno_value = reason};
        std::optional<Error> error;
        EXPECT_EQ(failing_round(opener(fault), call, 5, error), nth) << static_cast<int>(call);
        ASSERT_TRUE(error);
        EXPECT_EQ(error->code(), ErrorCode::io);
        EXPECT_EQ(error->parts().where.file, "file");
        EXPECT_EQ(error->parts().system_error_number, reason);
        EXPECT_NE(error->parts().problem.find(std::strerror(reason)), std::string::npos) << error->what();
        EXPECT_EQ(fault.seen, nth);
      }
    }
  }
}

TEST_F(FaultStoreTest, CallsOfOtherKindsPass) {
  Fault fault{.call = Fault::Call::sync, .nth = 1};
  const Opener open = opener(fault);
  std::optional<Error> error;
  for (const Fault::Call call :
       {Fault::Call::open, Fault::Call::read, Fault::Call::write, Fault::Call::allocate, Fault::Call::close}) {
    EXPECT_EQ(failing_round(open, call, 3, error), 0);
  }
}

TEST_F(FaultStoreTest, AfterTheFaultCallsPassAgain) {
  Fault fault{.call = Fault::Call::write, .nth = 1};
  const auto store = opener(fault)("file", OpenMode::write);
  EXPECT_TRUE(thrown([&] { write_at(*store, 0, pattern(10, 2)); }));
  EXPECT_EQ(files.bytes("file"), pattern(1000)) << "a call that fails does nothing";
  write_at(*store, 0, pattern(10, 2));
  EXPECT_EQ(std::memcmp(files.bytes("file").data(), pattern(10, 2).data(), 10), 0);
}

TEST_F(FaultStoreTest, AShortWriteMovesHalf) {
  Fault fault{.call = Fault::Call::write, .nth = 2, .kind = Fault::Kind::is_short, .errno_value = ENOSPC};
  const auto store = opener(fault)("file", OpenMode::write);
  Bytes out = pattern(100, 2);
  const std::vector<iovec> pieces{{out.data(), 30}, {out.data() + 30, 30}, {out.data() + 60, 40}};
  const std::vector<Request> requests{{Operation::write, 0, std::span(pieces).first(1)},
                                      {Operation::write, 500, pieces},
                                      {Operation::write, 800, std::span(pieces).first(1)}};
  const auto error = thrown([&] { store->submit(requests); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().where.byte, 500);
  Bytes expected = pattern(1000);
  std::memcpy(expected.data(), out.data(), 30);
  std::memcpy(expected.data() + 500, out.data(), 50);
  EXPECT_EQ(files.bytes("file"), expected);
}

TEST_F(FaultStoreTest, AShortReadMovesHalf) {
  Fault fault{.call = Fault::Call::read, .nth = 1, .kind = Fault::Kind::is_short};
  const auto store = opener(fault)("file", OpenMode::read);
  Bytes into(100);
  EXPECT_TRUE(thrown([&] { read_at(*store, 0, into); }));
  Bytes expected = pattern(1000);
  expected.resize(50);
  expected.resize(100);
  EXPECT_EQ(into, expected);

  fault.nth = 2;
  std::ranges::fill(into, std::byte{});
  const auto error = thrown([&] { store->submit_strided({100, 10, 50, 9, into.data()}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().where.file, "file");
  EXPECT_EQ(into[39], pattern(1000)[100 + 3 * 50 + 9]);
  EXPECT_EQ(into[40], std::byte{}) << "four of nine items were read";
}

TEST_F(FaultStoreTest, ALateErrorComesWithTheNextSync) {
  Fault fault{.call = Fault::Call::write, .nth = 2, .kind = Fault::Kind::late, .errno_value = EDQUOT};
  const auto store = opener(fault)("file", OpenMode::write);
  write_at(*store, 0, pattern(10, 2));
  store->sync();
  write_at(*store, 10, pattern(10, 3));
  write_at(*store, 20, pattern(10, 4));
  EXPECT_EQ(std::memcmp(files.bytes("file").data() + 10, pattern(10, 3).data(), 10), 0) << "the write succeeds";
  const auto error = thrown([&] { store->sync(); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().where.file, "file");
  EXPECT_EQ(error->parts().system_error_number, EDQUOT);
  EXPECT_NE(error->parts().problem.find(std::strerror(EDQUOT)), std::string::npos) << error->what();
  store->sync();
  store->close();
}

TEST_F(FaultStoreTest, ALateErrorComesWithTheClosingOfItsHandle) {
  Fault fault{.call = Fault::Call::write, .nth = 2, .kind = Fault::Kind::late};
  const Opener open = opener(fault);
  const auto one = open("file", OpenMode::write);
  const auto other = open("file", OpenMode::write);
  write_at(*one, 0, pattern(10, 2));
  write_at(*other, 0, pattern(10, 2));
  one->sync();
  one->close();
  const auto error = thrown([&] { other->close(); });
  ASSERT_TRUE(error);
  EXPECT_NE(error->parts().problem.find("close"), std::string::npos) << error->what();
}

TEST_F(FaultStoreTest, ARankThatFailsInACollectiveCallStillTakesItsPart) {
  std::byte memory{};
  std::vector<Extent> extents;
  for (std::int64_t i = 0; i < 4; ++i) extents.push_back(contiguous(0, {10 * i, 1}, &memory));
  for (const Operation operation : {Operation::read, Operation::write}) {
    const auto call = operation == Operation::read ? Fault::Call::read : Fault::Call::write;
    for (const auto& [kind, moved] : {std::pair{Fault::Kind::fails, 0U}, {Fault::Kind::is_short, 2U}}) {
      std::vector<std::size_t> calls;
      Fault fault{.call = call, .nth = 2, .kind = kind, .errno_value = ENOSPC};
      const auto store = faulty([&](const auto&, auto) { return std::make_unique<CollectiveStore>(calls); }, fault)(
          "file", OpenMode::write);
      EXPECT_TRUE(store->is_collective());
      store->submit_collective(operation, extents);
      const auto error = thrown([&] { store->submit_collective(operation, extents); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->parts().where.byte, 0) << "the first of the call";
      store->submit_collective(operation, {});
      EXPECT_EQ(calls, (std::vector<std::size_t>{4, moved, 0}));
    }
  }
  std::vector<std::size_t> calls;
  Fault fault{.call = Fault::Call::write, .nth = 1, .kind = Fault::Kind::late};
  const auto store = faulty([&](const auto&, auto) { return std::make_unique<CollectiveStore>(calls); }, fault)(
      "file", OpenMode::write);
  store->submit_collective(Operation::write, extents);
  EXPECT_EQ(calls, std::vector<std::size_t>{4});
  EXPECT_TRUE(thrown([&] { store->close(); }));
  EXPECT_FALSE(opener(fault)("file", OpenMode::read)->is_collective());
}

TEST_F(FaultStoreTest, StoresOfOneOpenerShareTheCount) {
  Fault fault{.call = Fault::Call::read, .nth = 2};
  const Opener open = opener(fault);
  Bytes into(10);
  read_at(*open("file", OpenMode::read), 0, into);
  EXPECT_TRUE(thrown([&] { read_at(*open("file", OpenMode::read), 0, into); }));
}

}  // namespace
}  // namespace sill
