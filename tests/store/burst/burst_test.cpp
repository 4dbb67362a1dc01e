// Writes through logs: what the files hold, however the log fails, and what a killed process leaves.
#include <fmt/format.h>
#include <gtest/gtest.h>  // before RapidCheck's header for it
#include <rapidcheck.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sill/store/burst/burst_files.hpp"
#include "sill/store/burst/left_logs.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "support/any_number.hpp"
#include "support/fault_store.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;
using test::Bytes;
using test::bytes_of_file;
using test::pattern;
using test::TemporaryFolder;
using test::thrown;

// Two files that are written through a log.
struct Burst {
  explicit Burst(const TemporaryFolder& folder, Meter* meter = nullptr, Opener log_open = open_posix, int threads = 1,
                 std::int64_t request_bytes = LatestBytes::max_request_bytes)
      : paths{folder / "a", folder / "b"},
        files(meter != nullptr ? metered(open_posix, *meter) : Opener(open_posix), paths, OpenMode::write_or_create),
        log(std::make_shared<BurstLog>(fs::temp_directory_path(), meter, std::move(log_open))),
        burst(log, files, paths, threads, request_bytes) {}

  void write(int file, std::int64_t offset_bytes, std::span<const std::byte> bytes) {
    write_at(*burst.handles().get(file), offset_bytes, bytes);
  }

  std::vector<std::string> paths;
  HandleCache files;
  std::shared_ptr<BurstLog> log;
  BurstFiles burst;
};

void put(Bytes& file, std::int64_t offset_bytes, std::span<const std::byte> bytes) {
  const auto end = static_cast<std::size_t>(offset_bytes) + bytes.size();
  if (file.size() < end) file.resize(end);
  std::ranges::copy(bytes, file.begin() + offset_bytes);
}

TEST(Burst, LaterBytesTakeThePlaceOfEarlierOnes) {
  EXPECT_TRUE(rc::check([] {
    const TemporaryFolder folder(test::in_memory());
    Burst all(folder, nullptr, open_posix, test::any_number<int>(1, 2), test::any_number<std::int64_t>(1, 100));
    std::vector<Bytes> expected(2);
    const int calls = test::any_number<int>(1, 6);
    for (int call = 0; call < calls; ++call) {
      const int writes = test::any_number<int>(0, 8);
      for (int i = 0; i < writes; ++i) {
        const int file = test::any_number<int>(0, 1);
        const auto offset = test::any_number<std::int64_t>(0, 200);
        const Bytes bytes = pattern(test::any_number<std::int64_t>(0, 100), *rc::gen::arbitrary<std::uint64_t>());
        all.write(file, offset, bytes);
        if (!bytes.empty()) put(expected[static_cast<std::size_t>(file)], offset, bytes);
      }
      all.burst.end_call();
      if (*rc::gen::arbitrary<bool>()) all.burst.drain();
    }
    all.burst.drain();
    for (std::size_t file = 0; file < 2; ++file) {
      const Bytes found = fs::exists(all.paths[file]) ? bytes_of_file(all.paths[file]) : Bytes{};
      // Between two runs a file has zeros, as `expected` has.
      RC_ASSERT(found == expected[file]);
    }
  }));
}

TEST(Burst, NeighboursOfSeveralCallsAreOneRequest) {
  const TemporaryFolder folder;
  Meter meter;
  const Bytes bytes = pattern(100 << 10);
  {
    Burst all(folder, &meter);
    for (std::int64_t i = 1023; i >= 0; --i) {  // backwards, ten calls
      all.write(0, 100 * i, std::span(bytes).subspan(static_cast<std::size_t>(100 * i), 100));
      if (i % 100 == 0) all.burst.end_call();
    }
    all.burst.drain();
    EXPECT_EQ(meter.write_requests, 1);
    EXPECT_EQ(meter.burst_bytes, 102400);
    EXPECT_EQ(meter.past_burst_bytes, 0);
  }
  EXPECT_EQ(bytes_of_file(folder / "a"), bytes);
}

TEST(Burst, RequestsMeetAtMultiplesOf8MiB) {
  const TemporaryFolder folder;
  Meter meter;
  const std::int64_t block = 8 << 20;
  const Bytes bytes = pattern(2 * block);
  Burst all(folder, &meter);
  all.write(0, block / 2, bytes);
  all.burst.end_call();
  all.burst.drain();
  EXPECT_EQ(meter.write_requests, 3);
  Bytes expected;
  put(expected, block / 2, bytes);
  EXPECT_EQ(bytes_of_file(folder / "a"), expected);
}

