// Datasets in chunks by several ranks, in Zarr, HDF5 and netCDF-4: the same files for every policy, decomposition and
// number of windows; reading in any decomposition; lists of elements; errors on all ranks.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "comm/counting_communicator.hpp"
#include "io/arrays/dataset_fields.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/arrays/dataset_writer.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/memory.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill::arrays_test {
namespace {

using test::same_everywhere;
using test::thrown;
using test::world;
using Existing = DatasetOptions::Existing;

class DatasetChunksMpi : public testing::TestWithParam<const char*> {
 protected:
  Communicator& comm = world();
  test::SharedFolder folder{comm, test::in_memory()};
  std::array<float, 3> depth{0, 0.5F, 1};

  void SetUp() override {
    if (!is_zarr() && hdf5::build_version().empty()) GTEST_SKIP() << "built without HDF5";
  }
  [[nodiscard]] std::string path() const { return folder / GetParam(); }
  [[nodiscard]] Resources resources(const std::string& policy = "auto", std::int64_t memory_bytes = 1 << 20) const {
    return {.comm = comm, .policy = Policy::parse(policy), .memory_bytes = memory_bytes};
  }
  [[nodiscard]] Box mine(int kind) const {
    return GridDecomposition::blocks(shape, grid_of(comm.size(), kind)).box_of(comm.rank());
  }
  [[nodiscard]] DatasetOptions options(const char* codec = "zstd:3") const {
    return {.existing = Existing::replace, .codecs = {.all = ChunkCodec::parse(codec)}, .chunk = Index{2, 2, 3}};
  }
  [[nodiscard]] std::vector<ArrayPart> depth_part() {
    const bool is_last = comm.rank() == comm.size() - 1;
    return std::vector<ArrayPart>(is_last ? 1 : 0, ArrayPart("depth", {{0}, {3}}, depth.data()));
  }
  void write(const Resources& with, const DatasetOptions& options, int kind = 0, bool has_holes = false) {
    DatasetWriter writer(with, path(), description(), options);
    writer.write(depth_part());
    Fields fields(mine(kind), kind == 1);
    while (writer.steps() < 3) writer.write_step(fields.parts_at(writer.steps(), has_holes && writer.steps() == 1));
    writer.close();
  }
  [[nodiscard]] std::map<std::string, test::Bytes> files() {
    comm.barrier();
    std::map<std::string, test::Bytes> found;
    if (std::filesystem::is_regular_file(path())) found[path()] = test::bytes_of_file(path());
    std::error_code no_folder;
    for (const auto& each : std::filesystem::recursive_directory_iterator(path(), no_folder)) {
      if (each.is_regular_file()) found[each.path().string()] = test::bytes_of_file(each.path().string());
    }
    comm.barrier();
    return found;
  }
  [[nodiscard]] static bool is_zarr() { return GetParam() == std::string("u.zarr"); }
  // Collective. Whether a reader finds all elements of u, in another decomposition; steps of `holes` lack x == 0.
  // Without `has_all` there may be fewer steps than 3.
  void expect_values(std::optional<std::int64_t> hole, const std::string& policy = "auto", bool has_all = true) {
    const Resources with = resources(policy);
    DatasetReader reader(with, path());
    ASSERT_LE(reader.steps(), 3);
    ASSERT_TRUE(reader.steps() == 3 || !has_all);
    EXPECT_TRUE(has_same_arrays(reader.description(), description()));  // HDF5 orders dimensions by use
    const Box box = mine(2);
    std::vector<double> values(static_cast<std::size_t>(box.items()));
    for (std::int64_t step = 0; step < reader.steps(); ++step) {
      std::vector<ArrayPart> parts;
      if (!box.empty()) parts.emplace_back("u", box, values.data());
      reader.read_step(step, parts);
      for (std::size_t i = 0; i < values.size(); ++i) {
        auto rest = static_cast<std::int64_t>(i);
        Index point(3);
        for (std::size_t d = 3; d-- > 0; rest /= box.count[d]) point[d] = box.first[d] + rest % box.count[d];
        EXPECT_EQ(values[i], step == hole && point[2] == 0 ? -9.0 : value_of(point, step));
      }
    }
  }
};

TEST_P(DatasetChunksMpi, FilesAreTheSameForEveryPolicyAndDecomposition) {
  const std::vector<const char*> codecs{"shuffle+deflate:1", "none", "zstd:3"};
  for (const char* codec : std::span(codecs).first(is_zarr() ? 3 : 1)) {
    write(resources("direct"), options(codec));
    const auto expected = files();
    for (const char* policy : {"auto", "independent", "collective"}) expect_values({}, policy);
    for (const char* policy : {"auto", "staged", "gathered", "aggregated", "independent", "collective",
                               "elected,async=2", "staged,async=3,sync=phase", "direct,threads=3"}) {
      for (const int kind : is_zarr() ? std::vector{0, 1, 2} : std::vector{1}) {
        SCOPED_TRACE(std::string(policy) + ", decomposition " + std::to_string(kind));
        write(resources(policy), options(codec), kind);
        EXPECT_EQ(files(), expected);
      }
    }
    write(resources("direct", 8192), options(codec));  // several windows
    EXPECT_EQ(files(), expected);
  }
}

TEST_P(DatasetChunksMpi, ElementsThatNoRankPassesHaveTheFillValue) {
  write(resources(), options(), 0, true);
  expect_values(1);
}

TEST_P(DatasetChunksMpi, ListsOfElementsAreWrittenAndRead) {
  constexpr std::int64_t elements = 3 * 4 * 7;
  std::vector<std::int64_t> numbers;
  for (std::int64_t i = elements - 1 - comm.rank(); i >= 0; i -= comm.size()) numbers.push_back(i);
  std::vector<float> values;
  for (const std::int64_t number : numbers) values.push_back(static_cast<float>(number));
  const Resources with = resources();
  {
    DatasetWriter writer(with, path(), description(), options());
    writer.write_step({{listed_elements("u", std::span<const std::int64_t>(numbers), values.data())}});
    writer.close();
  }
  DatasetReader reader(with, path());
  std::vector<std::int64_t> wanted(static_cast<std::size_t>(elements));
  std::iota(wanted.rbegin(), wanted.rend(), 0);
  std::vector<double> found(wanted.size());
  reader.read_step(0, {{listed_elements("u", std::span<const std::int64_t>(wanted), found.data())}});
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i], static_cast<double>(wanted[i]));
}

