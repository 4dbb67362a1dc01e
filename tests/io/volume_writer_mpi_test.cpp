// Volume output by several ranks: files whose every value is known, whoever holds it and whoever writes it.
#include "sill/io/simulation/volume_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "io/volume_case.hpp"
#include "sill/store/meter_store.hpp"
#include "store/collective_store.hpp"
#include "store/idle_store.hpp"
#include "support/memory.hpp"

namespace sill {
namespace {

using test::Selection;

class VolumeWriterMpi : public test::VolumeCase {};

const std::vector<std::string>& volume_policies() {
  static const std::vector<std::string> all{"direct",
                                            "direct,async=2",
                                            "staged",
                                            "gathered",
                                            "elected",
                                            "aggregated",
                                            "writers=first,stage=512",
                                            "writers=elected,stage=700,async=1,threads=3",
                                            "writers=3,stage=1000,align=256,threads=2",
                                            "writers=all,stage=600,async=2,sync=phase",
                                            "writers=node,async=3,sync=close"};
  return all;
}

// Sizes of 13, 10 and 7 in all ways to deal them; skips that meet the blocks of no rank alike, or are longer than they
// are; offsets; batches whose last is not full.
TEST_F(VolumeWriterMpi, EveryKeptPointIsThereForEveryDecompositionAndPolicy) {
  const std::vector<Selection> selections{
      {.write_step = 5},
      {.nbg = {2, 1, 3}, .ned = {13, 9, 6}, .nskp = {2, 3, 2}, .ntiskp = 2, .write_step = 3},
      {.nbg = {1, 4, 1}, .ned = {12, 4, 7}, .nskp = {11, 1, 4}, .write_step = 3},
      {.nskp = {1, 2, 1}, .ntiskp = 3},
  };
  std::size_t turn = 0;
  for (const Index& parts : process_grids()) {
    for (const std::string& policy : volume_policies()) {
      const Selection& selection = selections[turn % selections.size()];
      const PointOrder order = turn / 2 % 2 == 0 ? PointOrder::x_fastest : PointOrder::z_fastest;
      const std::int64_t margin = turn % 3 == 0 ? 2 : 0;
      ++turn;
      SCOPED_TRACE(policy + " on " + std::to_string(parts[0]) + " x " + std::to_string(parts[1]) + " x " +
                   std::to_string(parts[2]) + ", turn " + std::to_string(turn));
      const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
      const DistributedGrid grid = distributed(parts, margin);
      VolumeWriter writer(resources, grid, options_of(selection, "XYZ", order));
      write(writer, grid, order, 1, 8);
      writer.close();
      writer.close();
      expect_files(volume_files(selection, 8, "XYZ"));
    }
  }
}

TEST_F(VolumeWriterMpi, EveryKeptPointIsThereByMpiIo) {
  for (const char* policy : {"independent", "collective", "collective,sync=phase"}) {
    SCOPED_TRACE(policy);
    const Resources resources{.comm = comm,
                              .open = opener_for(Policy::parse(policy).call),
                              .policy = Policy::parse(policy),
                              .memory_bytes = 1 << 20};
    const Selection selection{.nbg = {1, 2, 1}, .nskp = {2, 1, 3}, .write_step = 3};
    const DistributedGrid grid = distributed({1, 1, comm.size()}, 1);
    VolumeWriter writer(resources, grid, options_of(selection));
    write(writer, grid, PointOrder::x_fastest, 1, 5);
    writer.close();
    expect_files(volume_files(selection, 5, "XYZ"));
  }
}

TEST_F(VolumeWriterMpi, RanksThatHaveNothingJoin) {
  const bool has_all = comm.rank() == comm.size() - 1;
  for (const char* policy : {"elected", "direct", "collective"}) {
    SCOPED_TRACE(policy);
    const Resources resources{.comm = comm, .policy = Policy::parse(policy)};
    DistributedGrid grid{.shape = test::volume_shape};
    if (has_all) grid.mine = whole(test::volume_shape);
    const Selection selection{.nskp = {3, 3, 3}, .write_step = 2};
    VolumeWriter writer(resources, grid, options_of(selection, "ZX"));
    EXPECT_EQ(writer.kept_bytes() > 0, has_all);
    write(writer, grid, PointOrder::x_fastest, 1, 3);
    writer.close();
    EXPECT_EQ(writer.batches(), 2);
    expect_files(volume_files(selection, 3, "XZ"));
  }
}

TEST_F(VolumeWriterMpi, WithTheSurfaceFirstNothingIsTurned) {
  const Resources resources{.comm = comm};
  const DistributedGrid grid = distributed({1, 1, comm.size()}, 1);
  VolumeOptions options = options_of({.write_step = 1}, "Y");
  options.surface = volume::Surface::at_first_z;
  VolumeWriter writer(resources, grid, options);
  write(writer, grid, PointOrder::x_fastest, 1, 1);
  writer.close();
  std::vector<float> values;
  for (std::int64_t z = 0; z < 7; ++z) {
    for (std::int64_t y = 0; y < 10; ++y) {
      for (std::int64_t x = 0; x < 13; ++x) values.push_back(test::volume_value(x, y, z, 1, 1));
    }
  }
  const auto* const bytes = reinterpret_cast<const std::byte*>(values.data());
  expect_files({{"SY0000001", test::Bytes(bytes, bytes + 4 * values.size())}});
}

// A run that goes on from step 5, as after a checkpoint: files end where those of one run do.
TEST_F(VolumeWriterMpi, ARunMayGoOn) {
  const Resources resources{.comm = comm};
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  const Selection selection{.ntiskp = 2, .write_step = 2};
  for (const auto& [first, last] : {std::pair(1, 4), std::pair(5, 8)}) {
    VolumeOptions options = options_of(selection);
    options.first_step = first;
    VolumeWriter writer(resources, grid, options);
    write(writer, grid, PointOrder::x_fastest, first, last);
    writer.close();
  }
  expect_files(volume_files(selection, 8, "XYZ"));
}

// Another run wrote more steps, or was closed in the middle of a batch; this one has its grid otherwise.
TEST_F(VolumeWriterMpi, ARunGoesOnAfterAStepAndTheFilesAreThoseOfOneRun) {
  const Selection selection{.nbg = {2, 1, 1}, .nskp = {2, 1, 3}, .ntiskp = 2, .write_step = 3};
  for (const char* policy : {"direct", "aggregated", "staged,async=2"}) {
    for (const auto& [closed, after] : {std::pair(16, 16), std::pair(15, 12), std::pair(17, 17), std::pair(22, 6)}) {
      SCOPED_TRACE(std::string(policy) + " after " + std::to_string(after));
      const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
      {
        const DistributedGrid grid = distributed({comm.size(), 1, 1});
        VolumeWriter writer(resources, grid, options_of(selection));
        write(writer, grid, PointOrder::x_fastest, 1, closed);
        writer.close();
      }
      const DistributedGrid grid = distributed({1, 1, comm.size()}, 2);
      VolumeOptions options = options_of(selection, "XYZ", PointOrder::z_fastest);
      options.continues_after = after;
      VolumeWriter writer(resources, grid, options);
      write(writer, grid, PointOrder::z_fastest, after + 1, 20);
      writer.close();
      expect_files(volume_files(selection, 20, "XYZ"));
    }
  }
}

TEST_F(VolumeWriterMpi, ARunCannotGoOnWhereSamplesAreInNoFile) {
  const Resources resources{.comm = comm, .policy = Policy::parse("direct"), .memory_bytes = 1 << 20};
  const Selection selection{.write_step = 3};
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  {
    VolumeWriter writer(resources, grid, options_of(selection));
    write(writer, grid, PointOrder::x_fastest, 1, 9);
    writer.close();
  }
  VolumeOptions options = options_of(selection);
  options.continues_after = 5;
  const auto error = test::thrown([&] { VolumeWriter(resources, grid, options); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::input);
  EXPECT_TRUE(error->agreed());
  EXPECT_NE(error->parts().action.find("multiple of 3"), std::string::npos) << error->parts().action;
  expect_files(volume_files(selection, 9, "XYZ"));
}

TEST_F(VolumeWriterMpi, AtMostSoManyBatchesAreInFlight) {
  const Resources resources{.comm = comm, .policy = Policy::parse("direct,async=2"), .memory_bytes = 1 << 20};
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  const Selection selection{.write_step = 2};
  VolumeWriter writer(resources, grid, options_of(selection));
  const auto has = [&](const char* name) {
    comm.barrier();
    return std::filesystem::exists(folder / name);
  };
  write(writer, grid, PointOrder::x_fastest, 1, 6);
  EXPECT_TRUE(has("SX0000002"));
  writer.wait();
  EXPECT_TRUE(has("SX0000006"));
  write(writer, grid, PointOrder::x_fastest, 7, 7);
  writer.close();
  expect_files(volume_files(selection, 7, "XYZ"));
}

// Batches of one whose points lie one behind the other are written from the caller's arrays: nothing is kept, and lent
// arrays may be used until `wait`.
TEST_F(VolumeWriterMpi, LentArraysAreNotCopied) {
  constexpr std::int64_t memory_bytes = 64 << 10;
  const Resources resources{
      .comm = comm, .policy = Policy::parse("direct,async=2,threads=2"), .memory_bytes = memory_bytes};
  const Index shape{64, 64, 64};
  DistributedGrid grid{.shape = shape, .mine = {}};
  grid.mine = GridDecomposition::blocks(shape, {1, 1, comm.size()}).box_of(comm.rank());
  std::vector<float> values(static_cast<std::size_t>(grid.mine.items()), 1.0F);
  const VectorField field{std::span<const float>(), values};
  VolumeWriter writer(resources, grid, {.prefix = folder / "", .components = "Y"});
  EXPECT_EQ(writer.kept_bytes(), 0);
  writer.write_step(1, field, Memory::lent);  // what opening files takes comes and goes
  writer.wait();
  const test::HeldMemory memory;
  writer.write_step(2, field, Memory::lent);
  writer.wait();
  std::fill(values.begin(), values.end(), 2.0F);
  writer.write_step(3, field, Memory::lent);
  writer.close();
  EXPECT_LE(memory.max_bytes(), 256 << 10) << "of a sample of " << 4 * grid.mine.items();
  comm.barrier();
  if (comm.rank() == 0) {
    const std::vector<float> ones(64 * 64 * 64, 1.0F);
    const std::vector<float> twos(64 * 64 * 64, 2.0F);
    for (const auto& [name, expected] : {std::pair("SY0000002", &ones), std::pair("SY0000003", &twos)}) {
      const test::Bytes bytes = test::bytes_of_file(folder / name);
      EXPECT_EQ(bytes.size(), 4 * expected->size());
      EXPECT_TRUE(std::memcmp(bytes.data(), expected->data(), bytes.size()) == 0) << name;
    }
  }
  remove_files();
}

// Tells from where the bytes of requests come: from an array of the program, or from elsewhere.
class OriginStore final : public test::IdleStore {
 public:
  struct Bytes {
    std::span<const float> array;
    std::atomic<std::int64_t> from_there{0};
    std::atomic<std::int64_t> from_elsewhere{0};
  };
  OriginStore(const std::string& path, Bytes& bytes) : IdleStore(path), bytes_(bytes) {}
  void submit(std::span<const Request> requests) override {
    for (const Request& request : requests) {
      for (const iovec& piece : request.memory) {
        const auto* const at = static_cast<const float*>(piece.iov_base);
        const float* const begin = bytes_.array.data();
        const bool is_there = at >= begin && at < begin + bytes_.array.size();
        (is_there ? bytes_.from_there : bytes_.from_elsewhere) += static_cast<std::int64_t>(piece.iov_len);
      }
    }
  }

 private:
  Bytes& bytes_;
};

TEST_F(VolumeWriterMpi, WhatIsLentIsWrittenFromWhereItLies) {
  const Index shape{40, 30, 20};
  DistributedGrid grid{.shape = shape, .mine = {}};
  grid.mine = GridDecomposition::blocks(shape, {1, 1, comm.size()}).box_of(comm.rank());
  const std::vector<float> values(static_cast<std::size_t>(grid.mine.items()), 1.0F);
  struct Case {
    const char* policy;
    Memory memory;
    std::int64_t skip_x;
    bool is_from_array;
  };
  for (const Case& each :
       {Case{"direct,async=2", Memory::lent, 1, true}, Case{"direct,async=2", Memory::copied, 1, false},
        Case{"direct", Memory::copied, 1, true}, Case{"direct,async=2", Memory::lent, 2, false},
        Case{"elected,async=2", Memory::lent, 1, false}}) {
    SCOPED_TRACE(std::string(each.policy) + (each.memory == Memory::lent ? " lent" : " copied"));
    OriginStore::Bytes bytes{.array = values};
    const Resources resources{
        .comm = comm,
        .open = [&](const std::string& path, OpenMode) { return std::make_unique<OriginStore>(path, bytes); },
        .policy = Policy::parse(each.policy)};
    VolumeWriter writer(
        resources, grid,
        {.prefix = folder / "", .components = "Z", .kept = {{{0, -1, each.skip_x}, {0, -1, 2}, {0, -1, 1}}}});
    const VectorField field{std::span<const float>(), std::span<const float>(), values};
    for (std::int64_t step = 1; step <= 3; ++step) writer.write_step(step, field, each.memory);
    writer.wait();
    EXPECT_EQ(bytes.from_there > 0, each.is_from_array);
    EXPECT_EQ(all_reduce(comm, bytes.from_elsewhere > 0 ? 1 : 0, Reduction::max), each.is_from_array ? 0 : 1);
    writer.close();
    EXPECT_EQ(all_reduce(comm, bytes.from_there + bytes.from_elsewhere, Reduction::sum), 3 * writer.batch_bytes());
    remove_files();
  }
}

// Kept samples are this rank's kept points x batch x components x 4 bytes, and for batches behind that again.
TEST_F(VolumeWriterMpi, KeptSamplesTakeWhatIsSaid) {
  const Index shape{60, 60, 60};
  DistributedGrid grid{.shape = shape, .mine = {}};
  grid.mine = GridDecomposition::blocks(shape, {comm.size(), 1, 1}).box_of(comm.rank());
  const std::int64_t points = (grid.mine.first[0] + grid.mine.count[0] + 1) / 2 - (grid.mine.first[0] + 1) / 2;
  for (const auto& [policy, buffers] : {std::tuple("elected,stage=16K", 1), std::tuple("elected,stage=16K,async=2", 1),
                                        std::tuple("direct,async=2", 3), std::tuple("direct", 1)}) {
    SCOPED_TRACE(policy);
    constexpr std::int64_t memory_bytes = 1 << 20;
    const Resources resources{
        .comm = comm, .policy = Policy::parse(std::string(policy) + ",threads=2"), .memory_bytes = memory_bytes};
    const std::vector<float> values(static_cast<std::size_t>(grid.mine.items()), 1.0F);
    const test::HeldMemory memory;
    VolumeWriter writer(resources, grid,
                        {.prefix = folder / "", .kept = {{{0, -1, 2}, {0, -1, 2}, {0, -1, 2}}}, .samples_per_file = 8});
    const std::int64_t kept = points * 30 * 30 * 8 * 3 * 4 * buffers;
    EXPECT_EQ(writer.kept_bytes(), kept);
    for (std::int64_t step = 1; step <= 40; ++step) writer.write_step(step, {values, values, values});
    writer.close();
    EXPECT_GE(memory.max_bytes(), kept);
    EXPECT_LE(memory.max_bytes(), kept + memory_bytes + (512 << 10));
    remove_files();
  }
}

// Requests of a batch: files x (buffers + 1) at most.
TEST_F(VolumeWriterMpi, RequestsGoByStagesNotByPoints) {
  for (const auto& [policy, stage] :
       {std::tuple("writers=elected,stage=4K", 4096L), std::tuple("writers=first,stage=16K", 16384L),
        std::tuple("elected", 4L << 20U)}) {
    SCOPED_TRACE(policy);
    Meter meter;
    const Resources resources{
        .comm = comm, .open = metered(open_posix, meter), .policy = Policy::parse(policy), .memory_bytes = 64 << 20};
    const Index shape{41, 30, 20};
    DistributedGrid grid{.shape = shape, .mine = {}};
    grid.mine = GridDecomposition::blocks(shape, {1, comm.size(), 1}).box_of(comm.rank());
    VolumeWriter writer(resources, grid,
                        {.prefix = folder / "", .kept = {{{0, -1, 2}, {0, -1, 2}, {0, -1, 2}}}, .samples_per_file = 5});
    const std::vector<float> values(static_cast<std::size_t>(grid.mine.items()), 1.0F);
    for (std::int64_t step = 1; step <= 15; ++step) writer.write_step(step, {values, values, values});
    writer.close();
    const auto sum = [&](std::int64_t mine) { return all_reduce(comm, mine, Reduction::sum); };
    EXPECT_EQ(writer.batch_bytes(), 3 * 5 * 21 * 15 * 10 * 4);
    EXPECT_EQ(sum(meter.written_bytes), 3 * writer.batch_bytes()) << "every byte once";
    EXPECT_EQ(sum(meter.opens), 3 * 3) << "one writer per file";
    const std::int64_t buffers_per_file = (writer.batch_bytes() / 3 + stage - 1) / stage;
    EXPECT_LE(sum(meter.write_requests), 3 * 3 * (buffers_per_file + 1));
    EXPECT_GE(sum(meter.write_requests), 3 * 3 * (writer.batch_bytes() / 3 / stage));
    remove_files();
  }
}

// What a collective call of MPI-IO is given: one extent a file of a few steps, which becomes nested vectors
// (tests/store/mpiio_types_mpi_test.cpp), however many points and samples there are. A rank alone makes none.
TEST_F(VolumeWriterMpi, CollectiveCallsTakeOneStridedPieceAFile) {
  std::vector<std::size_t> calls;
  Resources resources{.comm = comm, .policy = Policy::parse("collective")};
  resources.open_together = [&](Communicator&, std::span<const int>, const std::string&, OpenMode) {
    return std::make_unique<test::CollectiveStore>(calls);
  };
  const DistributedGrid grid = distributed({1, comm.size(), 1}, 1);
  VolumeWriter writer(resources, grid, options_of({.nskp = {2, 1, 2}, .write_step = 4}));
  write(writer, grid, PointOrder::x_fastest, 1, 4);
  writer.close();
  EXPECT_EQ(calls, std::vector<std::size_t>(comm.size() == 1 ? 0 : 3, 1));
  remove_files();
}

}  // namespace
}  // namespace sill
