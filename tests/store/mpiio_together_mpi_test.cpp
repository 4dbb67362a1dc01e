// Files that ranks write together by MPI-IO: the right bytes, and nothing else.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "sill/comm/agree.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/store/mpiio/mpiio_file.hpp"
#include "sill/store/mpiio/mpiio_store.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/random_extents.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/fault_store.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill::test {
namespace {

std::vector<int> all_ranks() {
  std::vector<int> ranks;
  for (int r = 0; r < world().size(); ++r) ranks.push_back(r);
  return ranks;
}

bool holds(const std::vector<int>& ranks, int rank) {
  return std::find(ranks.begin(), ranks.end(), rank) != ranks.end();
}

// Collective. A file that all ranks have open together.
std::unique_ptr<Store> open_by_all(const std::string& path, OpenMode mode, const MpiioHints& hints = {}) {
  const std::vector<int> ranks = all_ranks();
  std::unique_ptr<Store> store;
  agree(world(), attempt([&] { store = open_mpiio_together(world(), ranks, path, mode, hints); }));
  return store;
}

// Collective. The bytes of a file that every rank has finished with.
Bytes bytes_of_shared(const std::string& path) {
  world().barrier();
  Bytes bytes = bytes_of_file(path);
  world().barrier();
  return bytes;
}

// What one rank holds of `records` records of `width` bytes, of which each rank has `width / ranks`.
Extent interleaved(Bytes& memory, std::int64_t width, std::int64_t records) {
  Extent extent = contiguous(0, {world().rank() * width, width}, memory.data());
  extent.steps = {{records, width * world().size(), width}};
  return extent;
}

TEST(MpiioTogetherTest, AnyExtentsOfAnyRanksEqualPlainCopies) {
  const SharedFolder folder(world());
  const std::string path = folder / "file";
  EXPECT_TRUE(rc::check([&] {
    constexpr std::int64_t size_bytes = 600000;
    std::vector<PlacedExtent> placed = *random_extents(size_bytes);
    MpiioHints hints;
    hints.aggregators = *rc::gen::inRange(0, world().size() + 1);
    hints.buffer_bytes = *rc::gen::element<std::int64_t>(4096, 65536, 100000, 16 << 20);
    // Every rank that is listed is an owner, whether it holds anything or not.
    std::vector<int> ranks;
    for (int r = 0; r < world().size(); ++r) {
      if (*rc::gen::weightedElement<bool>({{3, true}, {1, false}})) ranks.push_back(r);
    }
    RC_PRE(!ranks.empty());
    const bool in_halves = *rc::gen::arbitrary<bool>();  // two calls for one file

    const Bytes before = pattern(size_bytes / 2, 7);
    Bytes expected = before;
    std::vector<Extent> mine;
    std::vector<PlacedExtent*> my_places;
    for (PlacedExtent& one : placed) {
      copy_to_file(one.extent(), expected);
      if (ranks[static_cast<std::size_t>(one.owner) % ranks.size()] != world().rank()) continue;
      mine.push_back(one.extent());
      my_places.push_back(&one);
    }
    const AccessPlan plan = AccessPlan::for_writing(mine);
    const AccessPlan back = AccessPlan::for_reading(mine);
    folder.put("file", before);

    RC_ASSERT(everywhere(world(), [&] {
      if (!holds(ranks, world().rank())) return true;
      const auto store = open_mpiio_together(world(), ranks, path, OpenMode::write, hints);
      const auto half = in_halves ? plan.extents().size() / 2 : 0;
      if (in_halves) store->submit_collective(Operation::write, plan.extents().first(half));
      store->submit_collective(Operation::write, plan.extents().subspan(half));
      store->close();
      return true;
    }));
    const bool same = bytes_of_shared(path) == expected;
    RC_ASSERT(everywhere(world(), [&] { return same; }));

    const std::vector<Bytes> written = memory_of(placed);
    for (PlacedExtent* one : my_places) std::ranges::fill(one->memory, std::byte{});
    RC_ASSERT(everywhere(world(), [&] {
      if (!holds(ranks, world().rank())) return true;
      const auto store = open_mpiio_together(world(), ranks, path, OpenMode::read, hints);
      store->submit_collective(Operation::read, back.extents());
      store->close();
      return memory_of(placed) == written;
    }));
  }));
}

TEST(MpiioTogetherTest, SmallInterleavedRecordsLoseNothingWithAnyAggregators) {
  // Several windows, and file domains whose borders lie within blocks of 4 KiB.
  constexpr std::int64_t records = 30001;
  const SharedFolder folder(world());
  for (const std::int64_t width : {4, 100}) {
    for (int aggregators = 0; aggregators <= world().size(); ++aggregators) {
      const std::string path = folder / ("f" + std::to_string(width) + "-" + std::to_string(aggregators));
      Bytes memory = pattern(width * records, static_cast<std::uint64_t>(world().rank()));
      const Extent extent = interleaved(memory, width, records);
      const auto store = open_by_all(path, OpenMode::create, {aggregators, 1 << 20});
      store->submit_collective(Operation::write, {&extent, 1});
      store->close();
      Bytes expected;
      for (int r = 0; r < world().size(); ++r) {
        Bytes theirs = pattern(width * records, static_cast<std::uint64_t>(r));
        Extent other = extent;
        other.offset_bytes = r * width;
        other.memory = theirs.data();
        copy_to_file(other, expected);
      }
      EXPECT_TRUE(bytes_of_shared(path) == expected) << width << " bytes, " << aggregators << " aggregators";
    }
  }
}

SILL_TEST_MIN_RANKS(MpiioTogetherTest, GapsAreNeverWrittenBack, 2);
TEST(MpiioTogetherTest, GapsAreNeverWrittenBack) {
  // The last rank writes the gaps that the others leave, once, by system calls, while the others write around them
  // again and again: a gap that is written back undoes it.
  constexpr std::int64_t width = 1000;
  constexpr std::int64_t records = 2000;
  const bool is_outsider = world().rank() == world().size() - 1;
  const SharedFolder folder(world());
  const std::string path = folder / "file";
  std::vector<int> group = all_ranks();
  group.pop_back();
  for (const bool together : {true, false}) {
    folder.put("file", Bytes(static_cast<std::size_t>(width * records * world().size())));
    Bytes memory = pattern(width * records, static_cast<std::uint64_t>(world().rank()));
    const Extent extent = interleaved(memory, width, records);
    if (is_outsider) {
      const auto store = open_posix(path, OpenMode::write);
      for_each_run(extent, [&](std::int64_t offset, std::byte* bytes) {
        write_at(*store, offset, {bytes, static_cast<std::size_t>(width)});
        std::this_thread::yield();
      });
    } else {
      const auto store = together ? open_mpiio_together(world(), group, path, OpenMode::write, {0, 1 << 20})
                                  : open_mpiio(path, OpenMode::write);
      for (int i = 0; i < 10; ++i) {
        if (together) store->submit_collective(Operation::write, {&extent, 1});
        if (!together) store->submit_extents(Operation::write, {&extent, 1});
      }
      store->close();
    }
    const Bytes file = bytes_of_shared(path);
    bool same = true;
    for_each_run(extent, [&](std::int64_t offset, const std::byte* bytes) {
      same = same && std::equal(bytes, bytes + width, file.begin() + offset);
    });
    EXPECT_TRUE(same) << (together ? "together" : "each alone");
  }
}

TEST(MpiioTogetherTest, PlacesBeyondTwoToThe31AreReached) {
  // A sparse file: records 3 GB apart, so that places, strides and bounding_ranges need 64 bits.
  constexpr std::int64_t stride = 3'000'000'000;
  constexpr std::int64_t width = 50;
  const SharedFolder folder(world());
  const std::string path = folder / "file";
  Bytes memory = pattern(3 * width, static_cast<std::uint64_t>(world().rank()));
  Extent extent = contiguous(0, {stride + world().rank() * width, width}, memory.data());
  extent.steps = {{3, stride, width}};
  auto store = open_by_all(path, OpenMode::create);
  store->submit_collective(Operation::write, {&extent, 1});
  store->close();
  EXPECT_EQ(open_posix(path, OpenMode::read)->size_bytes(), 3 * stride + world().size() * width);
  for (const bool together : {true, false}) {
    Bytes back(memory.size());
    extent.memory = back.data();
    store = together ? open_by_all(path, OpenMode::read) : open_mpiio(path, OpenMode::read);
    if (together) store->submit_collective(Operation::read, {&extent, 1});
    if (!together) store->submit_extents(Operation::read, {&extent, 1});
    store->close();
    EXPECT_EQ(back, memory);
  }
}

TEST(MpiioTogetherTest, FailingToOpenHasTheErrnoThatMpiNames) {
  require_sound_mpiio();
  const SharedFolder folder(world());
  const auto error = thrown([&] { const MpiFile file(MPI_COMM_SELF, folder / "missing", false, MpiioHints()); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().system_error_number, ENOENT) << error->what();
}

SILL_TEST_MIN_RANKS(MpiioTogetherTest, FailingToOpenOnOneRankIsToldThereAndNullElsewhere, 2);
TEST(MpiioTogetherTest, FailingToOpenOnOneRankIsToldThereAndNullElsewhere) {
  const SharedFolder folder(world());
  const std::vector<int> ranks = all_ranks();
  for (const int culprit : {0, world().size() - 1}) {
    folder.put("file", pattern(10));
    const std::string path = folder / (world().rank() == culprit ? "missing" : "file");
    std::unique_ptr<Store> store;
    const auto error = thrown([&] { store = open_mpiio_together(world(), ranks, path, OpenMode::write); });
    EXPECT_EQ(error.has_value(), world().rank() == culprit);
    EXPECT_FALSE(store);
    if (error) {
      EXPECT_NE(error->parts().problem.find("No such file"), std::string::npos) << error->what();
    }
  }
}

TEST(MpiioTogetherTest, FilesOfAnyGroupOpenAndCloseWithoutEnd) {
  // More files than MPICH has communicators, and than a process has descriptors.
  constexpr int files = 2500;
  const SharedFolder folder(world());
  const std::string path = folder / "file";
  folder.put("file", {});
  std::vector<int> group = all_ranks();
  if (group.size() > 2) group.erase(group.begin() + 1);
  if (holds(group, world().rank())) {
    for (int i = 0; i < files; ++i) {
      const auto store = open_mpiio_together(world(), group, path, OpenMode::write, {0, 65536});
      if (i % 100 == 0) write_at(*store, 100 * world().rank() + i, pattern(1));
      store->close();
    }
  }
  world().barrier();
  EXPECT_GE(open_posix(path, OpenMode::read)->size_bytes(), 2401);
}

TEST(MpiioTogetherTest, AsManyAsAreSafeStayOpenAtOnce) {
  const SharedFolder folder(world());
  std::vector<int> group = all_ranks();
  if (group.size() > 2) group.pop_back();
  std::vector<std::unique_ptr<Store>> stores;
  if (holds(group, world().rank())) {
    for (std::size_t i = 0; i < safe_open_mpiio_files(); ++i) {
      const std::string path = folder / ("file" + std::to_string(i));
      stores.push_back(open_mpiio_together(world(), group, path, OpenMode::write_or_create));
      write_at(*stores.back(), world().rank(), pattern(1));  // the rank's own handle, too
    }
    for (const auto& store : stores) store->close();
  }
  world().barrier();
}

TEST(MpiioTogetherTest, DecoratorsPassCollectiveCallsOn) {
  constexpr std::int64_t width = 100;
  constexpr std::int64_t records = 1000;
  const SharedFolder folder(world());
  Meter meter;
  Fault fault{.call = Fault::Call::write, .nth = 2, .kind = Fault::Kind::is_short};
  Bytes memory = pattern(width * records, static_cast<std::uint64_t>(world().rank()));
  const Extent extent = interleaved(memory, width, records);
  auto store = metered(open_by_all(folder / "file", OpenMode::create), meter);
  if (world().rank() == world().size() - 1) store = faulty(std::move(store), fault);
  EXPECT_TRUE(store->is_collective());
  EXPECT_TRUE(store->takes_extents());
  store->submit_collective(Operation::write, {&extent, 1});
  store->submit_collective(Operation::write, {});  // counts as no call
  // The second one fails on the last rank, which takes its part all the same.
  const auto error = thrown([&] { store->submit_collective(Operation::write, {&extent, 1}); });
  EXPECT_EQ(error.has_value(), world().rank() == world().size() - 1);
  store->close();
  EXPECT_EQ(meter.opens, 1);
  EXPECT_EQ(meter.write_requests, 2);
  EXPECT_EQ(meter.written_bytes, error ? width * records * 3 / 2 : width * records * 2);
}

}  // namespace
}  // namespace sill::test
