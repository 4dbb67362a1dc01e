// Lent memory and code are not copied: what they hold when their requests are performed is what is written.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/move/mover.hpp"
#include "store/gated_store.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "support/memory_store.hpp"

namespace sill {
namespace {

using test::Bytes;

// Bytes of one value, in code.
struct OneValue final : Encoder {
  explicit OneValue(bool may_be_by_threads = true) : may_be_by_threads_(may_be_by_threads) {}
  std::byte value{0};
  bool fails = false;
  void fill(ByteRange /*range*/, std::span<std::byte> bytes) const override {
    {
      const std::lock_guard lock(mutex_);
      threads_.insert(std::this_thread::get_id());
    }
    if (fails) throw Error({.code = ErrorCode::usage, .problem = "no such value"});
    std::fill(bytes.begin(), bytes.end(), value);
  }
  [[nodiscard]] bool is_for_threads() const override { return may_be_by_threads_; }
  // Those that asked.
  [[nodiscard]] std::set<std::thread::id> threads() const {
    const std::lock_guard lock(mutex_);
    return threads_;
  }

 private:
  bool may_be_by_threads_;
  mutable std::mutex mutex_;
  mutable std::set<std::thread::id> threads_;
};

class LentTest : public testing::Test {
 protected:
  static constexpr std::int64_t bytes_each = 2000;

  const std::unique_ptr<Communicator> comm = make_alone();
  MemoryFiles files;
  test::Gate gate;

  Opener opener() {
    return [this](const std::string& path, OpenMode mode) { return files.open(path, mode); };
  }
  MoverFiles gated_files() {
    files.put("file", {});
    return {{"file"}, OpenMode::write, test::gated(opener(), gate)};
  }

