// Moving bytes by several ranks: the bytes are those of the reference, whoever moves them, and a fault of one is the
// error of all.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "comm/world.hpp"
#include "move/permutation_case.hpp"
#include "move/random_access.hpp"
#include "sill/move/execute.hpp"
#include "sill/store/fault_store.hpp"
#include "sill/store/posix_store.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"

namespace sill {
namespace {

using test::Access;
using test::Bytes;
using test::everywhere;
using test::PermutationCase;
using test::PermutationTrial;
using test::same_everywhere;
using test::SharedFolder;
using test::thrown;
using test::world;

const std::vector<std::string> policies{"direct",        "staged",         "stage=1",         "stage=100",
                                        "writers=first", "staged,stage=1", "staged,stage=64", "staged,stage=1000"};

constexpr std::int64_t file_bytes = 20000;
constexpr std::size_t files = 3;

// The files 0 to 2 of a folder, each rank with handles of its own, opened when first needed.
class Files {
 public:
  Files(const SharedFolder& folder, Opener open) : folder_(folder), open_(std::move(open)), stores_(files) {}
  Store& operator()(int file) {
    auto& store = stores_.at(static_cast<std::size_t>(file));
    if (!store) store = open_(folder_ / std::to_string(file), OpenMode::write);
    return *store;
  }
  void forget() { stores_ = std::vector<std::unique_ptr<Store>>(files); }

 private:
  const SharedFolder& folder_;
  Opener open_;
  std::vector<std::unique_ptr<Store>> stores_;
};

std::vector<Bytes> contents(std::uint64_t seed) {
  std::vector<Bytes> all;
  for (std::size_t file = 0; file < files; ++file) all.push_back(test::pattern(file_bytes, seed + file));
  return all;
}

void put_all(const SharedFolder& folder, const std::vector<Bytes>& all) {
  for (std::size_t file = 0; file < files; ++file) folder.put(std::to_string(file), all[file]);
}

std::size_t requests_in(const Schedule& schedule) {
  std::size_t count = 0;
  for (const Round& round : schedule.rounds) count += round.requests.size();
  return count;
}

TEST(ExecuteMpi, WritesWhatTheReferenceWrites) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  Files stores(folder, open_posix);
  EXPECT_TRUE(rc::check([&] {
    const auto seed = *rc::gen::inRange<std::uint64_t>(0, 1000000);
    const Policy policy = Policy::parse(*rc::gen::elementOf(policies));
    const Access access =
        test::random_write(seed, static_cast<std::size_t>(comm.size()), *rc::gen::element(3, 60, 600));
    std::vector<Bytes> expected = contents(seed);
    put_all(folder, expected);
    for (const auto& [place, byte] : written_by(access)) {
      expected[static_cast<std::size_t>(place.first)][static_cast<std::size_t>(place.second)] = byte;
    }
    RC_ASSERT(everywhere(comm, [&] {
      execute_write(comm, schedule(access.plans, policy, Operation::write, comm.rank()),
                    access.memory[static_cast<std::size_t>(comm.rank())], std::ref(stores));
      return true;
    }));
    RC_ASSERT(everywhere(comm, [&] {
      for (std::size_t file = 0; file < files; ++file) {
        if (test::bytes_of_file(folder / std::to_string(file)) != expected[file]) return false;
      }
      return true;
    }));
    comm.barrier();
  }));
}

TEST(ExecuteMpi, ReadsWhatTheReferenceReads) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  const std::vector<Bytes> all = contents(5);
  put_all(folder, all);
  Files stores(folder, open_posix);
  const auto rank = static_cast<std::size_t>(comm.rank());
  EXPECT_TRUE(rc::check([&] {
    const Policy policy = Policy::parse(*rc::gen::elementOf(policies));
    const Access access = test::random_read(*rc::gen::arbitrary<std::uint64_t>(), static_cast<std::size_t>(comm.size()),
                                            *rc::gen::element(3, 60, 2000), file_bytes);
    RC_ASSERT(everywhere(comm, [&] {
      Bytes memory = access.memory[rank];
      execute_read(comm, schedule(access.plans, policy, Operation::read, comm.rank()), memory, std::ref(stores));
      return memory == read_by(access, rank, all);
    }));
  }));
}

