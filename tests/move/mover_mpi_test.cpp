// Whatever ranks move, and whoever does it for them: the bytes are those of a plain copy.
#include "sill/move/mover.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "move/mover_files.hpp"
#include "move/random_access.hpp"
#include "plan/every_byte.hpp"
#include "store/shared_folder.hpp"
#include "store/thrown.hpp"
#include "support/any_number.hpp"
#include "support/check_store.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::Access;
using test::AccessMaker;
using test::Bytes;
using test::closed_form;
using test::everywhere;
using test::FileContents;
using test::path_of;
using test::SharedFolder;
using test::Snapshot;
using test::thrown;
using test::world;

constexpr int files = 3;

// A policy whose stages and alignments matter for files of some thousand bytes.
Policy small_policy(Policy::Call call) {
  using Writers = Policy::Writers;
  Policy policy;
  policy.call = call;
  if (call == Policy::Call::mpiio_collective) return policy;
  policy.writers =
      *rc::gen::element(Writers::all, Writers::root, Writers::first, Writers::elected, Writers::node, Writers::number);
  if (policy.writers == Writers::number) policy.domains = test::any_number<int>(1, 9);
  policy.stage_bytes = *rc::gen::element<std::int64_t>(0, 512, 1000, 64 << 10);
  const bool has_boundaries =
      policy.stage_bytes > 0 || policy.writers == Writers::node || policy.writers == Writers::number;
  if (has_boundaries) policy.align_bytes = *rc::gen::element<std::int64_t>(0, 1, 64, 4096);
  if (policy.align_bytes > 0) policy.align = Policy::Align::size;
  policy.sync = *rc::gen::weightedElement<Policy::Sync>(
      {{8, Policy::Sync::never}, {1, Policy::Sync::close}, {1, Policy::Sync::phase}});
  if (call == Policy::Call::posix) policy.async = test::any_number<int>(0, 3);
  if (policy.async > 0 && *rc::gen::arbitrary<bool>()) policy.burst = std::filesystem::temp_directory_path();
  policy.check();
  return policy;
}

// What a job does, the same on every rank.
struct Job {
  Policy policy;
  std::int64_t memory_bytes = 0;
  int threads = 1;
  std::int64_t max_open = 0;
  bool files_exist = true;
  std::int64_t file_bytes = 0;
};