  // One thread performs requests, and waits at the gate in those of a first write; then one is made of memory and of
  // code, both of which change before the gate opens. What the second wrote, and the bytes that were copied.
  struct Outcome {
    Bytes memory;
    Bytes code;
    std::int64_t copied_bytes = 0;
  };
  Outcome written_by(const std::string& policy, Memory lending) {
    Bytes first(100, std::byte{1});
    Bytes memory(bytes_each, std::byte{2});
    OneValue code;
    code.value = std::byte{3};
    gate.close();
    Mover mover(*comm, gated_files(), Policy::parse(policy), {1 << 20, 1});
    mover.write(AccessPlan::for_writing({contiguous(0, {0, 100}, first.data())}));
    const std::int64_t copied_before = mover.counts().copied_bytes;
    Extent of_code = contiguous(0, {100 + bytes_each, bytes_each}, static_cast<const std::byte*>(nullptr));
    of_code.encoder = &code;
    {
      const AccessPlan plan =
          AccessPlan::for_writing({contiguous(0, {100, bytes_each}, std::as_const(memory).data()), of_code});
      mover.write(plan, {}, lending);
    }
    const std::int64_t copied = mover.counts().copied_bytes - copied_before;
    std::fill(memory.begin(), memory.end(), std::byte{4});
    code.value = std::byte{5};
    gate.open();
    mover.wait();
    mover.close();
    const Bytes all = files.bytes("file");
    EXPECT_EQ(all.size(), 100 + 2 * bytes_each);
    return {{all.begin() + 100, all.begin() + 100 + bytes_each}, {all.begin() + 100 + bytes_each, all.end()}, copied};
  }
};

TEST_F(LentTest, LentMemoryAndCodeAreReadWhenTheyAreWritten) {
  for (const char* policy : {"writers=all,stage=512,async=2", "elected,stage=700,async=2",
                             "writers=all,stage=4M,async=3", "writers=1,stage=1K,align=64,async=2", "direct,async=2"}) {
    SCOPED_TRACE(policy);
    const Outcome lent = written_by(policy, Memory::lent);
    EXPECT_EQ(lent.memory, Bytes(bytes_each, std::byte{4}));
    EXPECT_EQ(lent.code, Bytes(bytes_each, std::byte{5}));
    EXPECT_EQ(lent.copied_bytes, 0);
  }
}

// Code that is not for threads is the calling thread's, also where background threads ask other code for its bytes.
TEST_F(LentTest, CodeThatIsNotForThreadsIsAskedByTheCallerAtOnce) {
  for (const bool is_beside_other : {true, false}) {
    for (const char* policy : {"writers=all,stage=512,async=2", "elected,stage=700,async=2",
                               "writers=all,stage=4M,async=3", "writers=1,stage=1K,align=64,async=2"}) {
      SCOPED_TRACE(policy + std::string(is_beside_other ? ", beside code for threads" : ""));
      Bytes memory(bytes_each, std::byte{2});
      OneValue for_caller(false);
      OneValue beside(is_beside_other);
      for_caller.value = std::byte{3};
      beside.value = std::byte{5};
      gate.close();
      Mover mover(*comm, gated_files(), Policy::parse(policy), {1 << 20, 4});
      std::vector<Extent> extents{contiguous(0, {0, bytes_each}, std::as_const(memory).data())};
      for (OneValue* code : {&for_caller, &beside}) {
        extents.push_back(contiguous(0, {std::ssize(extents) * bytes_each, bytes_each}, memory.data()));
        extents.back().memory = nullptr;
        extents.back().encoder = code;
      }
      mover.write(AccessPlan::for_writing(std::move(extents)), {}, Memory::lent);
      EXPECT_EQ(mover.counts().copied_bytes, is_beside_other ? bytes_each : 3 * bytes_each);
      for_caller.value = std::byte{6};
      if (!is_beside_other) {  // else both stay as they are: threads may be reading them
        std::fill(memory.begin(), memory.end(), std::byte{4});
        beside.value = std::byte{7};
      }
      gate.open();
      mover.close();
      EXPECT_EQ(for_caller.threads(), std::set{std::this_thread::get_id()});
      EXPECT_EQ(beside.threads().count(std::this_thread::get_id()), is_beside_other ? 0U : 1U);
      const Bytes all = files.bytes("file");
      ASSERT_EQ(std::ssize(all), 3 * bytes_each);
      const auto part = [&](std::int64_t i) {
        return Bytes(all.begin() + i * bytes_each, all.begin() + (i + 1) * bytes_each);
      };
      EXPECT_EQ(part(0), Bytes(bytes_each, std::byte{2}));
      EXPECT_EQ(part(1), Bytes(bytes_each, std::byte{3}));
      EXPECT_EQ(part(2), Bytes(bytes_each, std::byte{5}));
    }
  }
}

// Without code a stage is filled at once, which costs no more than a copy for later.
TEST_F(LentTest, MemoryAloneIsFreeOnceItIsInAStage) {
  // Of less than 4 KiB there is a copy also without a stage.
  for (const auto& [policy, bytes, expected] :
       {std::tuple("staged,async=1", bytes_each, 2), std::tuple("staged,async=1", 4 * bytes_each, 2),
        std::tuple("direct,async=1", bytes_each, 2), std::tuple("direct,async=1", 4 * bytes_each, 4)}) {
    SCOPED_TRACE(policy + std::to_string(bytes));
    test::Gate closed;
    files.put("file", {});
    Bytes memory(static_cast<std::size_t>(bytes), std::byte{2});
    Mover mover(*comm, {{"file"}, OpenMode::write, test::gated(opener(), closed)}, Policy::parse(policy), {1 << 20, 1});
    const AccessPlan plan = AccessPlan::for_writing({contiguous(0, {0, bytes}, std::as_const(memory).data())});
    mover.write({&plan, 1}, {}, Memory::lent);
    std::fill(memory.begin(), memory.end(), std::byte{4});
    closed.open();
    mover.close();
    EXPECT_EQ(files.bytes("file"), Bytes(memory.size(), static_cast<std::byte>(expected)));
  }
}

// As a header that counts the records before it.
TEST_F(LentTest, AShortRunBehindLentCodeWaitsForNothing) {
  for (const char* policy : {"direct,async=2", "staged,async=2", "elected,async=2", "writers=all,stage=512,async=2"}) {
    SCOPED_TRACE(policy);
    OneValue code;
    code.value = std::byte{3};
    Bytes header(8, std::byte{2});
    gate.close();
    Mover mover(*comm, gated_files(), Policy::parse(policy), {1 << 20, 1});
    Extent of_code = contiguous(0, {8, bytes_each}, static_cast<const std::byte*>(nullptr));
    of_code.encoder = &code;
    const std::array plans{AccessPlan::for_writing({of_code}),
                           AccessPlan::for_writing({contiguous(0, {0, 8}, std::as_const(header).data())})};
    mover.write(plans, {}, Memory::lent);
    std::fill(header.begin(), header.end(), std::byte{4});
    gate.open();
    mover.close();
    Bytes expected(8, std::byte{2});
    expected.resize(8 + bytes_each, std::byte{3});
    EXPECT_EQ(files.bytes("file"), expected);
  }
}

TEST_F(LentTest, CopiedMemoryIsTheCallersAgain) {
  for (const char* policy : {"writers=all,stage=512,async=2", "elected,stage=700,async=2", "direct,async=2"}) {
    SCOPED_TRACE(policy);
    const Outcome copied = written_by(policy, Memory::copied);
    EXPECT_EQ(copied.memory, Bytes(bytes_each, std::byte{2}));
    EXPECT_EQ(copied.code, Bytes(bytes_each, std::byte{3}));
    EXPECT_EQ(copied.copied_bytes, 2 * bytes_each);
  }
}

TEST_F(LentTest, AnErrorOfCodeComesWithTheNextCall) {
  OneValue code;
  code.fails = true;
  gate.open();
  Mover mover(*comm, gated_files(), Policy::parse("staged,async=1"), {1 << 20, 1});
  Extent of_code = contiguous(0, {0, 10}, static_cast<const std::byte*>(nullptr));
  of_code.encoder = &code;
  mover.write(AccessPlan::for_writing({of_code}), {}, Memory::lent);
  const std::optional<Error> error = test::thrown([&] { mover.wait(); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().problem, "no such value");
  mover.close();
}

// It would keep all stages for requests that come after those, and wait for ever.
TEST_F(LentTest, ACallThatTakesStagesWaitsForJobsThatTakeThem) {
  constexpr std::int64_t bytes = 40 * 512;
  files.put("file", {});
  Mover mover(*comm, {{"file"}, OpenMode::write, opener()}, Policy::parse("writers=all,stage=512,async=3"), {4096, 2});
  OneValue first;
  OneValue second;
  first.value = std::byte{3};
  second.value = std::byte{5};
  for (int phase = 0; phase < 10; ++phase) {
    for (const OneValue* code : {&first, &second}) {
      Extent extent{
          .offset_bytes = (2 * phase + (code == &first ? 0 : 1)) * bytes, .run_bytes = bytes, .encoder = code};
      mover.write(AccessPlan::for_writing({extent}), {}, code == &first ? Memory::lent : Memory::copied);
    }
  }
  mover.close();
  const Bytes all = files.bytes("file");
  ASSERT_EQ(all.size(), 20 * bytes);
  for (std::ptrdiff_t i = 0; i < 20; ++i) {
    EXPECT_EQ(std::count(all.begin() + i * bytes, all.begin() + (i + 1) * bytes, std::byte(i % 2 == 0 ? 3 : 5)), bytes);
  }
}

}  // namespace
}  // namespace sill
