// What moving costs: requests, opens, messages, copies and buffers, against formulas for the patterns that programs
// have.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "comm/counting_communicator.hpp"
#include "comm/world.hpp"
#include "move/mover_files.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "sill/plan/subarray.hpp"
#include "sill/store/meter_store.hpp"
#include "store/idle_store.hpp"
#include "store/shared_folder.hpp"
#include "support/memory.hpp"
#include "support/sizes.hpp"

namespace sill {
namespace {

using test::CountingCommunicator;
using test::kib;
using test::SharedFolder;
using test::world;

// Of all ranks together, for one collective write.
struct Cost {
  std::int64_t requests = 0;
  std::int64_t opens = 0;
  std::int64_t messages = 0;
  std::int64_t message_bytes = 0;
  std::int64_t copied_bytes = 0;
  std::int64_t summaries = 0;  // in which ranks told each other of their extents

  friend bool operator==(const Cost&, const Cost&) = default;
  friend void PrintTo(const Cost& cost, std::ostream* out) {
    *out << cost.requests << " requests, " << cost.opens << " opens, " << cost.messages << " messages of "
         << cost.message_bytes << " bytes, " << cost.copied_bytes << " bytes copied, " << cost.summaries
         << " summaries";
  }
};

// What a rank brings to phase number `phase`; its memory is anything.
using Pattern = std::function<std::vector<Extent>(int rank, std::int64_t phase)>;

// A mover whose every cost is counted.
class Trial {
 public:
  Trial(const SharedFolder& folder, int files, const std::string& policy, int threads = 1)
      : comm_(world()),
        policy_(Policy::parse(policy)),
        threads_(threads),
        mover_(comm_, files_of(folder, files), policy_, {64 << 20, threads}) {}

  Cost write(const Pattern& pattern, std::int64_t phase, bool is_closed_form) {
    const std::vector<std::int64_t> before = now();
    const PlanOfRank plan_of_rank = [&](int rank) { return AccessPlan::for_writing(pattern(rank, phase)); };
    mover_.write(plan_of_rank(comm_.rank()), is_closed_form ? plan_of_rank : PlanOfRank());
    mover_.wait();
    std::vector<std::int64_t> cost = now();
    for (std::size_t i = 0; i < cost.size(); ++i) cost[i] -= before[i];
    world().all_reduce(cost, Reduction::sum);
    expect_bounded_buffers();
    EXPECT_TRUE(comm_.one_a_peer);
    return {cost[0], cost[1], cost[2], cost[3], cost[4], cost[5] / world().size()};
  }

  Mover& mover() { return mover_; }

 private:
  MoverFiles files_of(const SharedFolder& folder, int files) {
    if (comm_.rank() == 0) {
      // Emptied, for other trials may have them open, and a file that is removed is an error to who writes it.
      for (int file = 0; file < files; ++file) {
        const std::string path = test::path_of(folder, file);
        if (std::filesystem::exists(path)) std::filesystem::resize_file(path, 0);
      }
    }
    comm_.barrier();
    MoverFiles all = test::files_in(folder, files, OpenMode::write_or_create, policy_.call);
    all.open = metered(all.open, meter_);
    if (all.open_together) {
      // MPI-IO wants the communicator of MPI, not the one that counts.
      all.open_together = [this, open = all.open_together](Communicator& /*comm*/, std::span<const int> ranks,
                                                           const std::string& path, OpenMode mode) {
        return metered(open(world(), ranks, path, mode), meter_);
      };
    }
    all.most_open = 2000;
    return all;
  }

  // A stage a thread and one that is filled, where ranks exchange also the room for messages; nothing where bytes go
  // straight from the memory of who holds them. What ranks do not write together may take either way.
  void expect_bounded_buffers() {
    const bool exchanges = policy_.writers != Policy::Writers::all;
    const bool stages = exchanges || policy_.stage_bytes > 0;
    if (policy_.call == Policy::Call::mpiio_collective) {
      EXPECT_LE(mover_.counts().buffer_bytes, (threads_ + 1) * mover_.stage_bytes());
      return;
    }
    EXPECT_LE(mover_.counts().buffer_bytes, stages ? (threads_ + (exchanges ? 2 : 1)) * mover_.stage_bytes() : 0);
    if (stages && meter_.write_requests > 0) {
      EXPECT_GT(mover_.counts().buffer_bytes, 0);
    }
  }

