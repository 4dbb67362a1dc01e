// Whatever fails on one rank is the same error on all ranks, and nobody waits for ever, then or later.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "move/mover_files.hpp"
#include "move/random_access.hpp"
#include "store/rank_faults.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/memory.hpp"
#include "support/test_ranks.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::Access;
using test::AccessMaker;
using test::RankFault;
using test::same_everywhere;
using test::SharedFolder;
using test::thrown;
using test::world;

constexpr int fault_files = 3;
constexpr std::int64_t file_bytes = 2000;

const std::string burst = ",async=2,burst=" + std::filesystem::temp_directory_path().string();

const std::vector<std::string> policies{"direct",
                                        "direct,sync=phase" + burst,
                                        "elected,stage=700,sync=close" + burst,
                                        "direct,sync=phase",
                                        "direct,async=2,sync=close",
                                        "staged,stage=600",
                                        "gathered,stage=512",
                                        "elected,stage=700,async=2",
                                        "aggregated",
                                        "writers=3,stage=512,align=64,sync=close",
                                        "writers=node,stage=512,async=3,sync=phase",
                                        "writers=all,stage=600,async=2",
                                        "independent,sync=close",
                                        "collective,sync=phase"};

Access access_of(std::uint64_t seed, Operation operation) {
  AccessMaker maker(seed, static_cast<std::size_t>(world().size()), operation);
  maker.add_regions(fault_files, file_bytes);
  return maker.take();
}

const std::vector<Extent> extents_of_this_rank(const Access& access) {
  return access.ranks[static_cast<std::size_t>(world().rank())].extents();
}

// Performs steps one after another, also after one that failed; every step ends alike on all ranks. What the first that
// failed threw.
std::optional<Error> in_steps(const std::vector<std::function<void()>>& steps) {
  std::optional<Error> first;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const std::optional<Error> error = thrown(steps[i]);
    EXPECT_TRUE(same_everywhere(world(), error ? error->what() : "")) << "step " << i;
    EXPECT_TRUE(!error || error->agreed()) << error->what();
    if (!first) first = error;
  }
  return first;
}

// Writes twice, reads, closes; whatever happens on the way.
std::optional<Error> use(Mover& mover) {
  Access one = access_of(1, Operation::write);
  Access two = access_of(2, Operation::write);
  Access back = access_of(3, Operation::read);
  return in_steps({
      [&] { mover.write(AccessPlan::for_writing(extents_of_this_rank(one)), {}, Memory::lent); },
      [&] { mover.write(AccessPlan::for_writing(extents_of_this_rank(two))); },
      [&] { mover.read(AccessPlan::for_reading(extents_of_this_rank(back))); },
      [&] { mover.write({}); },
      [&] { mover.close(); },
      [&] { mover.close(); },
  });
}

MoverFiles faulty_files(const SharedFolder& folder, const Policy& policy, RankFault& fault) {
  MoverFiles all = test::files_in(folder, fault_files, OpenMode::write, policy.call);
  if (all.open) all.open = fault.in(all.open);
  if (all.open_together && fault.is_here()) {
    all.open_together = [open = all.open_together, &fault = fault.fault()](
                            Communicator& comm, std::span<const int> ranks, const std::string& path, OpenMode mode) {
      return faulty(open(comm, ranks, path, mode), fault);
    };
  }
  return all;
}

TEST(MoverFaultsMpi, AFaultOfOneRankIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  test::make_files(folder, comm, fault_files, file_bytes);
  const test::FaultsToTry faults{
      .calls = {Fault::Call::open, Fault::Call::write, Fault::Call::read, Fault::Call::sync, Fault::Call::close},
      .numbers = {1, 3}};
  int seen = 0;
  for (const std::string& text : policies) {
    SCOPED_TRACE(text);
    const Policy policy = Policy::parse(text);
    test::for_each_fault(comm, faults, [&](RankFault& fault) {
      std::optional<Error> error;
      {
        Mover mover(comm, faulty_files(folder, policy, fault), policy, {1 << 20, 2});
        error = use(mover);
      }
      if (!fault.is_stated_by(error)) return false;
      ++seen;
      EXPECT_TRUE(error && error->parts().where.file.starts_with(folder.path()));
      return true;
    });
  }
  EXPECT_GT(seen, 50);  // the faults do come to pass
}