Job any_job(Policy::Call call) {
  Job job;
  job.policy = small_policy(call);
  job.memory_bytes = *rc::gen::element<std::int64_t>(4 << 10, 10'000, 64 << 10, 1 << 20);
  job.threads = test::any_number<int>(1, 3);
  job.max_open = *rc::gen::element<std::int64_t>(0, 1, 2);
  job.files_exist = *rc::gen::weightedElement<bool>({{3, true}, {1, false}});
  job.file_bytes = *rc::gen::element<std::int64_t>(20, 300, 3000, 20'000);
  return job;
}

// Ranks need not have the same.
MoverLimits limits_of(const Job& job, int rank) {
  return {job.memory_bytes + 500 * (rank % 3), 1 + (job.threads + rank) % 3};
}

// The stores see to it that this rank writes only what someone holds, and nothing twice in a call.
MoverFiles files_of(const SharedFolder& folder, const Job& job, Ledger& ledger) {
  const OpenMode mode = job.files_exist ? OpenMode::write : OpenMode::write_or_create;
  MoverFiles all = test::files_in(folder, files, mode, job.policy.call);
  if (all.open) all.open = checked(all.open, ledger);
  all.max_open = job.max_open;
  return all;
}

bool holds(const SharedFolder& folder, const FileContents& expected) {
  for (int file = 0; file < files; ++file) {
    const std::string path = path_of(folder, file);
    const Bytes found = std::filesystem::exists(path) ? test::bytes_of_file(path) : Bytes{};
    if (found != expected[static_cast<std::size_t>(file)]) return false;
  }
  return true;
}

Access any_access(Communicator& comm, const Job& job, std::uint64_t seed, Operation operation) {
  AccessMaker maker(seed, static_cast<std::size_t>(comm.size()), operation);
  maker.add_regions(files, job.file_bytes);
  return maker.take();
}

// The bytes of the files that may be written: those of all writes so far, for any may be under way. As texts, a
// character a byte, because these are searched fast also without optimization.
class Declared {
 public:
  void add(const Access& access) {
    for (const Access::Rank& rank : access.ranks) {
      for (const Extent& extent : rank.extents()) {
        std::string& bytes = files_[static_cast<std::size_t>(extent.file)];
        test::for_each_byte(extent, [&](std::int64_t at, const std::byte*) {
          if (static_cast<std::size_t>(at) >= bytes.size()) bytes.resize(static_cast<std::size_t>(at) + 1, '-');
          bytes[static_cast<std::size_t>(at)] = '+';
        });
      }
    }
  }
  void tell(Ledger& ledger, const SharedFolder& folder) const {
    for (int file = 0; file < files; ++file) {
      const std::string& bytes = files_[static_cast<std::size_t>(file)];
      std::vector<ByteRange> ranges;
      std::size_t end = 0;
      for (std::size_t at = bytes.find('+'); at < bytes.size(); at = bytes.find('+', end)) {
        end = std::min(bytes.find('-', at), bytes.size());
        ranges.push_back({static_cast<std::int64_t>(at), static_cast<std::int64_t>(end - at)});
      }
      ledger.declare(path_of(folder, file), ranges);
    }
  }

 private:
  std::array<std::string, files> files_;
};

// Writes several times, later over earlier, reading in between: everything with any policy.
void check_movers(Policy::Call call) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  const auto rank = static_cast<std::size_t>(comm.rank());
  EXPECT_TRUE(rc::check([&] {
    const Job job = any_job(call);
    RC_LOG() << job.policy.text() << " memory=" << job.memory_bytes << " threads=" << job.threads
             << " max_open=" << job.max_open << " exist=" << job.files_exist << " bytes=" << job.file_bytes << '\n';
    const auto steps = *rc::gen::container<std::vector<std::uint64_t>>(test::any_number<std::size_t>(1, 4),
                                                                       rc::gen::arbitrary<std::uint64_t>());
    FileContents expected = test::make_files(folder, comm, files, job.files_exist ? job.file_bytes : 0);
    std::deque<Access> written;  // their memory is lent until the end
    Declared declared;
    bool reads_right = true;
    bool within_memory = false;
    Ledger ledger({.overlap = job.policy.async == 0, .unwritten = false});  // others write, too
    const auto error = thrown([&] {
      Mover mover(comm, files_of(folder, job, ledger), job.policy, limits_of(job, comm.rank()));
      for (const std::uint64_t step : steps) {
        AccessMaker choose(step, 1, Operation::write);
        const bool reads = job.files_exist && choose.once_in(3);
        const bool is_closed_form = choose.once_in(2);
        if (reads) {
          Access access = any_access(comm, job, step, Operation::read);
          Snapshot wanted(access.ranks[rank]);
          wanted.read_from(expected, access.ranks[rank]);
          mover.read(AccessPlan::for_reading(access.ranks[rank].extents()),
                     is_closed_form ? closed_form(access, Operation::read) : PlanOfRank());
          reads_right = reads_right && Snapshot(access.ranks[rank]) == wanted;
          continue;
        }
        // Then the same again, further on or back, as a time loop does; or nearly.
        const std::int64_t distance = choose.between(1, 100) * (choose.once_in(2) ? 1 : 64);
        const std::int64_t times = choose.between(1, 3);
        const std::int64_t turns = choose.once_in(2) ? 2 : 1;  // with another one
        for (std::int64_t number = 0; number < times * turns; ++number) {
          const std::int64_t i = number / turns;
          const std::uint64_t seed = step + static_cast<std::uint64_t>(number % turns);
          const Memory memory = choose.once_in(2) ? Memory::lent : Memory::copied;
          Access& access = written.emplace_back(any_access(comm, job, seed, Operation::write));
          if (i > 0) access.move_along(i == 2 && choose.once_in(2) ? 0 : i * distance);
          write_into(expected, access);
          ledger.next_phase();
          declared.add(access);
          declared.tell(ledger, folder);
          mover.write(AccessPlan::for_writing(access.ranks[rank].extents()),
                      is_closed_form ? closed_form(access, Operation::write) : PlanOfRank(), memory);
          if (memory == Memory::copied) {
            for (auto& block : access.ranks[rank].blocks) std::fill(block->begin(), block->end(), std::byte{0xEE});
          }
        }
      }
      mover.close();
      within_memory = mover.counts().buffer_bytes <= limits_of(job, comm.rank()).memory_bytes;
    });
    comm.barrier();
    if (error) RC_LOG() << error->what() << '\n';
    RC_ASSERT(everywhere(comm, [&] { return !error; }));
    RC_ASSERT(everywhere(comm, [&] { return reads_right; }));
    RC_ASSERT(everywhere(comm, [&] { return within_memory; }));
    RC_ASSERT(everywhere(comm, [&] { return holds(folder, expected); }));
    comm.barrier();
  }));
}

// A block of the first file for every rank.
AccessPlan blocks_of(int rank, std::span<std::byte> memory) {
  return AccessPlan::for_writing({contiguous(0, {rank * std::int64_t{8}, 8}, memory.data())});
}

TEST(MoverMpi, APlanOfRankThatIsWrongIsAnErrorOnAllRanks) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  Bytes memory(8);
  for (const char* text : {"direct", "elected", "aggregated"}) {
    const Policy policy = Policy::parse(text);
    Mover mover(comm, test::files_in(folder, files, OpenMode::write_or_create, policy.call), policy, {1 << 20, 1});
    const auto wrong = [&](int rank) { return rank == 0 ? AccessPlan() : blocks_of(rank, memory); };
    const auto error = test::thrown([&] { mover.write(blocks_of(comm.rank(), memory), wrong); });
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->code(), ErrorCode::usage);
    mover.write(blocks_of(comm.rank(), memory), [&](int rank) { return blocks_of(rank, memory); });
    mover.close();
  }
}