TEST_P(DatasetChunksMpi, WithoutStepsFilesDoNotDependOnCallsAndRanks) {
  const DatasetDescription still{.dimensions = {{"z", 3}, {"y", 4}, {"x", 7}},
                                 .variables = {{"u", ElementType::f4, {"z", "y", "x"}}}};
  const auto write_planes = [&](std::vector<std::int64_t> planes, int kind) {
    const Resources with = resources(kind == 0 ? "direct" : "staged,async=2");
    DatasetWriter writer(with, path(), still, options("deflate:1"));
    for (const std::int64_t plane : planes) {
      Box box = mine(kind);
      const bool is_here = plane >= box.first[0] && plane < box.first[0] + box.count[0] && !box.empty();
      box.first[0] = plane;
      box.count[0] = 1;
      std::vector<float> values(static_cast<std::size_t>(is_here ? box.items() : 0));
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto number = static_cast<std::int64_t>(i);
        values[i] = static_cast<float>(value_of({plane, box.first[1] + number / box.count[2],  //
                                                 box.first[2] + number % box.count[2]},
                                                0));
      }
      std::vector<ArrayPart> parts;
      if (is_here) parts.emplace_back("u", box, values.data());
      writer.write(parts);
    }
    writer.close();
  };
  write_planes({0, 1, 2}, 0);
  const auto expected = files();
  for (const int kind : {0, 1, 2}) {
    write_planes({2, 0, 1}, kind);
    EXPECT_EQ(files(), expected) << kind;
  }
}

// Of a million chunks; a shard of Zarr is written as a whole.
TEST_P(DatasetChunksMpi, ACallWithoutStepsExchangesNothingAboutOtherChunks) {
  if (is_zarr()) GTEST_SKIP() << "one shard";
  test::CountingCommunicator counting(comm);
  const Resources with{.comm = counting, .policy = Policy::parse("direct"), .memory_bytes = 1 << 20};
  const DatasetDescription still{.dimensions = {{"y", 1000}, {"x", 1000}},
                                 .variables = {{"u", ElementType::f4, {"y", "x"}}}};
  DatasetOptions small = options();
  small.chunk = {1, 1};
  DatasetWriter writer(with, path(), still, small);
  const std::array<float, 2> values{1.5F, 2.5F};
  for (const std::int64_t y : {0, 999}) {
    const std::vector<ArrayPart> parts(comm.rank() == comm.size() - 1 ? 1 : 0,
                                       ArrayPart("u", {{y, 0}, {1, 2}}, values.data()));
    const std::int64_t before = counting.reduced_bytes + counting.gathered_bytes;
    writer.write(parts);
    EXPECT_LE(counting.reduced_bytes + counting.gathered_bytes - before, 4096);
  }
  writer.close();
  EXPECT_LE(counting.reduced_bytes + counting.gathered_bytes, 64 << 10);
  DatasetReader reader(with, path());
  std::array<float, 3> found{};
  reader.read({{{"u", Box{{999, 0}, {1, 3}}, found.data()}}});
  EXPECT_EQ(found[1], 2.5F);
  EXPECT_EQ(found[2], 9.9692099683868690e+36F);
}