// As of a full, broken or removed folder: each call to it in turn.
TEST(Burst, WhatTheLogDoesNotTakeGoesToTheFileBehindWhatItHas) {
  bool has_failed = true;
  for (int nth = 1; has_failed; ++nth) {
    for (const Fault::Call call : {Fault::Call::open, Fault::Call::write}) {
      const TemporaryFolder folder;
      Meter meter;
      Fault fault{.call = call, .nth = nth, .kind = Fault::Kind::fails};
      if (call == Fault::Call::write && nth % 2 == 0) fault.kind = Fault::Kind::is_short;
      Bytes expected;
      {
        Burst all(folder, &meter, faulty(open_posix, fault));
        for (int i = 0; i < 12; ++i) {
          const Bytes bytes = pattern(300, static_cast<std::uint64_t>(i) + 1);
          all.write(0, 100 * i, bytes);  // over the end of the one before
          put(expected, 100 * i, bytes);
          if (i % 4 == 3) all.burst.end_call();
          if (i % 8 == 7) all.burst.drain();
        }
        all.burst.drain();
        EXPECT_EQ(meter.burst_bytes + meter.past_burst_bytes, 12 * 300);
      }
      EXPECT_EQ(bytes_of_file(folder / "a"), expected) << nth;
      if (call == Fault::Call::write) has_failed = fault.seen >= nth;
      for (const std::string& name : test::names_in(fs::temp_directory_path()))
        EXPECT_FALSE(name.ends_with(segment_ending) && name.find(fmt::format("-{}-", ::getpid())) != name.npos) << name;
    }
    ASSERT_LT(nth, 100);
  }
}

TEST(Burst, AFolderThatIsSlowerThanTheFilesIsLeftOut) {
  const TemporaryFolder folder;
  Meter meter;
  Burst all(folder, &meter);
  constexpr std::int64_t enough = 64 << 20;
  all.log->count_appended(enough, 2'000'000);
  all.log->count_drained(enough - 1, 1'000'000);
  EXPECT_TRUE(all.log->is_fast());
  all.log->count_drained(1, 0);
  EXPECT_FALSE(all.log->is_fast());
  all.write(0, 0, pattern(10));
  EXPECT_EQ(meter.past_burst_bytes, 10);
  EXPECT_EQ(bytes_of_file(folder / "a"), pattern(10));
}