  std::vector<std::int64_t> now() {
    const MoveCounts counts = mover_.counts();
    return {meter_.write_requests, meter_.opens,        counts.messages,
            counts.message_bytes,  counts.copied_bytes, comm_.gathers + comm_.all_to_alls};
  }

  CountingCommunicator comm_;
  Meter meter_;
  Policy policy_;
  int threads_;
  Mover mover_;
};

std::byte* memory_of(std::int64_t bytes) {
  static std::vector<std::byte> memory;
  if (std::cmp_less(memory.size(), bytes)) memory.resize(static_cast<std::size_t>(bytes));
  return memory.data();
}

// `files` of `bytes` each, laid end to end in stages of `stage`: a request for each file, and one more wherever a stage
// ends within one.
std::int64_t requests_for(std::int64_t files, std::int64_t bytes, std::int64_t stage) {
  std::int64_t requests = files;
  for (std::int64_t at = stage; at < files * bytes; at += stage) requests += at % bytes == 0 ? 0 : 1;
  return requests;
}

std::int64_t stages_for(std::int64_t bytes, std::int64_t stage) { return (bytes + stage - 1) / stage; }

// Stations: files that grow by 16 records a phase. The ranks hold parts of every record, each of `part_bytes`.
struct Stations {
  static constexpr std::int64_t files = 650;
  static constexpr std::int64_t records = 16;
  std::int64_t part_bytes;

