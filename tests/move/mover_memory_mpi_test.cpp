// What a mover holds: buffers and lists.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "move/counted_moves.hpp"
#include "move/mover_files.hpp"
#include "sill/move/mover.hpp"
#include "store/idle_store.hpp"
#include "store/shared_folder.hpp"
#include "support/memory.hpp"
#include "support/sizes.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::kib;
using test::memory_of;
using test::SharedFolder;
using test::Stations;
using test::world;

// Stages and messages may be far longer than what a phase moves. A time loop has new ones in every phase, and to touch
// memory for the first time takes longer than to write to a file from it.
TEST(MoverMemoryMpi, RoomThatIsNotUsedIsNotTouched) {
  const SharedFolder folder(world(), test::in_memory());
  std::vector<std::byte> memory(100 * kib);
  const std::int64_t length = std::ssize(memory);
  const auto resident_bytes = [] {
    std::ifstream statm("/proc/self/statm");
    std::int64_t pages = 0;
    statm >> pages >> pages;
    return pages * ::sysconf(_SC_PAGESIZE);
  };
  for (const char* const text : {"aggregated,stage=1G", "elected,stage=1G", "staged,stage=1G", "writers=2,stage=1G"}) {
    SCOPED_TRACE(text);
    MoverFiles all = test::files_in(folder, 1, OpenMode::write_or_create, Policy::Call::posix);
    Mover mover(world(), all, Policy::parse(text), {512 << 20, 1});
    const std::int64_t before = resident_bytes();
    mover.write(AccessPlan::for_writing({contiguous(0, {length * world().rank(), length}, memory.data())}));
    EXPECT_GT(before, 0);
    EXPECT_LT(resident_bytes() - before, 64 << 20);
    mover.close();
  }
}

// With phases in flight, buffers are as many as the memory has room for, and no more.
TEST(MoverMemoryMpi, BuffersStayWithinTheMemory) {
  const SharedFolder folder(world(), test::in_memory());
  const Stations stations{8};
  for (const std::int64_t memory : {4 * kib, 100 * kib, 1024 * kib}) {
    for (const char* const policy : {"staged,async=3,stage=16K", "elected,async=2", "writers=all,stage=1K,async=4"}) {
      SCOPED_TRACE(policy);
      MoverFiles files = test::files_in(folder, Stations::files, OpenMode::write_or_create, Policy::Call::posix);
      Mover mover(world(), files, Policy::parse(policy), {memory, 3});
      for (std::int64_t phase = 0; phase < 3; ++phase) {
        mover.write(AccessPlan::for_writing(stations.pattern()(world().rank(), phase)));
      }
      mover.close();
      EXPECT_LE(mover.counts().buffer_bytes, memory);
      EXPECT_GT(mover.counts().buffer_bytes, 0);
    }
  }
}

// Beside buffers there are lists, kept rounds among them, which do not grow with the bytes that move: a rank has 8 MiB
// of the file, in turn with the others.
TEST(MoverMemoryMpi, WhatIsHeldIsLittleMoreThanTheBuffers) {
  const SharedFolder folder(world(), test::in_memory());
  constexpr std::int64_t run = 4 * kib;
  constexpr std::int64_t runs = 2048;
  const std::int64_t ranks = world().size();
  const std::vector<Extent> mine{{.offset_bytes = run * world().rank(),
                                  .run_bytes = run,
                                  .steps = {{runs, run * ranks, run}},
                                  .memory = memory_of(run * runs)}};
  for (const char* const text : {"direct", "writers=all,stage=64K", "staged", "elected", "aggregated", "writers=2",
                                 "staged,async=2"}) {  // MPI-IO takes what it likes
    SCOPED_TRACE(text);
    constexpr std::int64_t memory = 512 * kib;
    const Policy policy = Policy::parse(text);
    const test::HeldMemory held;
    Mover mover(world(), test::files_in(folder, 1, OpenMode::write_or_create, policy.call), policy, {memory, 1});
    mover.write(AccessPlan::for_writing(mine));
    mover.read(AccessPlan::for_reading(mine));
    mover.close();
    EXPECT_LE(mover.counts().buffer_bytes, memory);
    EXPECT_LT(held.max_bytes(), 2 * memory);
  }
}

// Every second word: as many requests as runs. What is kept of a write does not grow with them.
TEST(MoverMemoryMpi, NothingIsKeptOfAWriteWithManyRequests) {
  const SharedFolder folder(world(), test::in_memory());
  constexpr std::int64_t runs = 1 << 20;
  std::vector<std::byte> memory(4 * runs);
  const Extent extent{.run_bytes = 4, .steps = {{runs, 8, 4}}, .memory = memory.data()};
  const std::unique_ptr<Communicator> alone = make_alone();
  for (const char* text : {"staged", "writers=all,stage=64K"}) {
    SCOPED_TRACE(text);
    const Policy policy = Policy::parse(text);
    MoverFiles all = test::files_in(folder, 1, OpenMode::write_or_create, Policy::Call::posix);
    all.open = [](const std::string& path, OpenMode) { return std::make_unique<test::IdleStore>(path); };
    Mover mover(*alone, all, policy, {1 << 20, 1});
    const test::HeldMemory held;
    mover.write(AccessPlan::for_writing({extent}));
    EXPECT_LT(held.bytes(), 2 << 20);
    mover.close();
  }
}

}  // namespace
}  // namespace sill