// A handle whose syncing fails on one rank makes room for another file: its owners close it together all the same.
TEST(MoverFaultsMpi, ASyncThatFailsOnOneRankStillClosesTheFileOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  test::make_files(folder, comm, fault_files, file_bytes);
  const Policy policy = Policy::parse("collective,sync=close");
  RankFault fault(comm, 0, Fault::Call::sync, Fault::Kind::fails, 1);
  MoverFiles all = faulty_files(folder, policy, fault);
  all.max_open = 1;
  Mover mover(comm, all, policy, {1 << 20, 1});
  std::vector<std::byte> memory(8);
  const auto write = [&](int file) {
    mover.write(AccessPlan::for_writing({contiguous(file, {comm.rank() * std::int64_t{8}, 8}, memory.data())}));
  };
  const auto error = in_steps({[&] { write(0); }, [&] { write(1); }, [&] { write(2); }, [&] { mover.close(); }});
  ASSERT_TRUE(error);
  EXPECT_EQ(error->parts().rank, 0);
}

// A file that cannot be opened at all, on any rank.
TEST(MoverFaultsMpi, AMissingFileIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  for (const std::string& text : policies) {
    SCOPED_TRACE(text);
    const Policy policy = Policy::parse(text);
    Mover mover(comm, test::files_in(folder, fault_files, OpenMode::write, policy.call), policy, {1 << 20, 1});
    const auto error = use(mover);
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::io);
    EXPECT_EQ(error->parts().where.file.rfind(folder.path(), 0), 0U) << error->what();
  }
}

// As where one node does not see the file system, or its user may not write there.
TEST(MoverFaultsMpi, AFileThatOneRankCannotOpenIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  test::make_files(folder, comm, fault_files, file_bytes);
  std::vector<std::byte> memory(400);
  const Extent in_turns{.file = 1,
                        .offset_bytes = 4 * comm.rank(),
                        .run_bytes = 4,
                        .steps = {{100, 4 * comm.size(), 4}},
                        .memory = memory.data()};
  for (const std::string& text : policies) {
    const Policy policy = Policy::parse(text);
    const bool every_rank_opens = policy.writers == Policy::Writers::all;
    for (int culprit = 0; culprit < comm.size(); ++culprit) {
      for (const char* const instead : {"missing", "."}) {
        SCOPED_TRACE(text + ", rank " + std::to_string(culprit) + ", " + instead);
        MoverFiles all = test::files_in(folder, fault_files, OpenMode::write, policy.call);
        if (comm.rank() == culprit) {
          const auto path_for = [wrong = all.paths[1], right = folder / instead](const std::string& path) {
            return path == wrong ? right : path;
          };
          if (all.open)
            all.open = [=, open = all.open](const std::string& path, OpenMode mode) {
              return open(path_for(path), mode);
            };
          if (all.open_together)
            all.open_together = [=, open = all.open_together](Communicator& of, std::span<const int> ranks,
                                                              const std::string& path, OpenMode mode) {
              return open(of, ranks, path_for(path), mode);
            };
        }
        std::optional<Error> error;
        {
          Mover mover(comm, all, policy, {1 << 20, 2});
          error = in_steps({[&] { mover.write(AccessPlan::for_writing({in_turns})); },
                            [&] { mover.read(AccessPlan::for_reading({in_turns})); }, [&] { mover.wait(); },
                            [&] { mover.close(); }});
        }
        const bool only_rank_0_opens = policy.writers == Policy::Writers::first ||
                                       policy.writers == Policy::Writers::root ||
                                       policy.writers == Policy::Writers::node;
        EXPECT_TRUE(error || !(every_rank_opens || (only_rank_0_opens && culprit == 0)));
        if (!error) continue;
        EXPECT_EQ(error->code(), ErrorCode::io) << error->what();
        EXPECT_EQ(error->parts().rank, culprit) << error->what();
        EXPECT_EQ(error->parts().where.file, folder / instead) << error->what();
      }
    }
  }
}

// Throws as soon as it is asked for a byte behind `good`.
class Failing final : public Encoder, public Decoder {
 public:
  explicit Failing(std::int64_t good) : good_(good) {}
  void fill(ByteRange range, std::span<std::byte> bytes) const override {
    if (range.end() > good_) throw Error({.code = ErrorCode::usage, .problem = "cannot be encoded"});
    std::fill(bytes.begin(), bytes.end(), std::byte{1});
  }
  void take(ByteRange range, std::span<const std::byte>) override {
    if (range.end() > good_) throw Error({.code = ErrorCode::usage, .problem = "cannot be decoded"});
  }

 private:
  std::int64_t good_;
};