// Runs `work` with the `nth` call of a kind failing on `faulty_rank`; what it throws must be one and the same on all
// ranks, if the fault came to pass anywhere, and else nothing.
void expect_same_error(Communicator& comm, int faulty_rank, const Fault& fault, const std::optional<Error>& error) {
  const bool struck =
      all_reduce(comm, comm.rank() == faulty_rank && fault.seen >= fault.nth ? 1 : 0, Reduction::max) == 1;
  EXPECT_EQ(error.has_value(), struck);
  EXPECT_TRUE(same_everywhere(comm, error ? error->what() : ""));
  if (!error) return;
  EXPECT_TRUE(error->agreed());
  EXPECT_EQ(error->code(), ErrorCode::io);
  EXPECT_EQ(error->parts().rank, faulty_rank);
  EXPECT_FALSE(error->parts().where.file.empty());
}

TEST(ExecuteMpi, AFaultOfOneRankIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  put_all(folder, contents(1));
  const auto ranks = static_cast<std::size_t>(comm.size());
  for (const std::string& text : {std::string("direct"), std::string("staged,stage=64"), std::string("stage=64")}) {
    const Policy policy = Policy::parse(text);
    for (int faulty_rank = 0; faulty_rank < comm.size(); ++faulty_rank) {
      for (const Fault::Call call : {Fault::Call::open, Fault::Call::write, Fault::Call::read}) {
        for (const std::int64_t nth : {1, 3}) {
          const bool writing = call != Fault::Call::read;
          const std::uint64_t seed = 10 + static_cast<std::uint64_t>(nth);
          const Access access =
              writing ? test::random_write(seed, ranks, 300) : test::random_read(seed, ranks, 300, file_bytes);
          Fault fault{.call = call, .nth = nth};
          const bool mine = comm.rank() == faulty_rank;
          Files stores(folder, mine ? faulty(open_posix, fault) : Opener(open_posix));
          Bytes memory = access.memory[static_cast<std::size_t>(comm.rank())];
          const Schedule own =
              schedule(access.plans, policy, writing ? Operation::write : Operation::read, comm.rank());
          const auto error = thrown([&] {
            writing ? execute_write(comm, own, memory, std::ref(stores))
                    : execute_read(comm, own, memory, std::ref(stores));
          });
          expect_same_error(comm, faulty_rank, fault, error);
          fault.nth = -1;  // the next access is as good as any
          stores.forget();
          EXPECT_FALSE(thrown([&] {
            writing ? execute_write(comm, own, memory, std::ref(stores))
                    : execute_read(comm, own, memory, std::ref(stores));
          }));
        }
      }
    }
  }
}

TEST(ExecuteMpi, RequestsAreAsManyAsThePolicySays) {
  Communicator& comm = world();
  // 30 pieces of 10 bytes back to back, dealt to the ranks in turn.
  const int ranks = comm.size();
  std::vector<AccessPlan> plans;
  for (int rank = 0; rank < ranks; ++rank) {
    std::vector<Extent> extents;
    for (std::int64_t i = rank; i < 30; i += ranks) extents.push_back({0, {i * 10, 10}, i * 10});
    plans.push_back(AccessPlan::for_writing(extents));
  }
  const auto total = [&](const char* policy) {
    const Schedule own = schedule(plans, Policy::parse(policy), Operation::write, comm.rank());
    return all_reduce(comm, static_cast<std::int64_t>(requests_in(own)), Reduction::sum);
  };
  EXPECT_EQ(total("direct"), ranks == 1 ? 1 : 30);
  EXPECT_EQ(total("staged"), 1);
  EXPECT_EQ(total("staged,stage=70"), 5);
}

