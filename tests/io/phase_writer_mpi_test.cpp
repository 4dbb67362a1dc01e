// Phases whose files ranks write together: what fails on one rank before anything is written, syncs, and what a steady
// phase costs.
#include "sill/io/simulation/phase_writer.hpp"

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/counting_communicator.hpp"
#include "io/output_case.hpp"
#include "support/mpi_calls.hpp"
#include "support/test_ranks.hpp"

namespace sill {
namespace {

class PhaseWriterMpi : public test::OutputCase {
 protected:
  // Eight bytes of each rank in each of two files.
  [[nodiscard]] OutputPhase two_files(const std::string& a, const std::string& b) const {
    const auto piece = [&](int file) {
      return contiguous(file, {8 * comm.rank(), 8}, std::as_bytes(std::span(bytes)).data());
    };
    return {.paths = {folder / a, folder / b}, .plan = AccessPlan::for_writing({piece(0), piece(1)})};
  }

  const std::array<char, 8> bytes{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'};
};

TEST_F(PhaseWriterMpi, WhatARankCannotPrepareIsTheErrorOfAll) {
  const Resources resources{.comm = comm};
  PhaseWriter writer(resources, folder.path() + "/", 1 << 20);
  for (int poor = 0; poor < comm.size(); ++poor) {
    SCOPED_TRACE(poor);
    OutputCall call(nullptr);
    const auto error = thrown_by_all([&] {
      writer.write(call, {}, [&] {
        if (comm.rank() == poor) throw Error({.code = ErrorCode::usage, .problem = "this is wrong"});
        return two_files("a", "b");
      });
    });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->parts().problem, "this is wrong");
    EXPECT_EQ(error->parts().rank, poor);
    comm.barrier();
    if (comm.rank() == 0) {  // which made part files
      EXPECT_EQ(test::names_in(folder.path()), std::vector<std::string>{});
    }
    comm.barrier();
  }
}

SILL_TEST_MIN_RANKS(PhaseWriterMpi, RanksOfDifferentStepsAreRefused, 2);
TEST_F(PhaseWriterMpi, RanksOfDifferentStepsAreRefused) {
  const Resources resources{.comm = comm};
  PhaseWriter writer(resources, folder.path() + "/", 1 << 20);
  OutputCall call(nullptr);
  const PhaseWriter::Common step{
      comm.rank() == 1 ? 7 : 5, [](std::int64_t min, std::int64_t max) {
        return Error({.code = ErrorCode::usage, .problem = std::to_string(min) + " and " + std::to_string(max)});
      }};
  const auto error = thrown_by_all([&] { writer.write(call, step, [&] { return two_files("a", "b"); }); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().problem, "5 and 7");
}

// A phase like the one before it costs four collectives, whatever the number of rounds: it begins, rank 0 names its
// files, its requests end, it is published.
TEST_F(PhaseWriterMpi, ASteadyPhaseCostsFourCollectives) {
  for (const char* policy : {"direct", "staged", "gathered", "aggregated", "elected", "writers=2,stage=4K",
                             "aggregated,async=1", "staged,async=2", "direct,async=3"}) {
    for (const Memory memory : {Memory::copied, Memory::lent}) {
      SCOPED_TRACE(policy);
      test::CountingCommunicator counted(comm);
      const std::vector<std::byte> values(40'000, std::byte{3});
      const Resources resources{.comm = counted, .policy = Policy::parse(policy)};
      PhaseWriter writer(resources, folder.path() + "/", 1 << 20);
      const auto write = [&](int phase) {
        OutputCall call(nullptr);
        writer.write(
            call, {phase, {}},
            [&] {
              std::vector<Extent> extents;
              // Rows that ranks interleave.
              for (std::int64_t row = 0; row < 40; ++row) {
                extents.push_back(
                    contiguous(0, {(row * comm.size() + comm.rank()) * 1000, 1000}, values.data() + 1000 * row));
              }
              return OutputPhase{.paths = {folder / ("phase" + std::to_string(phase))},
                                 .plan = AccessPlan::for_writing(std::move(extents))};
            },
            memory);
      };
      for (int phase = 0; phase < 4; ++phase) write(phase);
      for (int phase = 4; phase < 10; ++phase) {
        const std::int64_t before = counted.collectives();
        const std::int64_t calls_before = test::collective_calls();
        write(phase);
        EXPECT_LE(counted.collectives() - before, 4);
        EXPECT_LE(test::collective_calls() - calls_before, 4);
      }
      writer.wait();
      EXPECT_GT(test::collective_calls(), 40);  // they are counted
      comm.barrier();
      if (comm.rank() == 0) {
        EXPECT_EQ(test::names_in(folder.path()).size(), 10U);
      }
      remove_files();
    }
  }
}

// Rows of 100 bytes that ranks interleave: each a request of its own, or joined.
TEST_F(PhaseWriterMpi, EachPhaseIsWrittenAsThePolicySaysWhenItBegins) {
  Meter meter;
  Resources resources{.comm = comm, .open = metered(open_posix, meter)};
  PhaseWriter writer(resources, folder.path() + "/", 1 << 20);
  const std::int64_t rows = 120 / comm.size();
  const std::vector<char> values(static_cast<std::size_t>(100 * rows), static_cast<char>('a' + comm.rank()));
  std::string expected;
  for (std::int64_t row = 0; row < rows; ++row)
    for (int rank = 0; rank < comm.size(); ++rank) expected += std::string(100, static_cast<char>('a' + rank));
  const auto write = [&](const std::string& name) {
    OutputCall call(nullptr);
    writer.write(call, {}, [&] {
      std::vector<Extent> extents;
      for (std::int64_t row = 0; row < rows; ++row) {
        extents.push_back(contiguous(0, {(row * comm.size() + comm.rank()) * 100, 100},
                                     std::as_bytes(std::span(values)).data() + 100 * row));
      }
      return OutputPhase{.paths = {folder / name}, .plan = AccessPlan::for_writing(std::move(extents))};
    });
  };
  int phase = 0;
  for (const char* policy : {"direct", "staged", "direct", "writers=2,stage=4K", "auto", "elected,sync=close"}) {
    resources.policy = Policy::parse(policy);
    for (int again = 0; again < 3; ++again) {
      SCOPED_TRACE(policy);
      const std::int64_t before = meter.write_requests;
      const std::string name = "phase" + std::to_string(phase++);
      write(name);
      writer.wait();
      comm.barrier();
      std::string written(expected.size() + 1, ' ');
      std::ifstream(folder / name).read(written.data(), std::ssize(written));
      written.pop_back();
      EXPECT_EQ(written, expected);
      const std::int64_t requests = all_reduce(comm, meter.write_requests - before, Reduction::sum);
      const bool is_direct = std::string(policy) == "direct" && comm.size() > 1;
      if (is_direct) {
        EXPECT_EQ(requests, rows * comm.size());
      } else {
        EXPECT_LE(requests, 4);
      }
      comm.barrier();
    }
  }
  // What files and buffers were made for.
  for (const char* policy : {"direct,async=1", "independent", "direct,striping=1x64K"}) {
    SCOPED_TRACE(policy);
    const Policy before = std::exchange(resources.policy, Policy::parse(policy));
    const auto error = thrown_by_all([&] { write("phase" + std::to_string(phase++)); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_NE(error->parts().problem.find("was changed from writers=elected"), std::string::npos)
        << error->parts().problem;
    resources.policy = before;
    write("phase" + std::to_string(phase++));
  }
}

TEST_F(PhaseWriterMpi, SyncsOfFoldersAreCountedWithThoseOfFiles) {
  for (const bool durable : {false, true}) {
    Meter meter;
    const Resources resources{.comm = comm,
                              .open = metered(open_posix, meter),
                              .policy = Policy::parse(durable ? "gathered,sync=close" : "gathered"),
                              .meter = &meter};
    PhaseWriter writer(resources, folder.path() + "/", 1 << 20);
    OutputCall call(&meter);
    writer.write(call, {}, [&] { return two_files("a", "b"); });
    writer.wait();
    // Rank 0 writes both, and gives both their names.
    EXPECT_EQ(meter.syncs, durable && comm.rank() == 0 ? 2 + 2 : 0);
  }
}

}  // namespace
}  // namespace sill