// Every rank has 300 bytes of file 0 in coded runs of 3, in turn with the others.
Extent coded_extent(const Encoder* encoder, Decoder* decoder) {
  const std::int64_t ranks = world().size();
  return {.offset_bytes = 3 * world().rank(),
          .run_bytes = 3,
          .steps = {{100, 3 * ranks, 0}},
          .encoder = encoder,
          .decoder = decoder};
}

TEST(MoverFaultsMpi, WhatACoderThrowsIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  test::make_files(folder, comm, fault_files, file_bytes);
  for (const std::string& text : policies) {
    const Policy policy = Policy::parse(text);
    for (int faulty_rank = 0; faulty_rank < comm.size(); ++faulty_rank) {
      for (const std::int64_t good : {0, 250}) {
        for (const Operation operation : {Operation::write, Operation::read}) {
          SCOPED_TRACE(text + ", rank " + std::to_string(faulty_rank) + " after " + std::to_string(good) + " bytes");
          Failing coder(comm.rank() == faulty_rank ? good : 300);
          Mover mover(comm, test::files_in(folder, fault_files, OpenMode::write, policy.call), policy, {1 << 20, 2});
          const bool writing = operation == Operation::write;
          const auto error = in_steps({[&] {
                                         if (writing)
                                           mover.write(AccessPlan::for_writing({coded_extent(&coder, nullptr)}));
                                         if (!writing)
                                           mover.read(AccessPlan::for_reading({coded_extent(nullptr, &coder)}));
                                       },
                                       [&] { mover.wait(); }, [&] { mover.close(); }});
          ASSERT_TRUE(error);
          EXPECT_EQ(error->code(), ErrorCode::usage);
          EXPECT_EQ(error->parts().problem, writing ? "cannot be encoded" : "cannot be decoded");
          EXPECT_EQ(error->parts().rank, faulty_rank);
        }
      }
    }
  }
}

// Ranks `one` and `other` write byte 100 of file 1; all others write elsewhere.
std::vector<Extent> overlapping(int one, int other, std::byte* memory) {
  const int rank = world().rank();
  if (rank == one) return {contiguous(1, {50, 51}, memory)};
  // With runs before and after it, so that no comparison of bounding_ranges would do.
  if (rank == other) return {{.file = 1, .offset_bytes = 10, .run_bytes = 1, .steps = {{3, 90, 1}}, .memory = memory}};
  return {contiguous(1, {1000 + 50 * rank, 50}, memory)};
}

SILL_TEST_MIN_RANKS(MoverFaultsMpi, OverlapOfRanksIsAUsageErrorThatNamesThem, 2);
TEST(MoverFaultsMpi, OverlapOfRanksIsAUsageErrorThatNamesThem) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  test::make_files(folder, comm, fault_files, file_bytes);
  std::vector<std::byte> memory(100);
  for (const std::string& text : policies) {
    const Policy policy = Policy::parse(text);
    for (const auto& [one, other] : std::vector<std::pair<int, int>>{{0, comm.size() - 1}, {comm.size() - 1, 0}}) {
      SCOPED_TRACE(text);
      Mover mover(comm, test::files_in(folder, fault_files, OpenMode::write, policy.call), policy, {1 << 20, 2});
      const auto error = in_steps({
          [&, one = one, other = other] {
            mover.write(AccessPlan::for_writing(overlapping(one, other, memory.data())));
          },
          [&] { mover.wait(); },
      });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::usage);
      EXPECT_EQ(error->parts().problem, "ranks 0 and " + std::to_string(comm.size() - 1) + " both write the same byte");
      EXPECT_EQ(error->parts().where.byte, 100);
      EXPECT_EQ(error->parts().where.item, 1);
      EXPECT_FALSE(error->parts().action.empty());
      // Readers may.
      EXPECT_FALSE(in_steps({
          [&, one = one, other = other] {
            mover.read(AccessPlan::for_reading(overlapping(one, other, memory.data())));
          },
          [&] { mover.close(); },
      }));
    }
  }
}

TEST(MoverFaultsMpi, TooLittleMemoryOfOneRankIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  const int poor = comm.size() - 1;
  const auto error = thrown([&] {
    Mover mover(comm, test::files_in(folder, fault_files, OpenMode::write, Policy::Call::posix), {},
                {comm.rank() == poor ? 4095 : 1 << 20, 1});
  });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_EQ(error->parts().problem, "4095 bytes of memory are not enough to move data");
  EXPECT_EQ(error->parts().rank, poor);
  EXPECT_TRUE(same_everywhere(comm, error->what()));
}

