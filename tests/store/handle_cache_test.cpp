// Many files through few open handles.
#include "sill/store/handle_cache.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <vector>

#include "sill/base/threads.hpp"
#include "sill/store/forwarding_store.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "support/fault_store.hpp"
#include "support/memory.hpp"
#include "support/memory_store.hpp"

namespace sill {
namespace {

using test::Bytes;
using test::pattern;
using test::thrown;

// What was opened, synced and closed, and how many were open at most.
struct Journal {
  std::mutex mutex;
  std::map<std::string, int> opens;
  std::map<std::string, int> syncs;
  std::vector<std::string> closed;
  std::vector<OpenMode> modes;
  int open_now = 0;
  int max_open = 0;
};

class JournalStore final : public ForwardingStore {
 public:
  JournalStore(std::unique_ptr<Store> inner, Journal& journal) : ForwardingStore(std::move(inner)), journal_(journal) {}
  ~JournalStore() override { gone(); }
  void sync() override {
    inner().sync();
    const std::lock_guard lock(journal_.mutex);
    ++journal_.syncs[name()];
  }
  void close() override {
    gone();
    inner().close();
    const std::lock_guard lock(journal_.mutex);
    journal_.closed.push_back(name());
  }

 private:
  void gone() {
    const std::lock_guard lock(journal_.mutex);
    if (!std::exchange(is_gone_, true)) --journal_.open_now;
  }

  Journal& journal_;
  bool is_gone_ = false;
};

class HandleCacheTest : public testing::Test {
 protected:
  static std::vector<std::string> names(int count) {
    std::vector<std::string> paths;
    for (int i = 0; i < count; ++i) paths.push_back("file" + std::to_string(i));
    return paths;
  }
  void put(int count) {
    for (const std::string& name : names(count)) files.put(name, pattern(10));
  }
  Opener opener() {
    return [this](const std::string& path, OpenMode mode) -> std::unique_ptr<Store> {
      std::unique_ptr<Store> inner = faulty([&](const auto& p, auto m) { return files.open(p, m); }, fault)(path, mode);
      const std::lock_guard lock(journal.mutex);
      ++journal.opens[path];
      journal.modes.push_back(mode);
      journal.max_open = std::max(journal.max_open, ++journal.open_now);
      return std::make_unique<JournalStore>(std::move(inner), journal);
    };
  }

