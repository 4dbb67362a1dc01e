// More bytes, runs and items than 32 bits count; and files of terabytes, that hold nothing.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "move/large_memory.hpp"
#include "plan/any_extent.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "sill/move/mover.hpp"
#include "sill/plan/coverage.hpp"
#include "sill/plan/rows.hpp"
#include "sill/plan/subarray.hpp"
#include "sill/store/posix/posix_store.hpp"
#include "store/temporary_folder.hpp"
#include "store/thrown.hpp"
#include "support/sanitizers.hpp"

namespace sill {
namespace {

using test::FoldedMemory;
using test::Sink;
using test::thrown;

constexpr bool is_slow = test::has_thread_sanitizer;

constexpr std::int64_t tebi = std::int64_t{1} << 40;
constexpr std::int64_t gibi = std::int64_t{1} << 30;
constexpr std::int64_t many = (std::int64_t{1} << 31) + (std::int64_t{1} << 26);  // more than 32 bits count, signed

// 2^33 cells of three interleaved components of 4 bytes each, far out in a file.
Extent component(std::int64_t number) {
  return {.offset_bytes = tebi + 4 * number, .run_bytes = 4, .steps = {{8 * gibi, 12, 4}}, .memory = test::address(0)};
}

TEST(Large, ExtentsOfBillionsOfRuns) {
  const Extent extent = component(1);
  EXPECT_EQ(extent.total_bytes(), 32 * gibi);
  EXPECT_EQ(extent.bounding_range(), (ByteRange{tebi + 4, 96 * gibi - 8}));
  EXPECT_EQ(extent.bytes_before(tebi + 12 * (4 * gibi) + 6), 16 * gibi + 2);
  EXPECT_EQ(extent.file_offset_of(20 * gibi + 3), tebi + 4 + 60 * gibi + 3);
  int rows = 0;
  for_each_row(extent, {1, 32 * gibi - 2}, [&](const Row& row) {
    if (rows++ == 1) {
      EXPECT_EQ(row.count, 8 * gibi - 2);
    }
  });
  EXPECT_EQ(rows, 3);
}

TEST(Large, PlansOfBillionsOfRuns) {
  // Without listing the runs, or this would take minutes.
  const AccessPlan two = AccessPlan::for_writing({component(0), component(2)});
  EXPECT_EQ(two.total_bytes(), 64 * gibi);
  EXPECT_EQ(two.next_byte(0, tebi + 12 * gibi + 4), tebi + 12 * gibi + 8);
  const auto error = thrown([&] {
    Extent other = component(2);
    other.offset_bytes -= 1;
    (void)AccessPlan::for_writing({component(1), other});
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().problem, "a rank writes the same byte twice");
  EXPECT_EQ(error->parts().where.byte, tebi + 7);
  // The three together fill any window.
  const AccessPlan third = AccessPlan::for_writing({component(1)});
  const ByteRange window{tebi + 50 * gibi, 4 * gibi};
  EXPECT_EQ(written_within(0, window, std::vector<OwnedPlan>{{&two, 0}, {&third, 1}}), std::vector<ByteRange>{window});
}

TEST(Large, GridsOfBillionsOfItems) {
  const Index shape{4096, 2048, 1024};
  const GridDecomposition grid = GridDecomposition::blocks(shape, {1, 3, 1});
  const FileArray array = row_major(0, tebi, shape, 8);
  EXPECT_EQ(whole(shape).items(), 8 * gibi);
  std::vector<AccessPlan> plans;
  std::int64_t bytes = 0;
  for (std::int64_t part = 0; part < grid.parts(); ++part) {
    const Box box = grid.box_of(part);
    plans.push_back(AccessPlan::for_writing({subarray(array, box, test::address(0), row_major_strides(box.count, 8))}));
    bytes += plans.back().total_bytes();
    EXPECT_EQ(plans.back().extents().size(), 1U);
    EXPECT_GT(box.items(), many);
  }
  EXPECT_EQ(bytes, 64 * gibi);
  EXPECT_EQ(
      written_within(0, {tebi, 64 * gibi}, std::vector<OwnedPlan>{{&plans[0], 0}, {&plans[1], 1}, {&plans[2], 2}}),
      (std::vector<ByteRange>{{tebi, 64 * gibi}}));
}

TEST(Large, SchedulesOfManyRounds) {
  // Two ranks in turn; the second performs the requests: a message and a request a round.
  std::vector<AccessPlan> plans;
  for (const std::int64_t rank : {0, 1}) {
    plans.push_back(AccessPlan::for_writing(
        {{.offset_bytes = tebi + 4 * rank, .run_bytes = 4, .steps = {{gibi, 8, 4}}, .memory = test::address(0)}}));
  }
  constexpr std::int64_t stage = 1 << 20;
  const std::vector<FileDomain> domains{{0, {tebi, 8 * gibi}, 1}};
  const std::vector<WriterWindows> writers = windows_of(domains, stage, 1);
  const std::vector<OwnedPlan> of_others{{plans.data(), 0}};
  const Schedule sender(Operation::write, 0, writers, plans[0], {}, stage);
  const Schedule writer(Operation::write, 1, writers, plans[1], of_others, stage);
  std::int64_t sent = 0;
  std::int64_t rounds = 0;
  for (auto number = sender.next_round(0); number; number = sender.next_round(*number + 1)) {
    for (const Message& message : sender.round(*number).outwards) sent += message.bytes;
    ++rounds;
  }
  EXPECT_EQ(rounds, 8 * gibi / stage);
  EXPECT_EQ(sent, 4 * gibi);
  const Round last = writer.round(rounds - 1);
  EXPECT_EQ(last.inwards.at(0).bytes, stage / 2);
  const std::vector<Segment> requests = writer.requests_of(last);
  ASSERT_EQ(requests.size(), 1U);
  EXPECT_EQ(requests[0].bytes, (ByteRange{tebi + 8 * gibi - stage, stage}));
  EXPECT_FALSE(writer.next_round(rounds));
}

// A write of more than 2^31 bytes by one rank.
void check_write(const std::string& policy, const FoldedMemory& memory, std::int64_t max_requests) {
  SCOPED_TRACE(policy);
  const auto comm = make_alone();
  Sink sink;
  Mover mover(*comm, {.paths = {"sink"}, .open = sinks(sink, tebi, memory)}, Policy::parse(policy), {256 << 20, 2});
  mover.write(AccessPlan::for_writing({contiguous(0, {tebi, many}, memory.data())}), {}, Memory::lent);
  mover.close();
  EXPECT_EQ(sink.bytes, many);
  EXPECT_EQ(sink.wrong_bytes, 0);
  EXPECT_LE(sink.requests, max_requests);
}

TEST(Large, MovesOfMoreThan32BitsCount) {
  if (is_slow) GTEST_SKIP() << "a minute under ThreadSanitizer, and nothing in it for that to find";
  const FoldedMemory memory(many);
  memory.fill();
  check_write("direct", memory, 1);
  check_write("direct,async=2", memory, 1);
  check_write("staged,stage=16M", memory, (many >> 24U) + 1);
  // And back.
  const auto comm = make_alone();
  Sink sink;
  Mover mover(*comm, {.paths = {"sink"}, .open = sinks(sink, tebi, memory)}, Policy::parse("staged"), {1 << 20, 2});
  const FoldedMemory back(many);
  mover.read(AccessPlan::for_reading({contiguous(0, {tebi, many}, back.data())}));
  EXPECT_EQ(sink.bytes, many);
  EXPECT_EQ(std::memcmp(back.data(), memory.data(), static_cast<std::size_t>(FoldedMemory::fold_bytes)), 0);
}

// As system calls, more than one of them takes: of a file that is all hole.
TEST(Large, RequestsOfMoreThan32BitsCount) {
  if (is_slow) GTEST_SKIP() << "a minute under ThreadSanitizer, and nothing in it for that to find";
  const test::TemporaryFolder folder;
  const std::string path = folder / "hole";
  std::ofstream(path).close();
  std::filesystem::resize_file(path, tebi);
  const auto comm = make_alone();
  const FoldedMemory memory(many);
  memory.fill();
  Mover mover(*comm, {.paths = {path}, .mode = OpenMode::read, .open = open_posix}, Policy::parse("direct"),
              {1 << 20, 1});
  mover.read(AccessPlan::for_reading({contiguous(0, {gibi, many}, memory.data())}));
  const std::vector<std::byte> zeros(static_cast<std::size_t>(FoldedMemory::fold_bytes));
  EXPECT_EQ(std::memcmp(memory.data(), zeros.data(), zeros.size()), 0);
}

// A sparse file of more than a terabyte.
TEST(Large, FilesOfTerabytes) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "sparse";
  std::ofstream(path).close();
  const auto comm = make_alone();
  for (const char* const policy : {"direct", "staged,stage=1M", "gathered,async=1"}) {
    SCOPED_TRACE(policy);
    // Islands of data, a long way apart.
    std::vector<std::byte> data(300'000);
    for (std::size_t i = 0; i < data.size(); ++i) data[i] = FoldedMemory::value_at(static_cast<std::int64_t>(i));
    const auto islands = [](std::byte* memory) {
      return Extent{.offset_bytes = 12345, .run_bytes = 100'000, .steps = {{3, tebi / 2, 100'000}}, .memory = memory};
    };
    Mover mover(*comm, {.paths = {path}, .open = open_posix}, Policy::parse(policy), {16 << 20, 1});
    mover.write(AccessPlan::for_writing({islands(data.data())}));
    std::vector<std::byte> back(data.size());
    mover.read(AccessPlan::for_reading({islands(back.data())}));
    mover.close();
    EXPECT_EQ(open_posix(path, OpenMode::read)->size_bytes(), tebi + 12345 + 100'000);
    EXPECT_TRUE(back == data);
  }
}

}  // namespace
}  // namespace sill