TEST(MoverFaultsMpi, NoOpenerForTheCallsIsAUsageError) {
  for (const char* const text : {"direct", "independent", "collective"}) {
    const auto error = thrown([&] { Mover mover(world(), {}, Policy::parse(text), {1 << 20, 1}); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_TRUE(same_everywhere(world(), error->what()));
  }
}

TEST(MoverFaultsMpi, ARankWithoutMemoryIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  test::make_files(folder, comm, fault_files, file_bytes);
  for (const char* const text : {"writers=all,stage=1M", "staged,stage=1M", "elected,stage=1M,async=2"}) {
    for (int poor = 0; poor < comm.size(); ++poor) {
      SCOPED_TRACE(std::string(text) + ", rank " + std::to_string(poor));
      Mover mover(comm, test::files_in(folder, fault_files, OpenMode::write, Policy::Call::posix), Policy::parse(text),
                  {8 << 20, 1});
      // Two pieces of each rank: one would need no stage.
      std::array<std::byte, 20> bytes{};
      const std::vector<Extent> pieces{contiguous(0, {100 * comm.rank(), 10}, bytes.data()),
                                       contiguous(0, {100 * comm.rank() + 50, 10}, bytes.data() + 10)};
      const auto write = [&] { mover.write(AccessPlan::for_writing(pieces)); };
      const auto read = [&] { mover.read(AccessPlan::for_reading(pieces)); };
      for (const bool writing : {true, false}) {
        std::optional<test::LimitedMemory> limit;
        if (comm.rank() == poor) limit.emplace(500'000);  // less than a stage
        const auto error = in_steps({[&] { writing ? write() : read(); }, [&] { mover.wait(); }});
        ASSERT_TRUE(error);
        EXPECT_EQ(error->parts().problem, "out of memory");
        EXPECT_EQ(error->parts().rank, poor);
      }
      // With memory it goes on.
      EXPECT_FALSE(in_steps({write, read, [&] { mover.close(); }}));
    }
  }
}

SILL_TEST_MIN_RANKS(MoverFaultsMpi, DifferentPoliciesOrPathsAreTheErrorOfAll, 2);
TEST(MoverFaultsMpi, DifferentPoliciesOrPathsAreTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  const bool odd = comm.rank() == comm.size() - 1;
  const MoverFiles all = test::files_in(folder, 2, OpenMode::write_or_create, Policy::Call::posix);
  MoverFiles others = all;
  others.paths.back() += "x";
  MoverFiles to_read = all;
  to_read.mode = OpenMode::read;
  const MoverLimits limits{1 << 20, 1};
  const auto require_error = [&](const MoverFiles& of_rank, const char* policy) {
    const auto error = thrown([&] { const Mover mover(comm, of_rank, Policy::parse(policy), limits); });
    ASSERT_TRUE(error);
    EXPECT_EQ(error->code(), ErrorCode::usage);
    EXPECT_TRUE(error->agreed());
  };
  require_error(all, odd ? "staged" : "elected");
  require_error(odd ? others : all, "staged");
  require_error(odd ? to_read : all, "staged");
  const Mover mover(comm, all, Policy::parse(odd ? "staged,threads=2" : "staged,threads=1"), limits);
}

TEST(MoverFaultsMpi, AnExtentWithoutMemoryIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  std::vector<std::byte> memory(8);
  for (const char* text : {"direct", "staged", "direct,async=1", "independent", "collective"}) {
    SCOPED_TRACE(text);
    const Policy policy = Policy::parse(text);
    Mover mover(comm, test::files_in(folder, 1, OpenMode::write_or_create, policy.call), policy, {1 << 20, 1});
    const auto plan = [&](std::byte* at) {
      return AccessPlan::for_writing({contiguous(0, {8 * std::int64_t{comm.rank()}, 8}, at)});
    };
    const bool odd = comm.rank() == comm.size() - 1;
    for (const bool reads : {false, true}) {
      const AccessPlan wrong = plan(odd ? nullptr : memory.data());
      const auto error = thrown([&] { reads ? mover.read(wrong) : mover.write(wrong); });
      ASSERT_TRUE(error);
      EXPECT_EQ(error->code(), ErrorCode::usage);
      EXPECT_EQ(error->parts().rank, comm.size() - 1);
      mover.write(plan(memory.data()));
    }
    mover.close();
  }
}

}  // namespace
}  // namespace sill