  [[nodiscard]] std::int64_t record_bytes() const { return part_bytes * world().size(); }
  [[nodiscard]] std::int64_t file_bytes() const { return records * record_bytes(); }  // a phase
  // Of `of_writer` files, filled end to end by rank `writer` in stages of `stage`: bytes of others that are sent from
  // where they lie, since they are all of one file that a stage has.
  [[nodiscard]] std::int64_t sent_as_they_lie(std::int64_t of_writer, std::int64_t stage, std::int64_t writer) const {
    std::int64_t bytes = 0;
    for (std::int64_t at = 0; at < of_writer * file_bytes(); at += stage) {
      const std::int64_t end = std::min(at + stage, of_writer * file_bytes());
      if (at / file_bytes() != (end - 1) / file_bytes()) continue;
      for (std::int64_t part = at / part_bytes; part < end / part_bytes; ++part) {
        if (part % world().size() != writer) bytes += part_bytes;
      }
    }
    return bytes;
  }
  [[nodiscard]] Pattern pattern() const {
    return [*this](int rank, std::int64_t phase) {
      std::vector<Extent> extents;
      for (int file = 0; file < files; ++file) {
        extents.push_back({.file = file,
                           .offset_bytes = phase * file_bytes() + part_bytes * rank,
                           .run_bytes = part_bytes,
                           .steps = {{records, record_bytes(), part_bytes}},
                           .memory = memory_of(1 << 20) + file * records * part_bytes});
      }
      return extents;
    };
  }
};

TEST(MoverCountsMpi, StationsOfManyOwners) {
  const SharedFolder folder(world(), test::in_memory());
  const std::int64_t ranks = world().size();
  for (const std::int64_t part_bytes : {4, 8}) {
    const Stations stations{part_bytes};
    const std::int64_t bytes = stations.file_bytes();
    const std::int64_t total = Stations::files * bytes;
    const std::int64_t others = total / ranks * (ranks - 1);  // bytes that are not the writer's own
    for (const bool closed : {false, true}) {
      for (const std::int64_t phase : {0, 1}) {
        SCOPED_TRACE(std::to_string(part_bytes) + " bytes, phase " + std::to_string(phase));
        // Ranks tell each other three times: how many shares they have, the shares, and how many extents go to each
        // writer. A closed form needs none of that, nor does the same write further on in the files.
        const std::int64_t told = closed || phase > 0 ? 0 : 3;
        const auto expect = [&](const std::string& policy, Cost cost) {
          static std::map<std::string, std::unique_ptr<Trial>> trials;
          SCOPED_TRACE(policy);
          if (phase == 0) trials[policy] = std::make_unique<Trial>(folder, Stations::files, policy);
          EXPECT_EQ(trials[policy]->write(stations.pattern(), phase, closed), cost);
          if (phase == 1) trials.erase(policy);
        };
        const auto opens = [&](std::int64_t in_first) { return phase == 0 ? in_first : 0; };
        // Every rank every part of every record; but a rank alone, whose records are whole, a file at once.
        const std::int64_t runs = ranks == 1 ? Stations::files : Stations::files * Stations::records * ranks;
        // Ranks that write their own ask where the extents interleave, which they do: the hulls of parts overlap.
        const std::int64_t to_check = ranks == 1 ? std::min<std::int64_t>(told, 2) : told;
        expect("direct", {runs, opens(Stations::files * ranks), 0, 0, 0, to_check});
        // One writer for all: a file and a cut a request, a message of each other rank a stage. Bytes of others are
        // copied to the message and from there to the stage.
        const std::int64_t stage = 256 * kib;
        expect("staged", {requests_for(Stations::files, bytes, stage), opens(Stations::files),
                          (ranks - 1) * stages_for(total, stage), others, total + others, told});
        expect("gathered", {requests_for(Stations::files, bytes, stage), opens(Stations::files),
                            (ranks - 1) * stages_for(total, stage), others, total + others, told});
        expect("staged,stage=1000", {requests_for(Stations::files, bytes, 1000), opens(Stations::files),
                                     (ranks - 1) * stages_for(total, 1000), others,
                                     total + others - stations.sent_as_they_lie(Stations::files, 1000, 0), told});
        // One node: one writer. Its stage is so large that a place of whole stripes for every file fits.
        expect("aggregated,align=4K",
               {Stations::files, opens(Stations::files), ranks - 1, others, total + others, told});
        // Every rank elected for its part of the files.
        std::int64_t requests = 0;
        std::int64_t messages = 0;
        std::int64_t not_packed = 0;
        for (std::int64_t r = 0; r < ranks; ++r) {
          const std::int64_t elected = Stations::files / ranks + (r < Stations::files % ranks ? 1 : 0);
          requests += requests_for(elected, bytes, 4 * kib);
          messages += (ranks - 1) * stages_for(elected * bytes, 4 * kib);
          not_packed += stations.sent_as_they_lie(elected, 4 * kib, r);
        }
        expect("elected,stage=4K",
               {requests, opens(Stations::files), messages, others, total + others - not_packed, told});
        expect("elected", {Stations::files, opens(Stations::files), ranks * (ranks - 1), others, total + others, told});
      }
    }
  }
}

// Three planes of a field, interleaved into one of vectors: 4 bytes in turn, each rank for a part of the cells.
TEST(MoverCountsMpi, InterleavedComponents) {
  const SharedFolder folder(world(), test::in_memory());
  const std::int64_t ranks = world().size();
  constexpr std::int64_t cells = 10'000;  // of each rank
  constexpr std::int64_t each = 12 * cells;
  const Pattern pattern = [&](int rank, std::int64_t /*phase*/) {
    std::vector<Extent> extents;
    for (std::int64_t component = 0; component < 3; ++component) {
      extents.push_back({.offset_bytes = 12 * cells * rank + 4 * component,
                         .run_bytes = 4,
                         .steps = {{cells, 12, 4}},
                         .memory = memory_of(1 << 20) + 4 * cells * component});
    }
    return extents;
  };
  // The parts of ranks lie apart, so nothing is asked for but the shares.
  EXPECT_EQ(Trial(folder, 1, "direct").write(pattern, 0, false), (Cost{3 * cells * ranks, ranks, 0, 0, 0, 2}));
  EXPECT_EQ(Trial(folder, 1, "independent").write(pattern, 0, false), (Cost{ranks, ranks, 0, 0, 0, 2}));
  // Of a rank alone in a stage, as there is nobody to call MPI-IO with.
  const std::int64_t staged_alone = ranks == 1 ? each : 0;
  EXPECT_EQ(Trial(folder, 1, "collective").write(pattern, 0, false), (Cost{ranks, ranks, 0, 0, staged_alone, 2}));
  EXPECT_EQ(Trial(folder, 1, "direct,stage=64K").write(pattern, 0, false),
            (Cost{ranks * stages_for(each, 64 * kib), ranks, 0, 0, ranks * each, 2}));
  // Parts of a file domain each, cut where a rank's stage ends: with one domain, rank 0 fills stages for all.
  const std::int64_t stage = 64 * kib;
  std::int64_t messages = 0;  // to rank 0, of every stage that a rank has bytes in
  for (std::int64_t r = 1; r < ranks; ++r) messages += stages_for((r + 1) * each, stage) - r * each / stage;
  EXPECT_EQ(Trial(folder, 1, "writers=1,stage=64K").write(pattern, 0, true),
            (Cost{stages_for(ranks * each, stage), 1, messages, (ranks - 1) * each, (2 * ranks - 1) * each, 0}));
  // One stage for all: each of the others sends its part once, and it lies in the file as in the message.
  EXPECT_EQ(Trial(folder, 1, "aggregated,align=4K").write(pattern, 0, true),
            (Cost{1, 1, ranks - 1, (ranks - 1) * each, (2 * ranks - 1) * each, 0}));
  // As many domains as ranks: every rank writes what it holds, without a message.
  EXPECT_EQ(Trial(folder, 1, "stage=64K,writers=" + std::to_string(ranks)).write(pattern, 0, true),
            (Cost{ranks * stages_for(each, stage), ranks, 0, 0, ranks * each, 0}));
}

// A volume over a grid of processes, several time steps a phase, one after another in the file: 75 x 40 x 10 in
// miniature.
TEST(MoverCountsMpi, VolumesOfSeveralTimeSteps) {
  const SharedFolder folder(world(), test::in_memory());
  const std::int64_t ranks = world().size();
  constexpr std::int64_t steps = 6;
  const Index shape{10, 8, 15};  // of doubles
  const std::int64_t volume = 8 * whole(shape).items();
  const std::int64_t across = ranks % 2 == 0 ? 2 : 1;  // of the fastest dimension
  const GridDecomposition grid = GridDecomposition::blocks(shape, {1, ranks / across, across});
  const Pattern pattern = [&](int rank, std::int64_t phase) {
    const Box box = grid.box_of(rank);
    const FileArray array = row_major(0, phase * steps * volume, shape, 8);
    Extent extent = subarray(array, box, memory_of(1 << 20), row_major_strides(box.count, 8));
    extent.steps.push_front({steps, volume, 8 * box.items()});
    return std::vector<Extent>{extent};
  };
  // Rows that are whole follow each other: a request a plane and step; all of them for a rank alone.
  const std::int64_t runs_a_plane = across > 1 ? across * shape[1] : ranks;
  const std::int64_t runs = ranks == 1 ? 1 : runs_a_plane * steps * shape[0];
  EXPECT_EQ(Trial(folder, 1, "direct").write(pattern, 0, true), (Cost{runs, ranks, 0, 0, 0, 0}));
  for (const char* const policy : {"independent", "collective"}) {
    EXPECT_EQ(Trial(folder, 1, policy).write(pattern, 0, true), (Cost{ranks, ranks, 0, 0, 0, 0})) << policy;
  }
  // One stage has it all, and what a rank sends lies in its memory as in the message.
  const std::int64_t of_others = steps * (volume - 8 * grid.box_of(0).items());
  for (const char* const policy : {"gathered", "elected", "aggregated,align=4K"}) {
    EXPECT_EQ(Trial(folder, 1, policy).write(pattern, 0, true), (Cost{1, 1, ranks - 1, of_others, steps * volume, 0}))
        << policy;
  }
  // Together they fill the file: a request a stage and domain, whoever holds what.
  for (const int writers : {1, 2, 3}) {
    SCOPED_TRACE(writers);
    constexpr std::int64_t stage = 8 * kib;
    const std::string policy = "stage=8K,align=1K,writers=" + std::to_string(writers);
    Trial trial(folder, 1, policy);
    for (const std::int64_t phase : {0, 1, 2}) {
      const Cost cost = trial.write(pattern, phase, true);
      // Domains of whole units of the alignment, but for the ends; each writer has those of it end to end.
      const std::int64_t first = phase * steps * volume;
      const std::int64_t end = first + steps * volume;
      const std::int64_t units = (end + kib - 1) / kib - first / kib;
      const std::int64_t units_each = (units + writers - 1) / writers;
      std::map<std::int64_t, std::vector<ByteRange>> of_writer;
      for (std::int64_t at = first, number = 0; at < end; ++number) {
        const std::int64_t to = std::min(end, (at / kib + units_each) * kib);
        of_writer[number % std::min<std::int64_t>(writers, ranks)].push_back({at, to - at});
        at = to;
      }
      std::int64_t requests = 0;
      for (const auto& [writer, domains] : of_writer) {
        std::int64_t place = 0;  // where a domain begins among those of the writer, aligned as in the file
        for (const ByteRange domain : domains) {
          place += ((domain.offset - place) % kib + kib) % kib;
          requests += (place + domain.length + stage - 1) / stage - place / stage;
          place += domain.length;
        }
      }
      EXPECT_EQ(cost.requests, requests) << "phase " << phase;
      EXPECT_EQ(cost.opens, phase == 0 ? std::ssize(of_writer) : 0);
      EXPECT_LE(cost.messages, ranks * requests);
      // What a rank writes itself is copied once; what it sends not more than twice, not at all where both ends are
      // contiguous.
      const std::int64_t own = steps * volume - cost.message_bytes;
      EXPECT_GE(own, 0);
      EXPECT_GE(cost.copied_bytes, own);
      EXPECT_LE(cost.copied_bytes, own + 2 * cost.message_bytes);
      EXPECT_EQ(cost.summaries, 0);
    }
  }
}

// Small files, each of one rank.
struct SmallFiles {
  static constexpr std::int64_t bytes = 100;
  int files;

