// What MPI-IO is asked for has an effect: seen from the calls and bytes that the system counts for this process.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "sill/store/mpiio/mpiio_hint_trial.hpp"
#include "sill/store/mpiio/mpiio_store.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/world.hpp"

namespace sill::test {
namespace {

// Counts of the system for this process, as in /proc/self/io.
std::map<std::string, std::int64_t> counts() {
  std::ifstream in("/proc/self/io");
  std::map<std::string, std::int64_t> all;
  std::string key;
  std::int64_t value = 0;
  while (in >> key >> value) all[key] = value;
  return all;
}

TEST(MpiioEffectTest, AsManyRanksWriteAsTheHintSays) {
  const SharedFolder folder(world());
  for (int asked = 1; asked <= world().size() + 1; ++asked) {
    const std::int64_t buffer_bytes = 3 << 20;
    const MpiioEffect effect = try_mpiio_hints(world(), folder.path(), {asked, buffer_bytes});
    const int expected = std::min(asked, world().size());
    EXPECT_EQ(effect.aggregators, expected);
    EXPECT_NEAR(static_cast<double>(effect.write_bytes), static_cast<double>(buffer_bytes) / expected, 4096);
  }
  world().barrier();
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(MpiioEffectTest, WithoutAHintOneRankOfTheNodeWrites) {
  const SharedFolder folder(world());
  EXPECT_EQ(try_mpiio_hints(world(), folder.path(), {}).aggregators, 1);
}

TEST(MpiioEffectTest, TheWholeBufferIsWrittenAtOnce) {
  // What the guard against hanging stands on: a call that fits the buffer takes one round.
  const SharedFolder folder(world());
  for (const std::int64_t buffer_bytes : {1 << 20, 40 << 20}) {
    EXPECT_NEAR(static_cast<double>(try_mpiio_hints(world(), folder.path(), {1, buffer_bytes}).write_bytes),
                static_cast<double>(buffer_bytes), 4096);
  }
}

TEST(MpiioEffectTest, TryingHintsInAMissingFolderIsTheSameErrorOnAllRanks) {
  const SharedFolder folder(world());
  const auto error = thrown([&] { (void)try_mpiio_hints(world(), folder / "missing", {}); });
  ASSERT_TRUE(error);
  EXPECT_TRUE(same_everywhere(world(), error->what()));
}

TEST(MpiioEffectTest, HintsThatMeanNothingAreRefused) {
  const SharedFolder folder(world());
  for (const MpiioHints& hints : {MpiioHints{-1, 1 << 20}, MpiioHints{0, 0}, MpiioHints{0, std::int64_t{1} << 30U}}) {
    const auto error = thrown([&] { (void)try_mpiio_hints(world(), folder.path(), hints); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
    const int rank = world().rank();
    EXPECT_TRUE(thrown([&] {
      (void)open_mpiio_together(world(), {&rank, 1}, folder / "file", OpenMode::write_or_create, hints);
    }));
  }
  world().barrier();
  EXPECT_TRUE(names_in(folder.path()).empty());
}

TEST(MpiioEffectTest, ReadsOverSmallGapsAndNotOverWideOnes) {
  const TemporaryFolder folder;
  make_file(folder / "file", pattern(10 << 20));
  const auto store = open_mpiio(folder / "file", OpenMode::read);
  Bytes into(200 * 100);

  auto before = counts();
  store->submit_strided({7, 100, 600, 200, into.data()});
  auto after = counts();
  EXPECT_LT(after["syscr:"] - before["syscr:"], 20);  // not one a record

  before = counts();
  store->submit_strided({7, 100, 50000, 200, into.data()});
  after = counts();
  EXPECT_LT(after["rchar:"] - before["rchar:"], 100000);  // not the whole file
}

TEST(MpiioEffectTest, SmallPiecesOfMemoryAreWrittenAtOnce) {
  const TemporaryFolder folder;
  const auto store = open_mpiio(folder / "file", OpenMode::create);
  Bytes bytes = pattern(40000);
  std::vector<iovec> pieces;
  for (std::size_t i = 0; i < 1000; ++i) pieces.push_back({bytes.data() + 40 * (999 - i), 40});
  const Request request{Operation::write, 0, pieces};
  const auto before = counts();
  store->submit({&request, 1});
  EXPECT_LT(counts()["syscw:"] - before.at("syscw:"), 5);
}

TEST(MpiioEffectTest, MoreBytesThanAnIntCountsAreMoved) {
  // 2.25 GiB of addresses that all lie in the same 16 MiB of memory, and a file in memory without blocks but for its
  // end.
  constexpr std::int64_t patch = 16 << 20;
  constexpr std::int64_t length = 144 * patch;
  static_assert(length > std::int64_t{1} << 31U);
  if (world().rank() != 0) return;
  const int descriptor = ::memfd_create("file", MFD_CLOEXEC);
  const std::string path = "/proc/self/fd/" + std::to_string(descriptor);
  write_at(*open_posix(path, OpenMode::write), length - 1000, pattern(1000));

  const int memory = ::memfd_create("patch", MFD_CLOEXEC);
  ASSERT_EQ(::ftruncate(memory, patch), 0);
  void* base = ::mmap(nullptr, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  ASSERT_NE(base, MAP_FAILED);
  auto* bytes = static_cast<std::byte*>(base);
  for (std::int64_t at = 0; at < length; at += patch) {
    ASSERT_EQ(::mmap(bytes + at, patch, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, memory, 0), bytes + at);
  }
  const auto store = open_mpiio(path, OpenMode::read);
  read_at(*store, 0, {bytes, static_cast<std::size_t>(length)});
  EXPECT_TRUE(std::equal(bytes + length - 1000, bytes + length, pattern(1000).begin()));

  // The same in runs of 2 MiB less a byte each, which are packed.
  Extent extent = contiguous(0, {1, (2 << 20) - 1}, bytes);
  extent.steps = {{length >> 21, 2 << 20, 2 << 20}};
  std::memset(bytes, 0, patch);
  store->submit_extents(Operation::read, {&extent, 1});
  EXPECT_TRUE(std::equal(bytes + length - 1001, bytes + length - 1, pattern(1000).begin()));
  ::munmap(base, length);
  ::close(memory);
  ::close(descriptor);
}

}  // namespace
}  // namespace sill::test