TEST(MoverMpi, AnExtentOfNoFileIsAnErrorOnAllRanks) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  Bytes memory(8);
  for (const char* text : {"direct", "elected", "collective"}) {
    const Policy policy = Policy::parse(text);
    Mover mover(comm, test::files_in(folder, files, OpenMode::write_or_create, policy.call), policy, {1 << 20, 1});
    const auto error = test::thrown([&] {
      mover.write(AccessPlan::for_writing({contiguous(files, {comm.rank() * std::int64_t{8}, 8}, memory.data())}));
    });
    ASSERT_TRUE(error) << text;
    EXPECT_EQ(error->code(), ErrorCode::usage);
  }
}

TEST(MoverMpi, FilesThatAreOpenedTogetherAreCreatedOnce) {
  Communicator& comm = world();
  const SharedFolder folder(comm);
  Bytes memory(8);
  const Policy policy = Policy::parse("collective");
  Mover mover(comm, test::files_in(folder, files, OpenMode::create, policy.call), policy, {1 << 20, 1});
  // By all, then, opened anew, by the last rank alone.
  for (const bool all : {true, false}) {
    const bool mine = all || comm.rank() == comm.size() - 1;
    mover.write(mine ? blocks_of(comm.rank(), memory) : AccessPlan());
    mover.close();
  }
}

TEST(MoverMpi, BytesDoNotDependOnWhoMovesThem) { check_movers(Policy::Call::posix); }
TEST(MoverMpi, BytesAreTheSameThroughMpiIo) { check_movers(Policy::Call::mpiio); }
TEST(MoverMpi, BytesAreTheSameThroughCollectiveMpiIo) { check_movers(Policy::Call::mpiio_collective); }

}  // namespace
}  // namespace sill