  MemoryFiles files;
  Journal journal;
  Fault fault{.nth = -1};
};

TEST_F(HandleCacheTest, OpensWhatIsNeededAndNoMoreThanItMay) {
  put(1000);
  HandleCache cache(opener(), names(1000), OpenMode::write, 10);
  EXPECT_EQ(journal.max_open, 0);
  for (int round = 0; round < 2; ++round) {
    for (int file = 0; file < 1000; ++file) write_at(*cache.get(file), 0, pattern(4, static_cast<std::uint64_t>(file)));
  }
  EXPECT_EQ(journal.max_open, 10);
  EXPECT_EQ(journal.open_now, 10);
  EXPECT_EQ(journal.modes.size(), 2000U) << "in a circle the least recently used is the one needed next";
  cache.close();
  EXPECT_EQ(journal.open_now, 0);
  for (int file = 0; file < 1000; ++file) {
    Bytes expected = pattern(10);
    std::ranges::copy(pattern(4, static_cast<std::uint64_t>(file)), expected.begin());
    EXPECT_EQ(files.bytes(names(1000)[static_cast<std::size_t>(file)]), expected);
  }
}

// No file is left as being opened, for which others would wait.
TEST_F(HandleCacheTest, IsWholeAfterMemoryRanOut) {
  put(2);
  HandleCache cache([this](const std::string& path, OpenMode mode) { return files.open(path, mode); }, names(2),
                    OpenMode::write, 1);
  bool has_struck = true;
  for (std::int64_t nth = 1; has_struck; ++nth) {
    SCOPED_TRACE(nth);
    (void)cache.get(0);
    bool is_stated = false;
    try {
      const test::RefusedMemory refused(nth);
      (void)cache.get(1);
      has_struck = refused.has_struck();
    } catch (const std::bad_alloc&) {
      is_stated = true;
    }
    EXPECT_EQ(is_stated, has_struck);
    EXPECT_NE(cache.get(1), nullptr);
  }
  cache.close();
}

TEST_F(HandleCacheTest, FewFilesStayOpen) {
  put(10);
  HandleCache cache(opener(), names(10), OpenMode::write, 10);
  for (int round = 0; round < 5; ++round) {
    for (int file = 0; file < 10; ++file) (void)cache.get(file);
  }
  EXPECT_EQ(journal.modes.size(), 10U);
}

TEST_F(HandleCacheTest, TheLeastRecentlyUsedGoes) {
  put(4);
  HandleCache cache(opener(), names(4), OpenMode::write, 2);
  for (const int file : {0, 1, 0, 2}) (void)cache.get(file);
  EXPECT_EQ(journal.closed, std::vector<std::string>{"file1"});
  for (const int file : {0, 3}) (void)cache.get(file);
  EXPECT_EQ(journal.closed, (std::vector<std::string>{"file1", "file2"}));
  EXPECT_EQ(journal.opens["file0"], 1);
}

TEST_F(HandleCacheTest, WhatIsInUseStaysOpen) {
  put(5);
  HandleCache cache(opener(), names(5), OpenMode::write, 2);
  {
    const auto held = cache.get(0);
    const auto held_too = cache.get(1);
    for (const int file : {2, 3, 4}) (void)cache.get(file);
    EXPECT_EQ(journal.closed, (std::vector<std::string>{"file2", "file3"}));
    write_at(*held, 0, pattern(3, 2));
    EXPECT_EQ(journal.open_now, 3) << "only what is in use exceeds the bound";
  }
  (void)cache.get(2);
  EXPECT_EQ(journal.open_now, 2) << "what was too much has gone";
  EXPECT_EQ(journal.opens["file0"], 1);
}

TEST_F(HandleCacheTest, FilesAreCreatedOnce) {
  HandleCache cache(opener(), names(3), OpenMode::create, 1);
  for (const int file : {0, 1, 0}) write_at(*cache.get(file), file, pattern(4));
  EXPECT_EQ(journal.modes, (std::vector<OpenMode>{OpenMode::create, OpenMode::create, OpenMode::write}));
  files.put("file2", {});
  const auto error = thrown([&] { (void)cache.get(2); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().where.file, "file2");
}

TEST_F(HandleCacheTest, AFileThatVanishedIsAnErrorAndNotANewOne) {
  const test::TemporaryFolder folder;
  HandleCache cache(open_posix, {folder / "a", folder / "b"}, OpenMode::write_or_create, 1);
  write_at(*cache.get(0), 0, pattern(4));
  (void)cache.get(1);
  std::filesystem::remove(folder / "a");
  const auto error = thrown([&] { (void)cache.get(0); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().where.file, folder / "a");
  EXPECT_FALSE(std::filesystem::exists(folder / "a"));
}

TEST_F(HandleCacheTest, AFileThatIsNotOfTheListIsAnError) {
  put(2);
  HandleCache cache(opener(), names(2), OpenMode::write, 1);
  for (const int file : {-1, 2}) {
    const auto error = thrown([&] { (void)cache.get(file); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
  }
}

TEST_F(HandleCacheTest, FilesOnlyReadAreOnlyRead) {
  put(2);
  HandleCache cache(opener(), names(2), OpenMode::read, 1);
  for (const int file : {0, 1, 0}) (void)cache.get(file);
  EXPECT_EQ(journal.modes, std::vector<OpenMode>(3, OpenMode::read));
}

TEST_F(HandleCacheTest, AfterAFailedOpeningItIsTriedAgain) {
  put(2);
  fault.call = Fault::Call::open;
  fault.nth = 2;
  HandleCache cache(opener(), names(2), OpenMode::write, 2);
  (void)cache.get(0);
  EXPECT_TRUE(thrown([&] { (void)cache.get(1); }));
  EXPECT_EQ(journal.open_now, 1);
  (void)cache.get(1);
  EXPECT_EQ(journal.open_now, 2);
}

TEST_F(HandleCacheTest, AnErrorOfClosingIsToldByWhoeverTookThePlace) {
  put(3);
  fault.call = Fault::Call::close;
  fault.nth = 1;
  fault.errno_value = EDQUOT;
  HandleCache cache(opener(), names(3), OpenMode::write, 1);
  (void)cache.get(0);
  const auto error = thrown([&] { (void)cache.get(1); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().where.file, "file0");
  EXPECT_EQ(journal.opens["file1"], 0);
  (void)cache.get(1);
  cache.close();
  EXPECT_EQ(journal.open_now, 0);
}

TEST_F(HandleCacheTest, ClosingClosesAllAndTellsTheLowestThatFailed) {
  put(4);
  fault.call = Fault::Call::close;
  fault.nth = 2;
  HandleCache cache(opener(), names(4), OpenMode::write, 4);
  for (const int file : {3, 1, 2, 0}) (void)cache.get(file);
  const auto error = thrown([&] { cache.close(); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().where.file, "file1");
  EXPECT_EQ(journal.open_now, 0);
  EXPECT_EQ(journal.closed, (std::vector<std::string>{"file0", "file2", "file3"}));
  cache.close();
  write_at(*cache.get(0), 0, pattern(3));
  EXPECT_EQ(journal.opens["file0"], 2) << "files may be used again";
}

TEST_F(HandleCacheTest, WhatWasWrittenIsSyncedThoughItWasClosed) {
  put(10);
  HandleCache cache(opener(), names(10), OpenMode::write, 2);
  for (const int file : {7, 1, 4, 9}) {
    write_at(*cache.get(file), 0, pattern(3, 2));
    cache.set_written(file);
  }
  (void)cache.get(5);
  cache.sync_written();
  EXPECT_EQ(journal.syncs, (std::map<std::string, int>{{"file1", 1}, {"file4", 1}, {"file7", 1}, {"file9", 1}}));
  EXPECT_EQ(journal.max_open, 2);
  cache.sync_written();
  EXPECT_EQ(journal.syncs.size(), 4U);
  EXPECT_EQ(journal.syncs["file4"], 1) << "nothing was written since";
  cache.set_written(4);
  cache.close();
  cache.sync_written(3);
  EXPECT_EQ(journal.syncs["file4"], 2);
}

TEST_F(HandleCacheTest, AFileThatCouldNotBeSyncedStillCountsAsWritten) {
  put(3);
  fault.call = Fault::Call::sync;
  fault.nth = 2;
  HandleCache cache(opener(), names(3), OpenMode::write, 3);
  for (const int file : {0, 1, 2}) {
    (void)cache.get(file);
    cache.set_written(file);
  }
  const auto error = thrown([&] { cache.sync_written(); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().where.file, "file1");
  cache.sync_written();
  EXPECT_EQ(journal.syncs, (std::map<std::string, int>{{"file0", 1}, {"file1", 1}, {"file2", 1}}));
}

TEST_F(HandleCacheTest, ThreadsShareIt) {
  constexpr int threads = 4;
  constexpr int count = 40;
  constexpr int rounds = 50;
  put(count);
  HandleCache cache(opener(), names(count), OpenMode::write, 6);
  run_on_threads(threads, [&](int thread) {
    for (int i = 0; i < rounds * count; ++i) {
      const int file = (i * (thread + 1) + i / 7) % count;
      const auto store = cache.get(file);
      const std::byte value{static_cast<unsigned char>(thread + 1)};
      write_at(*store, 10 + thread, {&value, 1});
      cache.set_written(file);
    }
  });
  EXPECT_LE(journal.max_open, 6 + 2 * threads) << "a thread holds one, and may be closing another";
  EXPECT_GE(journal.max_open, 6);
  cache.sync_written(threads);
  EXPECT_EQ(journal.syncs.size(), static_cast<std::size_t>(count));
  cache.close();
  EXPECT_EQ(journal.open_now, 0);
  for (const std::string& name : names(count)) EXPECT_EQ(files.bytes(name).size(), 14U) << name;
}

TEST_F(HandleCacheTest, ThreadsThatWantOneFileOpenItOnce) {
  put(1);
  HandleCache cache(opener(), names(1), OpenMode::write, 1);
  std::atomic<int> different{0};
  const auto first = cache.get(0);
  run_on_threads(4, [&](int) {
    for (int i = 0; i < 1000; ++i) different += cache.get(0) == first ? 0 : 1;
  });
  EXPECT_EQ(different, 0);
  EXPECT_EQ(journal.modes.size(), 1U);
}

// The limit of open files for the length of a test.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t max) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    struct rlimit lower = before_;
    lower.rlim_cur = max;
    is_set_ = ::setrlimit(RLIMIT_NOFILE, &lower) == 0;
  }
  [[nodiscard]] bool is_set() const { return is_set_; }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }

 private:
  struct rlimit before_ {};
  bool is_set_ = false;
};

TEST(SafeOpenFilesTest, IsHalfOfTheLimitUpTo4096) {
  for (const auto& [limit, expected] : {std::pair{256, 128U}, {100, 50U}, {1024, 512U}, {20000, 4096U}}) {
    const FewDescriptors few(static_cast<rlim_t>(limit));
    if (!few.is_set()) continue;  // the machine allows less
    EXPECT_EQ(safe_open_files(), expected);
  }
}

TEST(HandleCacheOfFolderTest, TenThousandFilesNeedFewDescriptors) {
  constexpr int count = 10000;
  const test::TemporaryFolder folder;
  std::vector<std::string> paths;
  for (int i = 0; i < count; ++i) paths.push_back(folder / std::to_string(i));
  const FewDescriptors few(256);
  Meter meter;
  HandleCache cache(metered(open_posix, meter), paths, OpenMode::write_or_create);
  for (const int phase : {0, 1}) {
    for (int file = 0; file < count; ++file) {
      const auto value = static_cast<std::uint64_t>(file);
      write_at(*cache.get(file), 8 * phase, std::as_bytes(std::span(&value, 1)));
    }
  }
  cache.close();
  EXPECT_EQ(meter.opens, 2 * count);
  for (int file = 0; file < count; ++file) {
    const std::vector<std::uint64_t> expected(2, static_cast<std::uint64_t>(file));
    ASSERT_TRUE(std::ranges::equal(test::bytes_of_file(paths[static_cast<std::size_t>(file)]),
                                   std::as_bytes(std::span(expected))));
  }
}

}  // namespace
}  // namespace sill