TEST(PermutationMpi, PutsEveryItemInItsPlace) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  for (const bool by_runs : {false, true}) {
    EXPECT_TRUE(rc::check([&] {
      PermutationCase trial;
      trial.item_bytes = *rc::gen::element<std::int64_t>(1, 8, 244);
      trial.input_items = *rc::gen::container<std::vector<std::int64_t>>(*rc::gen::inRange<std::size_t>(1, 4),
                                                                         rc::gen::inRange<std::int64_t>(0, 60));
      const std::int64_t cost = trial.item_bytes + 40;
      trial.memory_bytes =
          *rc::gen::oneOf(rc::gen::inRange<std::int64_t>(cost, 10 * cost), rc::gen::just<std::int64_t>(1 << 20));
      trial.chunk_bytes = *rc::gen::element<std::int64_t>(1, 500, 1 << 20);
      trial.threads = *rc::gen::inRange(1, 4);
      trial.positions_evenly = *rc::gen::arbitrary<bool>();
      trial.seed = *rc::gen::inRange<std::uint64_t>(1, 1000000);
      const int parts = *rc::gen::inRange(1, comm.size() + 1);
      if (comm.rank() == 0) PermutationTrial::make_files(trial, folder.path());
      comm.barrier();
      PermutationTrial job(trial, comm.rank(), comm.size(), folder.path(), open_posix);
      const auto error = thrown([&] {
        if (by_runs) {
          job.by_runs(comm, parts);
        } else {
          together(comm, [&] { job.by_gather(); });
        }
      });
      comm.barrier();
      RC_ASSERT(everywhere(comm, [&] {
        return !error && test::bytes_of_file(folder / "output") == job.expected_output() && job.inspected_right() &&
               job.seen.largest_request <= trial.memory_bytes;
      }));
      const auto sum = [&](std::int64_t mine) { return all_reduce(comm, mine, Reduction::sum); };
      const std::int64_t bytes = trial.items() * trial.item_bytes;
      RC_ASSERT(sum(job.seen.inputs.read_bytes) == bytes);
      RC_ASSERT(sum(job.seen.runs.read_bytes) == (by_runs ? bytes : 0));
      RC_ASSERT(sum(job.seen.runs.written_bytes) == (by_runs ? bytes : 0));
      RC_ASSERT(sum(job.seen.output.read_bytes) == 0);
      RC_ASSERT(sum(job.seen.output.written_bytes) == bytes);
    }));
  }
}

TEST(PermutationMpi, MemoryOfOneRankTooSmallIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  PermutationCase trial;
  trial.item_bytes = 1000;
  if (comm.rank() == 0) PermutationTrial::make_files(trial, folder.path());
  comm.barrier();
  const int poor = comm.size() - 1;
  PermutationTrial job(trial, comm.rank(), comm.size(), folder.path(), open_posix);
  if (comm.rank() == poor) job.job.memory_bytes = 500;
  const auto error = thrown([&] { job.by_runs(comm, comm.size()); });
  ASSERT_TRUE(error);
  EXPECT_EQ(error->code(), ErrorCode::usage);
  EXPECT_EQ(error->parts().problem, "500 bytes of memory do not hold one item of 1000 bytes");
  EXPECT_EQ(error->parts().rank, poor);
  EXPECT_TRUE(same_everywhere(comm, error->what()));
}

TEST(PermutationMpi, AFaultOfOneRankIsTheErrorOfAll) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  PermutationCase trial;
  trial.input_items = {40, 40};
  trial.memory_bytes = 600;
  trial.threads = 2;
  if (comm.rank() == 0) PermutationTrial::make_files(trial, folder.path());
  comm.barrier();
  for (int faulty_rank = 0; faulty_rank < comm.size(); ++faulty_rank) {
    for (const Fault::Call call : {Fault::Call::read, Fault::Call::write}) {
      for (const Fault::Kind kind : {Fault::Kind::fails, Fault::Kind::is_short}) {
        for (const std::int64_t nth : {1, 4, 9}) {
          Fault fault{.call = call, .nth = nth, .kind = kind};
          const Opener open = comm.rank() == faulty_rank ? faulty(open_posix, fault) : Opener(open_posix);
          PermutationTrial job(trial, comm.rank(), comm.size(), folder.path(), open);
          const auto error = thrown([&] { job.by_runs(comm, comm.size()); });
          expect_same_error(comm, faulty_rank, fault, error);
        }
      }
    }
  }
}

}  // namespace
}  // namespace sill