TEST_P(DatasetChunksMpi, ElementsThatTwoRanksPassAreAnErrorOfAll) {
  if (comm.size() == 1) GTEST_SKIP() << "needs two ranks";
  const Resources with = resources();
  DatasetWriter writer(with, path(), description(), options());
  std::array<float, 7> row{};
  const Box box{{0, 0, 0}, {1, 1, 7}};
  const std::optional<Error> error = thrown([&] { writer.write_step({{{"u", box, row.data()}}}); });
  EXPECT_TRUE(same_everywhere(comm, error ? error->what() : ""));
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  Fields fields(mine(0), false);
  writer.write_step(fields.parts_at(0, false));  // the step can be written again
  writer.close();
  EXPECT_EQ(DatasetReader(with, path()).steps(), 1);
}

TEST_P(DatasetChunksMpi, ShardsWithoutStepsAreWrittenWhenTheyAreComplete) {
  if (GetParam() != std::string("u.zarr")) GTEST_SKIP() << "only Zarr has files for some of the chunks";
  const Resources with = resources();
  const DatasetDescription rows{.dimensions = {{"y", 5}, {"x", 3}}, .variables = {{"c", ElementType::f4, {"y", "x"}}}};
  DatasetOptions by_rows{.existing = Existing::replace, .fill = false};
  by_rows.max_shards["c"] = {2};
  std::array<float, 15> values{};
  std::iota(values.begin(), values.end(), 1.0F);
  const auto row = [&](std::int64_t y) {
    const bool is_mine = y % comm.size() == comm.rank();
    return std::vector<ArrayPart>(is_mine ? 1 : 0, ArrayPart("c", {{y, 0}, {1, 3}}, values.data() + 3 * y));
  };
  {
    DatasetWriter writer(with, folder / "u.zarr", rows, by_rows);
    const auto has_shard = [&](const char* name) {
      return std::filesystem::exists(folder / ("u.zarr/c/c/" + std::string(name)));
    };
    for (const std::int64_t y : {0, 4, 2}) writer.write(row(y));
    writer.wait();
    EXPECT_FALSE(has_shard("0/0"));
    EXPECT_TRUE(has_shard("2/0"));
    writer.write(row(1));
    writer.wait();
    EXPECT_TRUE(has_shard("0/0"));
    for (const std::int64_t y : {1, 2}) {  // of a shard that is written, and of one that is not
      const std::optional<Error> error = thrown([&] { writer.write(row(y)); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::usage);
      EXPECT_TRUE(same_everywhere(comm, error->what()));
    }
    writer.write(row(3));
    writer.close();
  }
  DatasetReader reader(with, folder / "u.zarr");
  std::array<float, 15> found{};
  reader.read({{{"c", whole({5, 3}), found.data()}}});
  EXPECT_EQ(found, values);
}

TEST_P(DatasetChunksMpi, WindowsThatFitNoVariableAreRefused) {
  const Resources with = resources();
  DatasetDescription rows{.dimensions = {{"y", 5}, {"x", 3}},
                          .variables = {{"c", ElementType::f4, {"y", "x"}}, {"d", ElementType::f4, {"y"}}}};
  const auto error_of = [&](const Index& window, const std::map<std::string, Index>& max_shards) {
    DatasetOptions by_windows = options();
    by_windows.max_shards = max_shards;
    by_windows.window = window;
    const std::optional<Error> error = thrown([&] { const DatasetWriter writer(with, path(), rows, by_windows); });
    EXPECT_TRUE(same_everywhere(comm, error ? error->what() : ""));
    return error ? std::optional(error->code()) : std::nullopt;
  };
  const std::map<std::string, Index> of_c{{"c", {2, 2}}};
  EXPECT_EQ(error_of({2, 2}, of_c), std::nullopt);
  EXPECT_EQ(error_of({0, 2}, of_c), ErrorCode::usage);
  EXPECT_EQ(error_of({2, 2}, {{"c", {2, 0}}}), ErrorCode::usage);
  EXPECT_EQ(error_of({2, 2, 2}, of_c), ErrorCode::usage);
  EXPECT_EQ(error_of({2, 2}, {{"d", {2}}}), ErrorCode::usage);
  rows.dimensions[0].length = unlimited;
  EXPECT_EQ(error_of({2}, {}), ErrorCode::usage);
}

TEST_P(DatasetChunksMpi, StepsAreAppended) {
  write(resources(), options());
  const auto expected = files();
  const Resources with = resources();
  {
    DatasetWriter writer(
        with, path(), description(),
        {.existing = Existing::append, .first_step = 1, .codecs = {.all = ChunkCodec::parse("zstd:3")}});
    Fields fields(mine(1), false);
    while (writer.steps() < 3) writer.write_step(fields.parts_at(writer.steps(), false));
    writer.close();
  }
  expect_values({});
  if (is_zarr()) {
    EXPECT_EQ(files(), expected);  // HDF5 writes into new places
  }
}

// A file that failed has complete steps, or is not valid.
TEST_P(DatasetChunksMpi, AFaultIsThatOfAllRanksAndLeavesCompleteSteps) {
  if (GetParam() != std::string("u.h5")) GTEST_SKIP() << "the same as HDF5, or a folder";
  const test::FaultsToTry faults{.calls = {Fault::Call::write, Fault::Call::close}, .numbers = {1, 2, 4, 7}};
  for (const char* policy : {"direct", "elected,async=2"}) {
    SCOPED_TRACE(policy);
    test::for_each_fault(comm, faults, [&](test::RankFault& fault) {
      Resources with = resources(policy);
      with.open = fault.in(open_posix);
      const std::optional<Error> error = thrown([&] { write(with, options("shuffle+deflate:1")); });
      const bool struck = fault.is_stated_by(error);
      comm.barrier();
      const test::Bytes found = test::bytes_of_file(path());
      if (!found.empty() && found[0] != std::byte{0}) expect_values({}, "auto", false);
      comm.barrier();
      return struck;
    });
  }
}

// The codec of one rank has no memory for a chunk that cannot be compressed.
TEST_P(DatasetChunksMpi, ACodecThatFailsIsTheErrorOfAllRanksAndWritesNothing) {
  constexpr std::int64_t chunk = 64 << 10;
  const DatasetDescription rows{.dimensions = {{"time", unlimited}, {"y", comm.size()}, {"x", chunk}},
                                .variables = {{"u", ElementType::u1, {"time", "y", "x"}}}};
  DatasetOptions by_rows = options("zstd:3");
  by_rows.chunk = {1, chunk};
  std::vector<std::uint8_t> row(static_cast<std::size_t>(chunk));
  const std::vector<ArrayPart> parts{{"u", Box{{comm.rank(), 0}, {1, chunk}}, row.data()}};
  for (int poor = 0; poor < comm.size(); ++poor) {
    SCOPED_TRACE(poor);
    const Resources with = resources();
    DatasetWriter writer(with, path(), rows, by_rows);
    writer.write_step({});  // leaves no memory of chunks
    const auto before = files();
    std::minstd_rand random;
    std::ranges::generate(row, [&] { return static_cast<std::uint8_t>(random() >> 8U); });
    const std::optional<Error> error = thrown([&] {
      std::optional<test::LimitedMemory> limit;
      if (comm.rank() == poor) limit.emplace(chunk);
      writer.write_step(parts);
    });
    EXPECT_TRUE(same_everywhere(comm, error ? error->what() : ""));
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_EQ(error->parts().rank, poor);
    EXPECT_EQ(files(), before);
    EXPECT_TRUE(thrown([&] { writer.close(); }));
    EXPECT_EQ(DatasetReader(with, path()).steps(), 1);
  }
}

// Chunks are collected, their sizes are exchanged, the step begins; Zarr: rank 0 names the shards, requests end, the
// step is published; HDF5: chunks, metadata and their selection end, or, with `async`, the previous step and its
// selection.
TEST_P(DatasetChunksMpi, ASteadyStepCostsSixCollectives) {
  for (const char* policy : {"direct", "staged", "gathered", "aggregated", "elected", "auto", "staged,async=2"}) {
    SCOPED_TRACE(policy);
    test::CountingCommunicator counting(comm);
    const Resources with{.comm = counting, .policy = Policy::parse(policy), .memory_bytes = 1 << 20};
    DatasetWriter writer(with, path(), description(), options());
    Fields fields(mine(0), false);
    for (int step = 0; step < 6; ++step) {
      const std::int64_t before = counting.collectives();
      const bool is_equal = step % 2 == 1;  // values, as they are rounded; so the sizes of chunks differ
      writer.write_step(fields.parts_at(is_equal ? 1'000'000'000'000 : step, false));
      if (step > 1) {
        EXPECT_EQ(counting.collectives() - before, 6) << step;
      }
    }
    writer.close();
  }
}

INSTANTIATE_TEST_SUITE_P(Containers, DatasetChunksMpi, testing::Values("u.zarr", "u.h5", "u.nc4"));

}  // namespace
}  // namespace sill::arrays_test
