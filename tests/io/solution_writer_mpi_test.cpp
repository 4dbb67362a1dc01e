// Solutions of local problems by several ranks: the bytes of printf for every policy, deal, number of threads, layout.
#include "sill/io/simulation/solution_writer.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "io/solution_case.hpp"
#include "sill/store/meter_store.hpp"
#include "store/gated_store.hpp"

namespace sill {
namespace {

using solution::Files;
using test::Deal;

class SolutionWriterMpi : public test::SolutionCase {};

struct Layout {
  Files files = Files::each;
  std::int64_t align_bytes = 0;
  int record_bytes = 13;
};

TEST_F(SolutionWriterMpi, BytesAreThoseOfPrintfForEveryPolicyDealAndLayout) {
  const std::vector<std::string> all_policies{"direct",
                                              "staged",
                                              "gathered",
                                              "elected",
                                              "aggregated",
                                              "writers=first,stage=512,threads=1",
                                              "writers=elected,stage=700,async=1,threads=3",
                                              "writers=3,stage=1000,align=256,threads=2",
                                              "writers=all,stage=600,async=2,sync=phase,threads=2",
                                              "writers=node,async=3,sync=close,threads=4"};
  const std::vector<Layout> layouts{{},
                                    {.record_bytes = 14},
                                    {.files = Files::shared},
                                    {.files = Files::shared, .align_bytes = 256, .record_bytes = 14},
                                    {.files = Files::shared, .align_bytes = 1}};
  for (const std::string& policy : all_policies) {
    for (const Layout& layout : layouts) {
      for (const Deal deal : {Deal::evenly, Deal::first_none, Deal::last_all}) {
        SCOPED_TRACE(policy + (layout.files == Files::each ? ", each" : ", shared ") +
                     std::to_string(layout.align_bytes) + ", deal " + std::to_string(static_cast<int>(deal)));
        const Resources resources = resources_of(policy);
        SolutionOutput wanted = output(deal, layout.files);
        wanted.chunk_align_bytes = layout.align_bytes;
        wanted.record_bytes = layout.record_bytes;
        SolutionWriter writer(resources, wanted);
        EXPECT_EQ(writer.problems().count, distributed(deal));
        EXPECT_EQ(writer.form().problems, all_problems);
        const std::int64_t chunk = 12 * layout.record_bytes;
        EXPECT_EQ(writer.phase_bytes(), all_problems * (layout.align_bytes == 256 ? 256 : chunk));
        for (const std::int64_t step : {0, 1, 5, 1000000}) write(writer, step);
        writer.close();
        writer.close();
        expect_files(writer.form(), {0, 1, 5, 1000000});
      }
    }
  }
}

TEST_F(SolutionWriterMpi, BytesAreThoseOfPrintfByMpiIo) {
  for (const char* policy : {"independent", "collective", "collective,sync=phase"}) {
    for (const Files files : {Files::each, Files::shared}) {
      SCOPED_TRACE(policy);
      const Resources resources = resources_of(policy);
      SolutionWriter writer(resources, output(Deal::first_none, files));
      for (const std::int64_t step : {3, 4}) write(writer, step);
      writer.close();
      expect_files(writer.form(), {3, 4});
    }
  }
}

// Enough bytes at once that encoders are asked by several threads.
TEST_F(SolutionWriterMpi, LargeSolutionsAreTheSameForAnyNumberOfThreads) {
  for (const char* policy : {"elected,threads=1", "elected,threads=3", "gathered,threads=4", "staged,async=1,threads=2",
                             "writers=2,threads=3,align=4K"}) {
    for (const Files files : {Files::each, Files::shared}) {
      SCOPED_TRACE(policy);
      const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 64 << 20};
      SolutionOutput wanted = output(Deal::first_none, files);
      wanted.sub_elements = 120;
      SolutionWriter writer(resources, wanted);
      for (const std::int64_t step : {1, 2}) write(writer, step);
      writer.close();
      expect_files(writer.form(), {1, 2});
    }
  }
}

TEST_F(SolutionWriterMpi, ChunksMayBeginAtStripes) {
  const Resources resources{.comm = comm};
  SolutionOutput wanted = output(Deal::evenly, Files::shared);
  wanted.align_to_stripes = true;
  SolutionWriter writer(resources, wanted);
  EXPECT_EQ(writer.form().stride_bytes % stripe_bytes_of(wanted.folder), 0);
  EXPECT_GE(writer.form().stride_bytes, 156);
  write(writer, 1);
  writer.close();
  expect_files(writer.form(), {1});
}

TEST_F(SolutionWriterMpi, AFileIsOpenedOnceAndWrittenInWholeStages) {
  for (const Files files : {Files::each, Files::shared}) {
    for (const char* policy : {"elected", "direct", "gathered", "elected,async=2"}) {
      SCOPED_TRACE(policy);
      Meter meter;
      const Resources resources{
          .comm = comm, .open = metered(open_posix, meter), .policy = Policy::parse(policy), .memory_bytes = 8 << 20};
      SolutionWriter writer(resources, output(Deal::evenly, files));
      for (const std::int64_t step : {1, 2, 3}) write(writer, step);
      writer.close();
      const bool is_each = files == Files::each;
      // With the index of each phase. A shared file is opened by every rank that writes to it.
      const bool by_owners = !is_each && std::string(policy) == "direct";
      const std::int64_t files_per_phase = is_each ? all_problems : by_owners ? std::min(7, comm.size()) : 1;
      EXPECT_EQ(all_reduce(comm, meter.opens, Reduction::sum), 3 * (files_per_phase + 1));
      EXPECT_EQ(all_reduce(comm, meter.write_requests, Reduction::sum), 3 * (files_per_phase + 1));
      EXPECT_EQ(all_reduce(comm, meter.read_requests, Reduction::sum), 0);
      expect_files(writer.form(), {1, 2, 3});
    }
  }
}

TEST_F(SolutionWriterMpi, LongerFilesOfAnEarlierRunAreReplaced) {
  for (const char* policy : {"elected", "writers=2,stage=600", "collective"}) {
    for (const Files files : {Files::each, Files::shared}) {
      SCOPED_TRACE(policy);
      const Resources resources = resources_of(policy);
      SolutionOutput longer = output(Deal::evenly, files);
      longer.sub_elements = 5;
      {
        SolutionWriter writer(resources, longer);
        for (const std::int64_t step : {1, 2}) write(writer, step);
        writer.close();
      }
      SolutionWriter writer(resources, output(Deal::last_all, files));
      for (const std::int64_t step : {1, 2}) write(writer, step);
      writer.close();
      expect_files(writer.form(), {1, 2});
    }
  }
}

// What an earlier run left is complete no more once another has begun, which may be of another mesh or be killed.
TEST_F(SolutionWriterMpi, IndexesOfAnEarlierRunAreRemovedBeforeAFileIsTouched) {
  for (const char* policy : {"elected", "direct,async=2,sync=close", "staged,sync=phase"}) {
    for (const Files files : {Files::each, Files::shared}) {
      SCOPED_TRACE(policy);
      const Resources resources = resources_of(policy);
      const std::vector<std::int64_t> earlier{1, 2, 8, 1000000};
      {
        SolutionWriter writer(resources, output(Deal::evenly, files));
        for (const std::int64_t step : earlier) write(writer, step);
        writer.close();
      }
      comm.barrier();
      if (comm.rank() == 0) {  // names that are not Sill's
        for (const char* name : {"solution1.index", "notes.index"}) test::make_file(folder / "out/" + name, {});
      }
      comm.barrier();
      SolutionWriter writer(resources, output(Deal::evenly, files));
      std::map<std::string, std::string> wanted = files_of(writer.form(), earlier);
      for (const std::int64_t step : earlier) wanted.erase(solution::index_name(step));
      wanted["solution1.index"] = wanted["notes.index"] = "";
      comm.barrier();
      if (comm.rank() == 0) expect_equal(files_in(folder / "out"), wanted);
      comm.barrier();
      write(writer, 2);
      writer.close();
      wanted[solution::index_name(2)] = solution::index_text({writer.form(), 2});
      comm.barrier();
      if (comm.rank() == 0) {
        expect_equal(files_in(folder / "out"), wanted);
        std::filesystem::remove_all(folder / "out");
      }
      comm.barrier();
    }
  }
}

TEST_F(SolutionWriterMpi, APolicyThatSyncsSyncsTheIndexToo) {
  for (const char* sync : {"never", "close", "phase"}) {
    SCOPED_TRACE(sync);
    Meter meter;
    const auto only_indexes = [&, counted = metered(open_posix, meter)](const std::string& path, OpenMode mode) {
      return path.find(".index") != path.npos ? counted(path, mode) : open_posix(path, mode);
    };
    const Resources resources{.comm = comm,
                              .open = only_indexes,
                              .policy = Policy::parse(std::string("elected,sync=") + sync),
                              .memory_bytes = 1 << 20};
    SolutionWriter writer(resources, output());
    for (const std::int64_t step : {1, 2}) write(writer, step);
    writer.close();
    EXPECT_EQ(all_reduce(comm, meter.syncs, Reduction::sum), std::string(sync) == "never" ? 0 : 2);
    expect_files(writer.form(), {1, 2});
  }
}

TEST_F(SolutionWriterMpi, AtMostSoManyPhasesAreInFlight) {
  test::Gate gate;
  const Opener kept = [gated = test::gated(open_posix, gate)](const std::string& path, OpenMode mode) {
    return path.find("local") != path.npos ? gated(path, mode) : open_posix(path, mode);
  };
  const Resources resources{
      .comm = comm, .open = kept, .policy = Policy::parse("elected,async=2"), .memory_bytes = 1 << 20};
  SolutionWriter writer(resources, output());
  const auto has = [&](std::int64_t step) {
    comm.barrier();
    return std::filesystem::exists(folder / "out/" + solution::index_name(step));
  };
  write(writer, 1);
  write(writer, 2);
  EXPECT_FALSE(has(1));
  gate.open();
  write(writer, 3);
  EXPECT_TRUE(has(1));
  writer.close();
  expect_files(writer.form(), {1, 2, 3});
}

TEST_F(SolutionWriterMpi, WhatIsKnownOfProblemsIsWrittenOnce) {
  for (const char* policy : {"direct", "gathered,threads=3"}) {
    for (const Files files : {Files::each, Files::shared}) {
      SCOPED_TRACE(policy);
      const Resources resources = resources_of(policy);
      SolutionWriter writer(resources, output(Deal::first_none, files));
      const auto element = [](std::int64_t p) {
        const auto x = static_cast<double>(p);
        return solution::Element{{{x, 0, 1.0 / 3}, {x + 1, 0, 0}, {x, 1, 0}}};
      };
      std::vector<solution::Element> elements;
      for (std::int64_t p = writer.problems().first; p < writer.problems().end(); ++p) elements.push_back(element(p));
      writer.write_problem_files(elements, comm.rank() == 0 ? "degree 2\n" : "not of rank 0");
      writer.close();
      std::map<std::string, std::string> expected;
      for (std::int64_t p = 0; p < all_problems; ++p) {
        if (files == Files::shared) {
          expected["elements.txt"] += solution::element_line(element(p));
          continue;
        }
        const std::string problem = solution::problem_folder(p);
        expected[problem + "/element.txt"] = solution::element_line(element(p));
        expected[problem + "/parameters.txt"] = "degree 2\n";
        expected[problem + "/mesh.txt"] = solution::LocalMesh(2).text(element(p));
      }
      if (files == Files::shared) expected["parameters.txt"] = "degree 2\n";
      comm.barrier();
      if (comm.rank() == 0) {
        EXPECT_EQ(files_in(folder / "out"), expected);
        std::filesystem::remove_all(folder / "out");
      }
      comm.barrier();
    }
  }
}

}  // namespace
}  // namespace sill
