// Solutions behind the computation: text made by the threads that write, threads and memory bounded, nothing lost.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "io/solution_case.hpp"
#include "sill/store/meter_store.hpp"
#include "store/gated_store.hpp"
#include "support/memory.hpp"
#include "support/threads_of_process.hpp"

namespace sill {
namespace {

using solution::Files;
using test::Deal;
using test::thrown;

// Solution files go through the gate, indexes do not.
Opener gated_solutions(test::Gate& gate) {
  return [gated = test::gated(open_posix, gate)](const std::string& path, OpenMode mode) {
    return path.find(".index") != path.npos ? open_posix(path, mode) : gated(path, mode);
  };
}

class SolutionAsyncMpi : public test::SolutionCase {
 protected:
  bool has_index(std::int64_t step) const {
    return std::filesystem::exists(folder / "out/" + solution::index_name(step));
  }
};

TEST_F(SolutionAsyncMpi, LentValuesMakeTheSameFiles) {
  for (const char* policy : {"direct,async=2", "staged,async=1,threads=2", "elected,stage=600,async=2,sync=close",
                             "gathered,async=2", "writers=2,stage=700,async=2", "elected", "independent"}) {
    for (const Files files : {Files::each, Files::shared}) {
      SCOPED_TRACE(policy);
      const Resources resources = resources_of(policy);
      SolutionWriter writer(resources, output(Deal::first_none, files));
      for (const std::int64_t step : {1, 3}) {
        std::vector<double> values = values_of(writer, step);
        std::vector<double> next = values_of(writer, step + 1);
        writer.write_phase(step, values, Memory::lent);
        writer.write_phase(step + 1, next, Memory::lent);
        writer.wait();
        EXPECT_TRUE(has_index(step + 1));
        for (std::vector<double>* each : {&values, &next}) std::fill(each->begin(), each->end(), 1e30);
      }
      writer.close();
      expect_files(writer.form(), {1, 2, 3, 4});
    }
  }
}

// The threads that write are kept from beginning until the values have changed, or never come again.
TEST_F(SolutionAsyncMpi, TextIsMadeBehindTheCall) {
  for (const Files files : {Files::each, Files::shared}) {
    for (const Memory memory : {Memory::lent, Memory::copied}) {
      test::Gate gate;
      SolutionOutput wanted = output(Deal::evenly, files);
      wanted.sub_elements = 30;
      // For copied values and half of their text: a call that made the text would wait for ever for a buffer.
      const std::int64_t values_bytes = wanted.my_problems * 496 * 2 * 8;
      const Resources resources{.comm = comm,
                                .open = gated_solutions(gate),
                                .policy = Policy::parse("writers=all,stage=512,async=1,threads=1"),
                                .memory_bytes = 2 * values_bytes + 8192};
      SolutionWriter writer(resources, wanted);
      std::vector<double> values = values_of(writer, 1);
      writer.write_phase(1, values, memory);
      EXPECT_FALSE(has_index(1));
      const std::vector<double> changed = values_of(writer, 2);
      std::copy(changed.begin(), changed.end(), values.begin());
      gate.open();
      writer.wait();
      comm.barrier();
      if (comm.rank() == 0) {
        const std::int64_t last = all_problems - 1;
        std::string found =
            files_in(folder / "out")[files == Files::each ? "local000006/solution000001.txt" : "solution000001.txt"];
        const std::string of_first = problem_text(writer.form(), last, 1);
        const std::string of_changed = problem_text(writer.form(), last, 2);
        ASSERT_GE(found.size(), of_first.size());
        found.erase(0, found.size() - of_first.size());
        // The job that waits at the gate may have filled its stage before; the last one has not.
        EXPECT_EQ(found.substr(found.size() - 130),
                  (memory == Memory::lent ? of_changed : of_first).substr(of_first.size() - 130));
        if (memory == Memory::copied) {
          EXPECT_EQ(found, of_first);
        }
      }
      writer.close();
    }
  }
}

TEST_F(SolutionAsyncMpi, AllPhasesInFlightShareThreads) {
  for (const Files files : {Files::each, Files::shared}) {
    test::Gate gate;
    const Resources resources{.comm = comm,
                              .open = gated_solutions(gate),
                              .policy = Policy::parse("writers=all,stage=512,async=6,threads=3"),
                              .memory_bytes = 1 << 20};
    const std::int64_t before = test::threads_of_process();
    SolutionWriter writer(resources, output(Deal::evenly, files));
    for (std::int64_t step = 1; step <= 6; ++step) {
      write(writer, step);
      EXPECT_LE(test::threads_of_process() - before, 3);
    }
    EXPECT_GE(test::threads_of_process() - before, 1);
    gate.open();
    writer.close();
    expect_files(writer.form(), {1, 2, 3, 4, 5, 6});
  }
}

TEST_F(SolutionAsyncMpi, APhaseTakesMemoryForItsOwnProblems) {
  for (const char* policy : {"direct", "elected,async=2", "staged,sync=close"}) {
    SCOPED_TRACE(policy);
    const Resources resources{.comm = comm, .policy = Policy::parse(policy), .memory_bytes = 64 << 10};
    const solution::Form form{.problems = 1'000'000, .sub_elements = 1};
    const ItemRange mine{3 * comm.rank(), 3};
    const std::vector<double> values(9, 1.5);
    class Text : public Encoder {
     public:
      Text(const solution::Form& form, const double* values) : form_(form), values_(values) {}
      void fill(ByteRange range, std::span<std::byte> bytes) const override {
        solution::write_text(form_, values_, range, bytes);
      }

     private:
      const solution::Form& form_;
      const double* values_;
    };
    const Text text(form, values.data());
    const std::string out = folder / "many";
    if (comm.rank() == 0) std::filesystem::create_directory(out);
    comm.barrier();
    make_problem_folders(resources, out, form, mine);
    const test::HeldMemory memory;
    {
      const auto writer = solution_phase_writer(resources, out, form, resources.memory());
      OutputCall call(nullptr);
      writer->write(call, {}, [&] {
        OutputPhase phase = solution_phase(resources, out, {form, 1}, mine, nullptr);
        std::vector<Extent> extents;
        for (std::int64_t i = 0; i < mine.count; ++i) {
          extents.push_back(solution_extent(phase, form, mine, {mine.first + i, 1}, text));
        }
        phase.plan = AccessPlan::for_writing(std::move(extents));
        return phase;
      });
      writer->wait();
    }
    EXPECT_LT(memory.max_bytes(), 300 << 10) << "names of all would be 100 MB";
    comm.barrier();
    if (comm.rank() == 0) {
      EXPECT_EQ(files_in(out).size(), 3U * static_cast<unsigned>(comm.size()) + 1);
      std::filesystem::remove_all(out);
    }
    comm.barrier();
  }
}

// Not only when there is no more room for it among the phases in flight.
TEST_F(SolutionAsyncMpi, APhaseIsCompleteWhenACallFindsItDone) {
  for (const Files files : {Files::each, Files::shared}) {
    const Resources resources{.comm = comm, .policy = Policy::parse("elected,async=64"), .memory_bytes = 1 << 20};
    SolutionWriter writer(resources, output(Deal::evenly, files));
    std::int64_t step = 1;
    std::vector<std::int64_t> steps;
    for (bool is_there = false; !is_there && step < 60; ++step) {
      write(writer, step);
      steps.push_back(step);
      is_there = all_reduce(comm, has_index(1) ? 1 : 0, Reduction::min) == 1;
      ::usleep(20'000);
    }
    EXPECT_LT(step, 60);
    writer.close();
    expect_files(writer.form(), steps);
  }
}

// An index must not list files whose names a crash takes.
TEST_F(SolutionAsyncMpi, NamesOfFilesAreSyncedBeforeTheIndexHasItsName) {
  for (const Files files : {Files::each, Files::shared}) {
    for (const bool is_durable : {false, true}) {
      Meter meter;
      const Resources resources{.comm = comm,
                                .open = metered(open_posix, meter),
                                .policy = Policy::parse(is_durable ? "direct,sync=close" : "direct"),
                                .meter = &meter};
      SolutionWriter writer(resources, output(Deal::evenly, files));
      write(writer, 1);
      const std::int64_t before = all_reduce(comm, meter.syncs.load(), Reduction::sum);
      write(writer, 2);
      const std::int64_t syncs = all_reduce(comm, meter.syncs.load(), Reduction::sum) - before;
      writer.close();
      // The index's bytes and its name; of each problem the bytes and the name; a shared file has bytes that every rank
      // syncs which wrote some, and a name.
      const std::int64_t of_files = files == Files::each ? 2 * writer.form().problems : comm.size() + 1;
      EXPECT_EQ(syncs, is_durable ? 2 + of_files : 0);
      expect_files(writer.form(), {1, 2});
    }
  }
}

// As on a disk that is full from then on: nothing more is opened, nor written.
TEST_F(SolutionAsyncMpi, ADiskThatALaterPhaseFillsLeavesEarlierPhasesTheirIndexes) {
  for (const Files files : {Files::each, Files::shared}) {
    test::Gate gate;
    std::atomic<bool> is_full = false;
    const Opener filling = [&, open = gated_solutions(gate)](const std::string& path, OpenMode mode) {
      if (is_full && path.find("solution000001.txt") == path.npos) {
        throw Error({.code = ErrorCode::io, .problem = "No space left on device", .where = {.file = path}});
      }
      return open(path, mode);
    };
    const Resources resources{
        .comm = comm, .open = filling, .policy = Policy::parse("elected,async=4"), .memory_bytes = 1 << 20};
    SolutionWriter writer(resources, output(Deal::evenly, files));
    write(writer, 1);
    EXPECT_FALSE(has_index(1));
    comm.barrier();
    is_full = true;
    const auto error = thrown_by_all([&] { write(writer, 2); });
    ASSERT_TRUE(error);
    EXPECT_NE(std::string(error->what()).find("No space left"), std::string::npos) << error->what();
    gate.open();
    EXPECT_FALSE(thrown_by_all([&] { writer.close(); }));
    expect_files(writer.form(), {1});
  }
}

}  // namespace
}  // namespace sill
