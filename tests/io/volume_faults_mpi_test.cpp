// What goes wrong in volume output is the same error on all ranks, and costs no batch but its own.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/volume_case.hpp"
#include "sill/comm/node.hpp"
#include "store/rank_faults.hpp"
#include "support/fault_store.hpp"
#include "support/memory.hpp"
#include "support/test_ranks.hpp"

namespace sill {
namespace {

using test::Selection;
using test::thrown;

class VolumeFaultsMpi : public test::VolumeCase {
 protected:
  // Files of steps `numbers` alone.
  [[nodiscard]] static std::map<std::string, test::Bytes> ending_at(std::map<std::string, test::Bytes> files,
                                                                    const std::vector<std::string>& numbers) {
    std::erase_if(files, [&](const auto& file) {
      return std::find(numbers.begin(), numbers.end(), file.first.substr(2)) == numbers.end();
    });
    return files;
  }
};

TEST_F(VolumeFaultsMpi, AFaultOfOneRankIsTheErrorOfAllAndLeavesOtherBatches) {
  const Selection selection{.nskp = {2, 1, 2}, .write_step = 2};
  for (const char* policy :
       {"direct,async=2", "elected,stage=1000,sync=phase", "writers=2,stage=700,async=2,sync=close"}) {
    SCOPED_TRACE(policy);
    test::for_each_fault(
        comm,
        {.calls = {Fault::Call::open, Fault::Call::write, Fault::Call::sync, Fault::Call::close}, .numbers = {1, 3}},
        [&](test::RankFault& fault) {
          const DistributedGrid grid = distributed({comm.size(), 1, 1});
          bool struck = false;
          {
            // Of the second batch alone.
            const Opener failing = fault.in(open_posix);
            const Resources resources{.comm = comm,
                                      .open =
                                          [&](const std::string& path, OpenMode mode) {
                                            const bool is_second = path.find("0000004") != std::string::npos;
                                            return is_second ? failing(path, mode) : open_posix(path, mode);
                                          },
                                      .policy = Policy::parse(policy),
                                      .memory_bytes = 1 << 20};
            VolumeWriter writer(resources, grid, options_of(selection));
            std::optional<Error> error;
            for (std::int64_t step = 1; step <= 5; ++step) {
              const std::optional<Error> failure =
                  thrown([&] { write(writer, grid, PointOrder::x_fastest, step, step); });
              EXPECT_FALSE(failure && error) << "told once";
              if (failure) error = failure;
            }
            const std::optional<Error> failure = thrown([&] { writer.close(); });
            EXPECT_FALSE(failure && error) << "told once";
            if (failure) error = failure;
            struck = fault.is_stated_by(error);
          }
          const auto all = volume_files(selection, 5, "XYZ");
          expect_files(struck ? ending_at(all, {"0000002", "0000005"}) : all);
          return struck;
        });
  }
}

TEST_F(VolumeFaultsMpi, AVanishedFolderIsToldByAll) {
  const Resources resources{.comm = comm};
  const DistributedGrid grid = distributed({1, comm.size(), 1});
  VolumeOptions options = options_of({});
  options.prefix = folder / "gone/";
  if (comm.rank() == 0) std::filesystem::create_directory(folder / "gone");
  VolumeWriter writer(resources, grid, options);
  write(writer, grid, PointOrder::x_fastest, 1, 1);
  comm.barrier();
  if (comm.rank() == 0) std::filesystem::remove_all(folder / "gone");
  comm.barrier();
  const auto error = thrown_by_all([&] { write(writer, grid, PointOrder::x_fastest, 2, 2); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_NE(error->parts().where.file.find("SZ0000002"), std::string::npos) << error->what();
  writer.close();
}

TEST_F(VolumeFaultsMpi, AFolderThatIsNotThereIsToldWhenTheWriterIsOpened) {
  const Resources resources{.comm = comm};
  VolumeOptions options = options_of({});
  options.prefix = folder / "gone/run_";
  const auto error = thrown_by_all([&] {
    const VolumeWriter writer(resources, distributed({1, comm.size(), 1}), options);
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().where.file, folder / "gone");
}

TEST_F(VolumeFaultsMpi, GridsAndOptionsThatAreWrongAreRefusedByAll) {
  const Resources resources{.comm = comm};
  const int last = comm.size() - 1;
  const bool is_last = comm.rank() == last;
  using Grid = DistributedGrid;
  using Options = VolumeOptions;
  const auto changed = [&](auto&& change) {
    Grid grid = distributed({comm.size(), 1, 1});
    Options options = options_of({.write_step = 2});
    change(grid, options);
    return [&resources, grid, options] { const VolumeWriter writer(resources, grid, options); };
  };
  // The same wrong thing on all ranks.
  expect_refused(changed([](Grid&, Options& options) { options.components = ""; }), "no component", 0);
  expect_refused(changed([](Grid&, Options& options) { options.components = "XX"; }), "components \"XX\"", 0);
  expect_refused(changed([](Grid&, Options& options) { options.components = "V"; }), "components \"V\"", 0);
  expect_refused(changed([](Grid&, Options& options) { options.steps_per_sample = 0; }), "every 0 steps", 0);
  expect_refused(changed([](Grid&, Options& options) { options.samples_per_file = 0; }), "0 samples per file", 0);
  expect_refused(changed([](Grid&, Options& options) { options.steps_per_sample = std::int64_t{1} << 62U; }),
                 "2 samples per file, every", 0);
  expect_refused(changed([](Grid&, Options& options) { options.first_step = -1; }), "the first step is -1", 0);
  expect_refused(changed([](Grid&, Options& options) { options.kept[1].last = 10; }), "with 10 points in y", 0);
  expect_refused(changed([](Grid&, Options& options) { options.kept[2].skip = 0; }), "every 0th point", 0);
  expect_refused(changed([](Grid&, Options& options) { options.kept[2].skip = 8; }), "every 8th point", 0);
  expect_refused(
      changed([](Grid&, Options& options) { options.kept[0].skip = std::numeric_limits<std::int64_t>::max(); }),
      "every 9223372036854775807th point", 0);
  // One file has few enough bytes for a number, three have not.
  expect_refused(changed([](Grid&, Options& options) { options.samples_per_file = std::int64_t{1} << 50U; }),
                 "3 components of them and 1 batches in memory", 0);
  expect_refused(changed([](Grid& grid, Options&) { grid.shape = {13, 10}; }), "shape 13 x 10", 0);
  // On one rank.
  expect_refused(changed([&](Grid& grid, Options&) {
                   if (is_last) grid.mine.count[1] += 1;
                 }),
                 "are outside the grid", last);
  expect_refused(changed([&](Grid& grid, Options&) {
                   if (!is_last) return;
                   grid.stored = grid.mine;
                   grid.stored.first[2] += 1;
                 }),
                 "do not contain all", last);
  expect_refused(changed([&](Grid& grid, Options&) {
                   if (is_last) grid.mine.count[0] -= 1;
                 }),
                 "the ranks together have", 0);
}

SILL_TEST_MIN_RANKS(VolumeFaultsMpi, GridsThatDifferBetweenRanksAreRefusedByAll, 2);
TEST_F(VolumeFaultsMpi, GridsThatDifferBetweenRanksAreRefusedByAll) {
  const Resources resources{.comm = comm};
  const bool is_last = comm.rank() == comm.size() - 1;
  const auto refuse = [&](auto&& change) {
    DistributedGrid grid = distributed({comm.size(), 1, 1});
    VolumeOptions options = options_of({.write_step = 2});
    if (is_last) change(grid, options);
    expect_refused([&] { const VolumeWriter writer(resources, grid, options); }, "different grids", 0);
  };
  refuse([](DistributedGrid& grid, VolumeOptions&) { grid.shape[0] += 1; });
  refuse([](DistributedGrid&, VolumeOptions& options) { options.kept[2].skip = 2; });
  EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{});
}

// Thrown by all ranks where the batch ends; the batch has no files, the next one has.
TEST_F(VolumeFaultsMpi, SamplesThatAreWrongOnARankCostTheirBatch) {
  const Resources resources{.comm = comm};
  const int last = comm.size() - 1;
  const bool is_last = comm.rank() == last;
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  const Selection selection{.write_step = 2};
  VolumeWriter writer(resources, grid, options_of(selection));
  write(writer, grid, PointOrder::x_fastest, 1, 2);
  Field field = field_of(grid, PointOrder::x_fastest, 3);
  if (is_last) field.values[1].pop_back();
  writer.write_step(3, field.view());
  expect_refused([&] { write(writer, grid, PointOrder::x_fastest, 4, 4); }, "component Y has", last);
  write(writer, grid, PointOrder::x_fastest, 5, 6);
  // A step that is not the next one: all the same where it comes to the end of a batch.
  writer.write_step(is_last ? 8 : 7, field_of(grid, PointOrder::x_fastest, 7).view());
  expect_refused([&] { write(writer, grid, PointOrder::x_fastest, 8, 8); }, "passes step 8 instead of step 7", last);
  write(writer, grid, PointOrder::x_fastest, 9, 10);
  expect_refused(
      [&] {
        writer.write_step(10, {});
        writer.close();
      },
      "passes step 10 instead of step 11", 0);
  expect_refused([&] { writer.write_step(12, field.view()); }, "after the writer was closed", 0);
  expect_files(ending_at(volume_files(selection, 10, "XYZ"), {"0000002", "0000006", "0000010"}));
}

SILL_TEST_MIN_RANKS(VolumeFaultsMpi, AStepThatARankLeavesOutIsTold, 2);
TEST_F(VolumeFaultsMpi, AStepThatARankLeavesOutIsTold) {
  const Resources resources{.comm = comm};
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  VolumeWriter writer(resources, grid, options_of({.write_step = 5}));
  write(writer, grid, PointOrder::x_fastest, 1, comm.rank() == 1 ? 2 : 3);
  expect_refused([&] { writer.close(); }, "some ranks passed 2 samples since the last batch, others 3", 0);
  expect_files({});
}

SILL_TEST_MIN_RANKS(VolumeFaultsMpi, APointOfTwoRanksIsRefusedByAll, 2);
TEST_F(VolumeFaultsMpi, APointOfTwoRanksIsRefusedByAll) {
  DistributedGrid grid = distributed({2, 1, 1});
  // As many points as there should be, but a plane of them twice and another not at all.
  if (comm.rank() == 1) grid.mine.first[0] -= 1;
  for (const char* policy : {"direct", "elected"}) {
    const Resources resources{.comm = comm, .policy = Policy::parse(policy)};
    VolumeWriter writer(resources, grid, options_of({}));
    const auto error = thrown_by_all([&] { write(writer, grid, PointOrder::x_fastest, 1, 1); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
    writer.close();
    expect_files({});
  }
}

TEST_F(VolumeFaultsMpi, NoMemoryForSamplesOnARankIsToldByAllBeforeTheFirstStep) {
  const Resources resources{.comm = comm};
  const int last = comm.size() - 1;
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  const auto refused = [&](std::int64_t samples, int rank) {
    const auto error =
        thrown_by_all([&] { const VolumeWriter writer(resources, grid, options_of({.write_step = samples})); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_EQ(error->parts().rank, rank);
    EXPECT_NE(error->parts().problem.find("no memory for " + std::to_string(samples) + " samples"), std::string::npos);
    EXPECT_FALSE(error->parts().action.empty());
  };
  refused(std::int64_t{1} << 40U, 0);
  refused(std::int64_t{1} << 49U, 0);
  // What one rank might have, but not each of the node; rank 0 has the most points.
  const std::int64_t bytes_per_sample = grid.mine.items() * 3 * 4;
  std::int64_t samples = memory_limit_bytes() / std::max<std::int64_t>(1, bytes_per_sample) * 9 / 10;
  comm.broadcast(std::as_writable_bytes(std::span(&samples, 1)), 0);
  if (comm.size() > 1 && comm.ranks_on_node() == comm.size()) refused(samples, 0);
  std::optional<test::LimitedMemory> limit;
  if (comm.rank() == last) limit.emplace(100'000);
  refused(1000, last);
}

// With batches in flight that memory would be more than a number can say, though a batch is not.
TEST_F(VolumeFaultsMpi, MoreBatchesInMemoryThanANumberCanSayAreRefused) {
  const Resources resources{.comm = comm, .policy = Policy::parse("direct,async=64")};
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  expect_refused(
      [&] { const VolumeWriter writer(resources, grid, options_of({.write_step = std::int64_t{1} << 47U})); },
      "65 batches in memory", 0);
}

TEST_F(VolumeFaultsMpi, NoMemoryForABatchOnARankIsToldByAll) {
  const Resources resources{.comm = comm};
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  VolumeWriter writer(resources, grid, options_of({}));
  const int last = comm.size() - 1;
  Field field = field_of(grid, PointOrder::x_fastest, 1);
  const auto error = thrown_by_all([&] {
    std::optional<test::LimitedMemory> limit;
    if (comm.rank() == last) limit.emplace(500);
    writer.write_step(1, field.view());
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().rank, last);
  write(writer, grid, PointOrder::x_fastest, 2, 2);
  writer.close();
  expect_files(ending_at(volume_files(Selection{}, 2, "XYZ"), {"0000002"}));
}

// The call that begins a batch counts it, whatever it reports of one before.
TEST_F(VolumeFaultsMpi, ABatchThatBeginsWhileAnErrorIsToldIsCounted) {
  test::RankFault fault(comm, 0, Fault::Call::write, Fault::Kind::fails, 1);
  const Opener failing = fault.in(open_posix);
  Meter meter;
  const Resources resources{.comm = comm,
                            .open =
                                [&](const std::string& path, OpenMode mode) {
                                  const bool is_first = path.find("0000001") != std::string::npos;
                                  return is_first ? failing(path, mode) : open_posix(path, mode);
                                },
                            .policy = Policy::parse("gathered,async=1"),
                            .memory_bytes = 1 << 20,
                            .meter = &meter};
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  VolumeWriter writer(resources, grid, options_of({}));
  write(writer, grid, PointOrder::x_fastest, 1, 1);
  EXPECT_TRUE(fault.is_stated_by(thrown([&] { write(writer, grid, PointOrder::x_fastest, 2, 2); })));
  write(writer, grid, PointOrder::x_fastest, 3, 3);
  writer.close();
  EXPECT_EQ(meter.phases, 3);
  EXPECT_EQ(writer.batches(), 3);
  expect_files(ending_at(volume_files(Selection{}, 3, "XYZ"), {"0000002", "0000003"}));
}

TEST_F(VolumeFaultsMpi, WithoutClosingNothingIsLeftBehind) {
  const DistributedGrid grid = distributed({comm.size(), 1, 1});
  {
    const Resources resources{.comm = comm, .policy = Policy::parse("direct,async=4"), .memory_bytes = 1 << 20};
    VolumeWriter writer(resources, grid, options_of({.write_step = 2}));
    write(writer, grid, PointOrder::x_fastest, 1, 3);
    comm.barrier();
    EXPECT_EQ(test::names_in(folder.path()).size(), 3U);  // part files
    comm.barrier();
  }
  expect_files({});
}

}  // namespace
}  // namespace sill