TEST(Burst, AnErrorOfAFileStaysUntilTheEnd) {
  const TemporaryFolder folder;
  const std::vector<std::string> paths{folder / "a"};
  Fault fault{.call = Fault::Call::write, .nth = 1};
  HandleCache files(faulty(open_posix, fault), paths, OpenMode::write_or_create);
  BurstFiles burst(std::make_shared<BurstLog>(folder.path(), nullptr), files, paths);
  for (int i = 0; i < 2; ++i) {
    write_at(*burst.handles().get(0), 0, pattern(10));
    burst.end_call();
    const auto error = thrown([&] { burst.drain(); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->parts().where.file, folder / "a");
  }
}

TEST(Burst, NothingOfTheLogStays) {
  const TemporaryFolder folder;
  {
    BurstLog one(folder.path(), nullptr);
    BurstLog two(folder.path(), nullptr);
    one.end(one.begin());
    EXPECT_EQ(test::names_in(folder.path()).size(), 3U);
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

// What `work` leaves behind when its process is killed at its end.
void kill_after(const std::function<void()>& work) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    (void)thrown(work);
    ::raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
}

struct LeftLogs : testing::Test {
  TemporaryFolder logs;
  TemporaryFolder folder;
  std::string path = folder / "a";

  // Three calls of which the last has not ended; the first is in the file.
  void leave(const std::string& target) const {
    kill_after([&] {
      const std::vector<std::string> paths{target};
      HandleCache files(open_posix, paths, OpenMode::write_or_create);
      BurstFiles burst(std::make_shared<BurstLog>(logs.path(), nullptr), files, paths);
      for (int call = 0; call < 3; ++call) {
        write_at(*burst.handles().get(0), 100 * call, pattern(100, static_cast<std::uint64_t>(call) + 1));
        if (call == 0) {
          burst.end_call();
          burst.drain();
        }
        if (call == 1) burst.end_call();
      }
      ::raise(SIGKILL);
    });
  }
  void leave() const { leave(path); }
  [[nodiscard]] std::string segment() const {
    for (const std::string& name : test::names_in(logs.path()))
      if (name.ends_with(segment_ending)) return logs / name;
    return "";
  }
  // Nothing comes into the file, and why is said.
  void expect_dropped(const std::string& why) const {
    const Bytes before = fs::exists(path) ? bytes_of_file(path) : Bytes{};
    const DrainedLogs drained = drain_left_logs(logs.path());
    ASSERT_EQ(drained.files.size(), 1U);
    EXPECT_NE(drained.files[0].dropped.find(why), std::string::npos) << drained.files[0].dropped;
    EXPECT_FALSE(drained.is_whole());
    EXPECT_EQ(fs::exists(path) ? bytes_of_file(path) : Bytes{}, before);
    EXPECT_TRUE(fs::is_empty(logs.path()));
  }
};

TEST_F(LeftLogs, BringsWhatCallsThatEndedWrote) {
  leave();
  EXPECT_EQ(bytes_of_file(path), pattern(100, 1));
  const auto refused = thrown([&] { const BurstLog log(logs.path(), nullptr); });
  ASSERT_TRUE(refused);
  EXPECT_EQ(refused->code(), ErrorCode::usage);
  EXPECT_NE(std::string(refused->what()).find("sill drain"), std::string::npos);

  const DrainedLogs drained = drain_left_logs(logs.path());
  ASSERT_EQ(drained.files.size(), 1U);
  EXPECT_EQ(drained.files[0].path, path);
  EXPECT_EQ(drained.files[0].bytes, 100);
  EXPECT_EQ(drained.files[0].runs, 1);
  EXPECT_TRUE(drained.is_whole());
  EXPECT_EQ(drained.drained, 1);
  Bytes expected = pattern(100, 1);
  put(expected, 100, pattern(100, 2));
  EXPECT_EQ(bytes_of_file(path), expected);
  EXPECT_TRUE(fs::is_empty(logs.path()));
  const BurstLog log(logs.path(), nullptr);
}

// Some runs were logged before there was the file, others after.
TEST_F(LeftLogs, BringsLaterBytesOfALogLast) {
  kill_after([&] {
    const std::vector<std::string> paths{path};
    HandleCache files(open_posix, paths, OpenMode::write_or_create);
    BurstFiles first(std::make_shared<BurstLog>(logs.path(), nullptr), files, paths);
    BurstFiles second(std::make_shared<BurstLog>(logs.path(), nullptr), files, paths);
    const auto write = [](BurstFiles& to, std::int64_t offset_bytes, std::uint64_t seed) {
      write_at(*to.handles().get(0), offset_bytes, pattern(100, seed));
      to.end_call();
    };
    write(second, 50, 1);
    test::make_file(path, {});
    write(first, 200, 2);
    write(second, 0, 3);
    ::raise(SIGKILL);
  });
  EXPECT_TRUE(drain_left_logs(logs.path()).is_whole());
  Bytes expected(300);
  put(expected, 50, pattern(100, 1));
  put(expected, 200, pattern(100, 2));
  put(expected, 0, pattern(100, 3));
  EXPECT_EQ(bytes_of_file(path), expected);
}

TEST_F(LeftLogs, DropsWhatIsOfAFileThatIsGone) {
  leave();
  fs::remove(path);
  const BurstLog log(logs.path(), nullptr);  // has nothing to lose
  EXPECT_EQ(test::names_in(logs.path()).size(), 1U);
}

TEST_F(LeftLogs, SaysThatAFileIsGone) {
  leave();
  fs::remove(path);
  expect_dropped("does not exist");
}

TEST_F(LeftLogs, DropsWhatIsOfAnotherFileOfThatName) {
  leave();
  fs::rename(path, folder / "old");  // so that its number is not used again
  test::make_file(path, pattern(300, 9));
  expect_dropped("another file");
}

TEST_F(LeftLogs, DropsWhatIsOfAFileThatChangedSince) {
  leave();
  fs::last_write_time(path, fs::file_time_type::clock::now() + std::chrono::hours(1));
  expect_dropped("was changed");
}

TEST_F(LeftLogs, DropsTheUnfinishedOutputOfACommand) {
  path = folder / ".a.sill-0123456789abcdef.part";
  leave();
  expect_dropped("run it again");
}

TEST_F(LeftLogs, LeavesLogsOfProcessesThatLive) {
  const BurstLog log(logs.path(), nullptr);
  const DrainedLogs drained = drain_left_logs(logs.path());
  EXPECT_EQ(drained.in_use, 1);
  EXPECT_EQ(drained.drained, 0);
  EXPECT_EQ(test::names_in(logs.path()).size(), 1U);
}

// Each byte of the segment changed, and each length of it: never a byte that was not written, never without a word.
TEST_F(LeftLogs, SaysWhatIsDamaged) {
  leave();
  const Bytes whole = bytes_of_file(segment());
  const auto state = [&](const Bytes& bytes) -> std::optional<LeftSegment> {
    test::make_file(folder / "segment", bytes);
    std::optional<LeftSegment> left;
    (void)thrown([&] { left = read_segment(*open_posix(folder / "segment", OpenMode::read)); });
    return left;
  };
  const std::optional<LeftSegment> right = state(whole);
  ASSERT_TRUE(right);
  ASSERT_EQ(right->runs.size(), 1U);
  const std::int64_t end = right->runs[0].log_byte + right->runs[0].length;
  constexpr std::int64_t head_bytes = 32;  // without it nothing was in it
  for (std::int64_t at = 0; at < end; ++at) {
    Bytes damaged = whole;
    damaged[static_cast<std::size_t>(at)] ^= std::byte{0x10};
    const std::optional<LeftSegment> left = state(damaged);
    EXPECT_TRUE(!left || left->is_damaged) << at;
    EXPECT_TRUE(!left || left->runs.empty()) << at;
    damaged = Bytes(whole.begin(), whole.begin() + at);
    const std::optional<LeftSegment> cut = state(damaged);
    EXPECT_TRUE(!cut || cut->is_damaged || at < head_bytes) << at;
    EXPECT_TRUE(!cut || cut->runs.empty()) << at;
  }
}

}  // namespace
}  // namespace sill