  [[nodiscard]] Pattern pattern() const {
    return [*this](int rank, std::int64_t /*phase*/) {
      std::vector<Extent> extents;
      for (int file = rank; file < files; file += world().size()) {
        extents.push_back(contiguous(file, {0, bytes}, memory_of(1 << 20) + file * bytes));
      }
      return extents;
    };
  }
};

// Nobody sends anything where the owner of a file may write it.
TEST(MoverCountsMpi, SmallFilesOfOneOwner) {
  const SharedFolder folder(world(), test::in_memory());
  const int ranks = world().size();
  constexpr int files = 1024;
  constexpr std::int64_t bytes = SmallFiles::bytes;
  const Pattern pattern = SmallFiles{files}.pattern();
  constexpr std::int64_t total = files * bytes;
  const std::int64_t of_root = (files + ranks - 1) / ranks * bytes;
  for (const char* const policy : {"direct", "staged", "elected"}) {
    SCOPED_TRACE(policy);
    const std::int64_t copied = std::string(policy) == "direct" ? 0 : total;
    // Staged, files fill a stage one after another and may be cut; here they are far fewer bytes than one.
    EXPECT_EQ(Trial(folder, files, policy).write(pattern, 0, true), (Cost{files, files, 0, 0, copied, 0}));
  }
  // All by rank 0: a message a rank and stage.
  const std::int64_t stage = 10'000;
  EXPECT_EQ(Trial(folder, files, "gathered,stage=10000").write(pattern, 0, true),
            (Cost{requests_for(files, bytes, stage), files, (ranks - 1) * stages_for(total, stage), total - of_root,
                  total + (total - of_root), 0}));
  EXPECT_EQ(Trial(folder, files, "aggregated,align=4K").write(pattern, 0, true),
            (Cost{files, files, ranks - 1, total - of_root, total + (total - of_root), 0}));
}

// Records and headers of stations, say: each is like the write before the last.
TEST(MoverCountsMpi, TwoWritesThatTakeTurnsAreFoundOutOnce) {
  const SharedFolder folder(world(), test::in_memory());
  constexpr int files = 3;
  const auto parts_of = [](std::int64_t bytes, std::int64_t phase_bytes) {
    return [=](int rank, std::int64_t phase) {
      std::vector<Extent> extents;
      for (int file = 0; file < files; ++file) {
        const std::int64_t at = phase * phase_bytes + bytes * rank;
        extents.push_back(contiguous(file, {at, bytes}, memory_of(bytes)));
      }
      return extents;
    };
  };
  const Pattern headers = parts_of(6, 0);
  const Pattern records = parts_of(8, 64);
  const Pattern others = parts_of(4, 64);
  for (const char* const policy : {"direct", "staged", "elected", "aggregated"}) {
    SCOPED_TRACE(policy);
    Trial trial(folder, files, policy);
    EXPECT_GT(trial.write(records, 0, false).summaries, 0);
    EXPECT_GT(trial.write(headers, 0, false).summaries, 0);
    for (const std::int64_t phase : {1, 2, 3}) {
      EXPECT_EQ(trial.write(records, phase, false).summaries, 0);
      EXPECT_EQ(trial.write(headers, phase, false).summaries, 0);
    }
    // A third is one more than are remembered: it takes the place of the records, which were longer ago.
    EXPECT_GT(trial.write(others, 0, false).summaries, 0);
    EXPECT_EQ(trial.write(headers, 4, false).summaries, 0);
    EXPECT_GT(trial.write(records, 4, false).summaries, 0);
  }
}

// MPI-IO gets a call a rank and file, whatever it makes of it, and a file is opened once by each that holds some of it;
// what one rank holds alone is as many requests without it.
TEST(MoverCountsMpi, MpiIoGetsACallAFileAndOwner) {
  const SharedFolder folder(world(), test::in_memory());
  const std::int64_t ranks = world().size();
  const std::int64_t told = ranks == 1 ? 2 : 3;
  for (const char* const policy : {"independent", "collective"}) {
    SCOPED_TRACE(policy);
    const std::int64_t calls = Stations::files * ranks;
    Trial stations(folder, Stations::files, policy);
    EXPECT_EQ(stations.write(Stations{4}.pattern(), 0, false), (Cost{calls, calls, 0, 0, 0, told}));
    EXPECT_EQ(stations.write(Stations{4}.pattern(), 1, false), (Cost{calls, 0, 0, 0, 0, 0}));
    stations.mover().close();
    constexpr int files = 256;
    EXPECT_EQ(Trial(folder, files, policy).write(SmallFiles{files}.pattern(), 0, true),
              (Cost{files, files, 0, 0, 0, 0}));
  }
}

// Files as stations have them: of one rank most, of all some; in every phase records, then a header by the first that
// holds the file.
TEST(MoverCountsMpi, FilesThatAreWrittenTogetherStayOpen) {
  const SharedFolder folder(world(), test::in_memory());
  const int ranks = world().size();
  constexpr int files = 650;
  const auto is_of_all = [&](int file) { return file % 10 == 9; };
  const auto first_owner = [&](int file) { return is_of_all(file) ? 0 : file % ranks; };
  constexpr std::int64_t part = 40;
  const std::int64_t record = part * ranks;
  const Pattern records = [&](int rank, std::int64_t phase) {
    std::vector<Extent> extents;
    for (int file = 0; file < files; ++file) {
      const std::int64_t begin = 100 + phase * 2 * record;
      const Extent of_all{.file = file,
                          .offset_bytes = begin + part * rank,
                          .run_bytes = part,
                          .steps = {{2, record, part}},
                          .memory = memory_of(1 << 20)};
      if (is_of_all(file)) {
        extents.push_back(of_all);
      } else if (first_owner(file) == rank) {
        extents.push_back(contiguous(file, {begin, 2 * record}, memory_of(1 << 20)));
      }
    }
    return extents;
  };
  const Pattern headers = [&](int rank, std::int64_t /*phase*/) {
    std::vector<Extent> extents;
    for (int file = 0; file < files; ++file) {
      if (first_owner(file) == rank) extents.push_back(contiguous(file, {0, 100}, memory_of(1 << 20)));
    }
    return extents;
  };
  constexpr int of_all = files / 10;
  const std::int64_t calls = files + std::int64_t{of_all} * (ranks - 1);
  // Each owner once, and he who writes the header of a file of all once for himself.
  const std::int64_t alone_too = ranks > 1 ? of_all : 0;
  Trial trial(folder, files, "collective");
  for (const std::int64_t phase : {0, 1, 2}) {
    SCOPED_TRACE(phase);
    const Cost of_records = trial.write(records, phase, true);
    EXPECT_EQ(of_records.requests, calls);
    EXPECT_EQ(of_records.opens, phase == 0 ? calls : 0);
    EXPECT_EQ(trial.write(headers, phase, true), (Cost{files, phase == 0 ? alone_too : 0, 0, 0, 0, 0}));
  }
}

// Stages and messages may be far longer than what a phase moves. A time loop has new ones in every phase, and to touch
// memory for the first time takes longer than to write to a file from it.
TEST(MoverCountsMpi, RoomThatIsNotUsedIsNotTouched) {
  const SharedFolder folder(world(), test::in_memory());
  std::vector<std::byte> memory(100 * kib);
  const std::int64_t length = std::ssize(memory);
  const auto resident_bytes = [] {
    std::ifstream statm("/proc/self/statm");
    std::int64_t pages = 0;
    statm >> pages >> pages;
    return pages * ::sysconf(_SC_PAGESIZE);
  };
  for (const char* const text : {"aggregated,stage=1G", "elected,stage=1G", "staged,stage=1G", "writers=2,stage=1G"}) {
    SCOPED_TRACE(text);
    MoverFiles all = test::files_in(folder, 1, OpenMode::write_or_create, Policy::Call::posix);
    Mover mover(world(), all, Policy::parse(text), {512 << 20, 1});
    const std::int64_t before = resident_bytes();
    mover.write(AccessPlan::for_writing({contiguous(0, {length * world().rank(), length}, memory.data())}));
    EXPECT_GT(before, 0);
    EXPECT_LT(resident_bytes() - before, 64 << 20);
    mover.close();
  }
}

// With phases in flight, buffers are as many as the memory has room for, and no more.
TEST(MoverCountsMpi, BuffersStayWithinTheMemory) {
  const SharedFolder folder(world(), test::in_memory());
  const Stations stations{8};
  for (const std::int64_t memory : {4 * kib, 100 * kib, 1024 * kib}) {
    for (const char* const policy : {"staged,async=3,stage=16K", "elected,async=2", "writers=all,stage=1K,async=4"}) {
      SCOPED_TRACE(policy);
      MoverFiles files = test::files_in(folder, Stations::files, OpenMode::write_or_create, Policy::Call::posix);
      Mover mover(world(), files, Policy::parse(policy), {memory, 3});
      for (std::int64_t phase = 0; phase < 3; ++phase) {
        mover.write(AccessPlan::for_writing(stations.pattern()(world().rank(), phase)));
      }
      mover.close();
      EXPECT_LE(mover.counts().buffer_bytes, memory);
      EXPECT_GT(mover.counts().buffer_bytes, 0);
    }
  }
}

// Beside buffers there are lists, kept rounds among them, which do not grow with the bytes that move: a rank has 8 MiB
// of the file, in turn with the others.
TEST(MoverCountsMpi, WhatIsHeldIsLittleMoreThanTheBuffers) {
  const SharedFolder folder(world(), test::in_memory());
  constexpr std::int64_t run = 4 * kib;
  constexpr std::int64_t runs = 2048;
  const std::int64_t ranks = world().size();
  const std::vector<Extent> mine{{.offset_bytes = run * world().rank(),
                                  .run_bytes = run,
                                  .steps = {{runs, run * ranks, run}},
                                  .memory = memory_of(run * runs)}};
  for (const char* const text : {"direct", "writers=all,stage=64K", "staged", "elected", "aggregated", "writers=2",
                                 "staged,async=2"}) {  // MPI-IO takes what it likes
    SCOPED_TRACE(text);
    constexpr std::int64_t memory = 512 * kib;
    const Policy policy = Policy::parse(text);
    const test::HeldMemory held;
    Mover mover(world(), test::files_in(folder, 1, OpenMode::write_or_create, policy.call), policy, {memory, 1});
    mover.write(AccessPlan::for_writing(mine));
    mover.read(AccessPlan::for_reading(mine));
    mover.close();
    EXPECT_LE(mover.counts().buffer_bytes, memory);
    EXPECT_LT(held.most_bytes(), 2 * memory);
  }
}

// Every second word: as many requests as runs. What is kept of a write does not grow with them.
TEST(MoverCountsMpi, NothingIsKeptOfAWriteWithManyRequests) {
  if (world().size() > 1) GTEST_SKIP() << "a rank's own business";
  const SharedFolder folder(world(), test::in_memory());
  constexpr std::int64_t runs = 1 << 20;
  std::vector<std::byte> memory(4 * runs);
  const Extent extent{.run_bytes = 4, .steps = {{runs, 8, 4}}, .memory = memory.data()};
  for (const char* text : {"staged", "writers=all,stage=64K"}) {
    SCOPED_TRACE(text);
    const Policy policy = Policy::parse(text);
    MoverFiles all = test::files_in(folder, 1, OpenMode::write_or_create, Policy::Call::posix);
    all.open = [](const std::string& path, OpenMode) { return std::make_unique<test::IdleStore>(path); };
    Mover mover(world(), all, policy, {1 << 20, 1});
    const test::HeldMemory held;
    mover.write(AccessPlan::for_writing({extent}));
    EXPECT_LT(held.bytes(), 2 << 20);
    mover.close();
  }
}

}  // namespace
}  // namespace sill
