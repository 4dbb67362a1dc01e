// What only files of the operating system can meet.
#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "sill/store/meter_store.hpp"
#include "sill/store/posix/counted_calls.hpp"
#include "sill/store/posix/file_lock.hpp"
#include "sill/store/posix/folder.hpp"
#include "sill/store/posix/free_space.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "store/unprivileged.hpp"

namespace sill {
namespace {

using test::Bytes;
using test::pattern;
using test::TemporaryFolder;
using test::thrown;

TEST(PosixStore, RefusesADirectory) {
  const TemporaryFolder folder;
  for (const OpenMode mode : {OpenMode::read, OpenMode::write}) {
    const auto error = thrown([&] { (void)open_posix(folder.path(), mode); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_EQ(error->parts().where.file, folder.path());
    EXPECT_NE(error->parts().problem.find("directory"), std::string::npos) << error->what();
  }
}

TEST(PosixStore, RefusesAPipeWithoutWaitingForIt) {
  const TemporaryFolder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const OpenMode mode : {OpenMode::read, OpenMode::write}) {
    const auto error = thrown([&] { (void)open_posix(pipe, mode); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_EQ(error->parts().problem, "not a regular file");
  }
}

TEST(PosixStore, RefusesADevice) {
  const auto error = thrown([&] { (void)open_posix("/dev/null", OpenMode::read); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().problem, "not a regular file");
}

TEST(PosixStore, SaysWhenPermissionIsMissing) {
  const TemporaryFolder folder;
  const std::string file = folder / "file";
  test::make_file(file, pattern(10));
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  ASSERT_EQ(::chmod(file.c_str(), 0), 0);
  EXPECT_EQ(test::as_unprivileged_user([&] {
              const auto error = thrown([&] { (void)open_posix(file, OpenMode::read); });
              return error && error->code() == ErrorCode::io &&
                     error->parts().problem.find("Permission denied") != std::string::npos &&
                     error->parts().where.file == file;
            }),
            "");
}

// A file system of 256 KiB.
class SmallDisk {
 public:
  SmallDisk() : mounted_(::mount("none", folder_.path().c_str(), "tmpfs", 0, "size=256k") == 0) {}
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return folder_ / name; }

 private:
  TemporaryFolder folder_;
  bool mounted_;
};

TEST(FreeSpace, IsThatOfTheFileSystemThatTheFileIsWrittenTo) {
  const SmallDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs needs more privileges";
  const std::int64_t before = free_space_bytes(disk / "file");
  EXPECT_GT(before, 100 * 1024);
  EXPECT_LE(before, 256 * 1024);
  open_posix(disk / "file", OpenMode::create)->allocate(100 * 1024);
  EXPECT_EQ(free_space_bytes(disk / "file"), before - 100 * 1024);
  const TemporaryFolder folder;
  ASSERT_EQ(::symlink((disk / "file").c_str(), (folder / "link").c_str()), 0);
  EXPECT_EQ(free_space_bytes(folder / "link"), before - 100 * 1024);
}

TEST(FreeSpace, IsThatOfTheFolderItselfOrOfTheNearestAboveWhatIsNotThereYet) {
  const SmallDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs needs more privileges";
  const std::int64_t free_bytes = free_space_bytes(disk / "file");
  EXPECT_EQ(free_space_bytes(disk / ""), free_bytes);
  EXPECT_EQ(free_space_bytes(disk / "no/such/folder/file"), free_bytes);
  EXPECT_EQ(existing_folder("/no/such/folder/file"), "/");
}

TEST(PosixStore, AFullDiskIsNoticedWhenSpaceIsReserved) {
  const SmallDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs needs more privileges";
  const auto store = open_posix(disk / "file", OpenMode::create);
  const auto error = thrown([&] { store->allocate(1 << 20); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_NE(error->parts().problem.find("No space left"), std::string::npos) << error->what();
  EXPECT_FALSE(error->parts().action.empty());
}

TEST(PosixStore, WhatIsWrittenToARemovedFileIsNotLostWithoutAWord) {
  const TemporaryFolder folder;
  const std::string path = folder / "removed";
  const std::array<std::byte, 4> bytes{};
  const auto open_and_remove = [&] {
    std::unique_ptr<Store> store = open_posix(path, OpenMode::create);
    write_at(*store, 0, bytes);
    std::filesystem::remove(path);
    return store;
  };
  const auto closing = thrown([store = open_and_remove()] { store->close(); });
  ASSERT_TRUE(closing);
  EXPECT_EQ(closing->code(), ErrorCode::io);
  EXPECT_EQ(closing->parts().where.file, path);
  EXPECT_NE(closing->parts().problem.find("removed while it was written"), std::string::npos);
  // The error of a run of hours is reported within a second, not at its end.
  const std::unique_ptr<Store> store = open_and_remove();
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));
  EXPECT_TRUE(thrown([&] { write_at(*store, 4, bytes); }));
  // What was only read from is nobody's loss.
  const std::unique_ptr<Store> read = open_posix(path, OpenMode::create);
  std::filesystem::remove(path);
  read->close();
}

TEST(PosixStore, AFullDiskIsNoticedWhenWritten) {
  const SmallDisk disk;
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs needs more privileges";
  const auto store = open_posix(disk / "file", OpenMode::create);
  const auto error = thrown([&] { write_at(*store, 0, pattern(1 << 20)); });
  ASSERT_TRUE(error);
  EXPECT_NE(error->parts().problem.find("No space left"), std::string::npos) << error->what();
  ASSERT_TRUE(error->parts().where.byte);
  EXPECT_EQ(*error->parts().where.byte, store->size_bytes()) << "the byte at which the disk was full";
  EXPECT_GT(store->size_bytes(), 0);
}

// A page that cannot be written to until it is first touched; then the file `descriptor` becomes empty.
int descriptor_to_truncate = -1;
std::byte* trap_page = nullptr;
volatile std::sig_atomic_t trapped = 0;
void on_trap(int /*signal*/, siginfo_t* information, void* /*context*/) {
  const auto* at = static_cast<const std::byte*>(information->si_addr);
  if (at < trap_page || at >= trap_page + 4096 || ::ftruncate(descriptor_to_truncate, 0) != 0) ::_exit(99);
  trapped = 1;
  ::mprotect(trap_page, 4096, PROT_READ | PROT_WRITE);
}

TEST(PosixStore, AFileThatShrinksWhileAWindowIsReadIsAnError) {
  const TemporaryFolder folder;
  const std::string file = folder / "file";
  const std::int64_t count = 1000;
  const std::int64_t stride = 4096;
  test::make_file(file, pattern(count * stride));
  const auto store = open_posix(file, OpenMode::read);

  // 16 bytes per item fill 4 pages; the second is the trap, so the file shrinks after 256 items were copied.
  const std::size_t room = 4 * 4096;
  void* const memory = ::mmap(nullptr, room, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(memory, MAP_FAILED);
  auto* const into = static_cast<std::byte*>(memory);
  trap_page = into + 4096;
  ASSERT_EQ(::mprotect(trap_page, 4096, PROT_NONE), 0);
  descriptor_to_truncate = ::open(file.c_str(), O_RDWR | O_CLOEXEC);
  struct sigaction trap {};
  trap.sa_sigaction = on_trap;
  trap.sa_flags = SA_SIGINFO;
  struct sigaction before {};
  ::sigaction(SIGSEGV, &trap, &before);
  const auto error = thrown([&] { store->submit_strided({0, 16, stride, count, into}); });
  ::sigaction(SIGSEGV, &before, nullptr);
  ::close(descriptor_to_truncate);
  EXPECT_EQ(trapped, 1);
  EXPECT_EQ(std::memcmp(into + 16, pattern(stride + 16).data() + stride, 16), 0);
  ::munmap(memory, room);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().where.file, file);
  EXPECT_TRUE(error->parts().where.byte);

  // The next read in this thread is as good as any.
  test::make_file(file, pattern(10000, 2));
  Bytes back(400);
  store->submit_strided({0, 10, 250, 40, back.data()});
  EXPECT_EQ(std::memcmp(back.data() + 390, pattern(10000, 2).data() + 9750, 10), 0);
}

// The items of a linked read are followed through a window while the file is cut short.
TEST(PosixStore, AFileCutShortWhileItsItemsAreFollowedIsAnError) {
  const TemporaryFolder folder;
  const std::string file = folder / "file";
  test::make_file(file, pattern(200000));
  const auto store = open_posix(file, OpenMode::read);
  Bytes into(10 * 16);
  const auto cut = [](const void* path, const std::byte*) noexcept -> std::int64_t {
    EXPECT_EQ(::truncate(static_cast<const char*>(path), 100), 0);
    return 20000;
  };
  LinkedRead read{0, 200000, 16, 10, into.data(), cut, file.c_str()};
  const auto error = thrown([&] { store->submit_linked({&read, 1}); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().where.file, file);
  EXPECT_EQ(std::memcmp(into.data(), pattern(200000).data(), 16), 0);
}

TEST(PosixStoreDeathTest, ABusErrorOfSomeoneElseStillEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "fast");  // no other thread runs; the parent removes the folder
  const TemporaryFolder folder;
  const std::string file = folder / "file";
  test::make_file(file, pattern(10000));
  EXPECT_EXIT(
      {
        Bytes into(400);
        open_posix(file, OpenMode::read)->submit_strided({0, 10, 250, 40, into.data()});  // installs the handler
        ::raise(SIGBUS);
      },
      [](int status) {
        // sanitizers end the process by an exit of their own
        return (WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS) || (WIFEXITED(status) && WEXITSTATUS(status) != 0);
      },
      "");
}

TEST(PosixStore, WhatIsDiscardedGivesItsSpaceBack) {
  const SmallDisk disk;  // tmpfs can
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small tmpfs needs more privileges";
  const auto store = open_posix(disk / "one", OpenMode::create);
  const auto other = open_posix(disk / "other", OpenMode::create);
  write_at(*store, 0, pattern(200 * 1024));
  EXPECT_TRUE(thrown([&] { other->allocate(200 * 1024); })) << "the disk holds only one of them";
  store->punch_hole({0, 200 * 1024});
  EXPECT_FALSE(thrown([&] { other->allocate(200 * 1024); }));
}

// Which part of the first `bytes` bytes of a file the system has cached, from 0 to 1.
double cached_part(const std::string& path, std::size_t bytes) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
  ::close(descriptor);
  if (mapped == MAP_FAILED) return -1;
  std::vector<unsigned char> pages((bytes + 4095) / 4096);
  const int result = ::mincore(mapped, bytes, pages.data());
  ::munmap(mapped, bytes);
  if (result != 0) return -1;
  return static_cast<double>(std::ranges::count_if(pages, [](unsigned char page) { return (page & 1U) != 0; })) /
         static_cast<double>(pages.size());
}

TEST(PosixStore, WhatIsForgottenLeavesTheCacheAndWhatIsNeededComesBack) {
  const TemporaryFolder folder;
  const std::string path = folder / "file";
  constexpr std::size_t bytes = 8 << 20;
  const auto store = open_posix(path, OpenMode::create);
  write_at(*store, 0, pattern(bytes));
  store->sync();
  struct statfs system {};
  ASSERT_EQ(::statfs(path.c_str(), &system), 0);
  constexpr auto tmpfs = 0x01021994;
  if (system.f_type == tmpfs || cached_part(path, bytes) < 1) GTEST_SKIP() << "this file system has no such cache";
  store->drop_cache({0, bytes / 2});
  EXPECT_LT(cached_part(path, bytes), 0.8) << "half of it, but pages go by larger pieces";
  store->drop_cache({0, bytes});
  EXPECT_LT(cached_part(path, bytes), 0.1);

  Meter meter;
  const auto metered_store = metered(open_posix, meter)(path, OpenMode::read);
  const ByteRange whole{0, bytes};
  double part = 0;
  for (int tenths = 0; tenths < 100 && part < 0.9; ++tenths) {
    if (tenths % 10 == 0) metered_store->will_need({&whole, 1});  // the system may be too busy to follow
    part = cached_part(path, bytes);
    if (part < 0.9) ::usleep(100'000);
  }
  EXPECT_GE(part, 0.9) << "of a long range, all of it";
  EXPECT_EQ(meter.read_requests, 0);
}

// As of traces whose neighbours' headers were looked at: what lies between them is fetched all the same.
TEST(PosixStore, RangesOfWhichOnlyTheEndsAreCachedAreFetched) {
  const TemporaryFolder folder;
  const std::string path = folder / "file";
  constexpr std::size_t bytes = 8 << 20;
  const auto store = open_posix(path, OpenMode::create);
  write_at(*store, 0, pattern(bytes));
  store->sync();
  store->drop_cache({0, bytes});
  if (cached_part(path, bytes) > 0.1) GTEST_SKIP() << "this file system has no such cache";
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ::posix_fadvise(descriptor, 0, 0, POSIX_FADV_RANDOM);  // no page more than is read
  std::vector<ByteRange> ranges;
  for (std::int64_t i = 0; i < 16; ++i) {
    ranges.push_back({100'000 + i * 500'000, 120'000});
    char byte = 0;
    EXPECT_EQ(::pread(descriptor, &byte, 1, ranges.back().offset), 1);
    EXPECT_EQ(::pread(descriptor, &byte, 1, ranges.back().end() - 1), 1);
  }
  ::close(descriptor);
  EXPECT_LT(cached_part(path, bytes), 0.1);
  const auto reader = open_posix(path, OpenMode::read);
  for (int tenths = 0; tenths < 100 && cached_part(path, bytes) < 0.2; ++tenths) {
    if (tenths % 10 == 0) reader->will_need(ranges);  // the system may be too busy to follow
    ::usleep(100'000);
  }
  EXPECT_GE(cached_part(path, bytes), 0.2);
}

TEST(PosixStore, ReadsAndWritesBeyondFourGiB) {
  const TemporaryFolder folder;
  const auto store = open_posix(folder / "sparse", OpenMode::create);
  const std::int64_t far = (std::int64_t{5} << 30U) + 12345;
  write_at(*store, far, pattern(100));
  EXPECT_EQ(store->size_bytes(), far + 100);
  Bytes back(100);
  read_at(*store, far, back);
  EXPECT_EQ(back, pattern(100));
  Bytes two(2);
  store->submit_strided({far - 10, 1, 109, 2, two.data()});
  EXPECT_EQ(two, (Bytes{std::byte{0}, pattern(100)[99]}));
}

TEST(FileLockTest, TheLastOfThoseThatShareItGetsItAlone) {
  const TemporaryFolder folder;
  FileLock first(folder / "lock", OpenMode::write_or_create);
  FileLock second(folder / "lock");
  ASSERT_TRUE(first.try_shared());
  ASSERT_TRUE(second.try_shared());
  first.release();
  EXPECT_FALSE(first.try_alone()) << "the second has a share";
  second.release();
  EXPECT_TRUE(second.try_alone());
  EXPECT_FALSE(first.try_shared());
  second.release();
  EXPECT_TRUE(first.try_shared());
}

TEST(CountedCallsTest, CallsAndBytesAreCounted) {
  const std::optional<CountedCalls> before = counted_calls();
  if (!before) GTEST_SKIP() << "this system does not count them";
  const TemporaryFolder folder;
  const std::unique_ptr<Store> store = open_posix(folder / "file", OpenMode::create);
  std::array<std::byte, 1000> bytes{};
  for (int i = 0; i < 5; ++i) write_at(*store, i * 1000, bytes);
  const CountedCalls written = counted_calls().value_or(CountedCalls{});
  for (int i = 0; i < 7; ++i) read_at(*open_posix(folder / "file", OpenMode::read), i * 500, bytes);
  const CountedCalls after = counted_calls().value_or(CountedCalls{});
  EXPECT_GE(after.writes - before->writes, 5);
  EXPECT_GE(after.written_bytes - before->written_bytes, 5000);
  EXPECT_GE(after.reads - written.reads, 7);
#ifndef SILL_SANITIZED  // sanitizers write to look at memory
  EXPECT_EQ(after.writes - before->writes, 5);
  EXPECT_EQ(after.written_bytes - before->written_bytes, 5000);
  EXPECT_LE(after.reads - written.reads, 7 + 8) << "asking reads a few times itself";
#endif
}

}  // namespace
}  // namespace sill
