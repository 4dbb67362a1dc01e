// Sets of files that ranks write together: what fails on one rank before anything is written is told by all; syncs.
#include "sill/io/simulation/output_set.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/output_case.hpp"
#include "support/memory.hpp"

namespace sill {
namespace {

class OutputSetMpi : public test::OutputCase {};

// An opener may hold more than the rest of what a set needs.
TEST_F(OutputSetMpi, NoMemoryForTheOpenerOfARankIsToldByAll) {
  const std::array<char, 10'000> held{};
  const Opener open = [held](const std::string& path, OpenMode mode) {
    return open_posix(path.c_str() + held.front(), mode);
  };
  const Resources resources{.comm = comm, .open = open};
  const std::vector<std::string> targets{folder / "a", folder / "b"};
  for (int poor = 0; poor < comm.size(); ++poor) {
    SCOPED_TRACE(poor);
    const auto error = thrown_by_all([&] {
      std::optional<test::LimitedMemory> limit;
      if (comm.rank() == poor) limit.emplace(9'000);
      const OutputSet set(resources, targets, 1 << 20);
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->parts().problem, "out of memory");
    EXPECT_EQ(error->parts().rank, poor);
    if (comm.rank() == 0) {  // which made part files
      EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{});
    }
  }
}

// Were it there until its own new file comes, it would tell of a mixture in between: here, of one that stays.
TEST_F(OutputSetMpi, WhatTellsOfFilesGoesBeforeAnyOfThemIsReplaced) {
  const std::vector<std::string> targets{folder / "a", folder / "told"};
  const std::array<char, 8> bytes{};
  const auto piece = [&](int file) {
    return contiguous(file, {8 * comm.rank(), 8}, std::as_bytes(std::span(bytes)).data());
  };
  const Resources resources{.comm = comm};
  const auto put_out = [&](bool fails) {
    OutputSet set(resources, targets, 1 << 20);
    set.write(AccessPlan::for_writing({piece(0), piece(1)}));
    comm.barrier();
    if (fails && comm.rank() == 0) {
      std::filesystem::remove(targets[0]);
      std::filesystem::create_directory(targets[0]);  // which no file replaces
    }
    comm.barrier();
    return thrown_by_all([&] { set.finish(targets[1]); });
  };
  EXPECT_FALSE(put_out(false));
  comm.barrier();
  EXPECT_TRUE(std::filesystem::exists(targets[1]));
  comm.barrier();
  const auto error = put_out(true);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  comm.barrier();
  EXPECT_FALSE(std::filesystem::exists(targets[1]));
  comm.barrier();
  if (comm.rank() == 0) std::filesystem::remove(targets[0]);
}

TEST_F(OutputSetMpi, SyncsOfFoldersAreCountedWithThoseOfFiles) {
  const std::vector<std::string> targets{folder / "a", folder / "b"};
  const std::array<char, 8> bytes{};
  const auto piece = [&](int file) {
    return contiguous(file, {8 * comm.rank(), 8}, std::as_bytes(std::span(bytes)).data());
  };
  for (const bool durable : {false, true}) {
    Meter meter;
    const Resources resources{.comm = comm,
                              .open = metered(open_posix, meter),
                              .policy = Policy::parse(durable ? "gathered,sync=close" : "gathered"),
                              .meter = &meter};
    OutputSet set(resources, targets, 1 << 20);
    set.write(AccessPlan::for_writing({piece(0), piece(1)}));
    set.finish();
    // Rank 0 writes both, and gives both their names.
    EXPECT_EQ(meter.syncs, durable && comm.rank() == 0 ? 2 + 2 : 0);
  }
}

}  // namespace
}  // namespace sill
