// What moving costs: requests, opens, messages, copies and buffers, against formulas for the patterns that programs
// have.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "move/counted_moves.hpp"
#include "sill/layout/grid_decomposition.hpp"
#include "sill/plan/subarray.hpp"
#include "store/shared_folder.hpp"
#include "support/sizes.hpp"
#include "support/world.hpp"

namespace sill {
namespace {

using test::Cost;
using test::kib;
using test::memory_of;
using test::Pattern;
using test::requests_for;
using test::SharedFolder;
using test::SmallFiles;
using test::stages_for;
using test::Stations;
using test::Trial;
using test::world;

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
        // writer, or where they interleave. A closed form needs none of that, nor does the same write further on in the
        // files. A rank alone sends nothing to a writer.
        const std::int64_t stated = closed || phase > 0 ? 0 : ranks == 1 ? 2 : 3;
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
        expect("direct", {runs, opens(Stations::files * ranks), 0, 0, 0, stated});
        // One writer for all: a file and a cut a request, a message of each other rank a stage. Bytes of others are
        // copied to the message and from there to the stage.
        const std::int64_t stage = 256 * kib;
        expect("staged", {requests_for(Stations::files, bytes, stage), opens(Stations::files),
                          (ranks - 1) * stages_for(total, stage), others, total + others, stated});
        expect("gathered", {requests_for(Stations::files, bytes, stage), opens(Stations::files),
                            (ranks - 1) * stages_for(total, stage), others, total + others, stated});
        expect("staged,stage=1000", {requests_for(Stations::files, bytes, 1000), opens(Stations::files),
                                     (ranks - 1) * stages_for(total, 1000), others,
                                     total + others - stations.sent_as_they_lie(Stations::files, 1000, 0), stated});
        // One node: one writer. Its stage is so large that a place of whole stripes for every file fits.
        expect("aggregated,align=4K",
               {Stations::files, opens(Stations::files), ranks - 1, others, total + others, stated});
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
               {requests, opens(Stations::files), messages, others, total + others - not_packed, stated});
        expect("elected",
               {Stations::files, opens(Stations::files), ranks * (ranks - 1), others, total + others, stated});
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
  const std::int64_t runs_per_plane = across > 1 ? across * shape[1] : ranks;
  const std::int64_t runs = ranks == 1 ? 1 : runs_per_plane * steps * shape[0];
  EXPECT_EQ(Trial(folder, 1, "direct").write(pattern, 0, true), (Cost{runs, ranks, 0, 0, 0, 0}));
  for (const char* const policy : {"independent", "collective"}) {
    EXPECT_EQ(Trial(folder, 1, policy).write(pattern, 0, true), (Cost{ranks, ranks, 0, 0, 0, 0})) << policy;
  }
  // One stage has it all, and what a rank sends lies in its memory as in the message.
  const std::int64_t of_others = steps * (volume - 8 * grid.box_of(0).items());
  // A rank alone has one long run, which is written from where it is.
  const std::int64_t copied = ranks == 1 ? 0 : steps * volume;
  for (const char* const policy : {"gathered", "elected", "aggregated,align=4K"}) {
    EXPECT_EQ(Trial(folder, 1, policy).write(pattern, 0, true), (Cost{1, 1, ranks - 1, of_others, copied, 0}))
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
      // What a rank writes itself in rows is copied once; what it sends not more than twice, not at all where both ends
      // are contiguous.
      const std::int64_t own = steps * volume - cost.message_bytes;
      EXPECT_GE(own, 0);
      EXPECT_GE(cost.copied_bytes, ranks == 1 ? 0 : own);
      EXPECT_LE(cost.copied_bytes, own + 2 * cost.message_bytes);
      EXPECT_EQ(cost.summaries, 0);
    }
  }
}

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
  // All by rank 0: a message per rank and stage.
  const std::int64_t stage = 10'000;
  EXPECT_EQ(Trial(folder, files, "gathered,stage=10000").write(pattern, 0, true),
            (Cost{requests_for(files, bytes, stage), files, (ranks - 1) * stages_for(total, stage), total - of_root,
                  total + (total - of_root), 0}));
  EXPECT_EQ(Trial(folder, files, "aggregated,align=4K").write(pattern, 0, true),
            (Cost{files, files, ranks - 1, total - of_root, total + (total - of_root), 0}));
}

// Records and headers of stations, say: the plans of a call begin together, and each is compared with the one before it
// in its place. Two agreements come on top, as the records end and as the headers do.
TEST(MoverCountsMpi, ASteadyCallOfTwoPlansCostsThreeCollectives) {
  const SharedFolder folder(world(), test::in_memory());
  constexpr int files = 3;
  const auto plan_of = [](std::int64_t bytes, std::int64_t at) {
    std::vector<Extent> extents;
    for (int file = 0; file < files; ++file) {
      extents.push_back(contiguous(file, {at + bytes * world().rank(), bytes}, memory_of(bytes)));
    }
    return AccessPlan::for_writing(std::move(extents));
  };
  for (const char* const policy : {"direct", "staged", "elected", "aggregated", "elected,async=2"}) {
    SCOPED_TRACE(policy);
    Trial trial(folder, files, policy);
    for (std::int64_t phase = 0; phase < 5; ++phase) {
      const std::array<AccessPlan, 2> plans{plan_of(8, 64 * (phase + 1)), plan_of(6, 0)};
      const std::int64_t before = trial.collectives();
      trial.mover().write(plans, {});
      if (phase > 1) {
        EXPECT_LE(trial.collectives() - before, 3);
      }
    }
    trial.mover().close();
  }
}

// Pieces of other sizes in every call, as compressed ones, then bytes of rank 0 alone.
TEST(MoverCountsMpi, ANewPlanInClosedFormCostsNoMoreCollectivesThanARepeatedOne) {
  const SharedFolder folder(world(), test::in_memory());
  for (const char* const policy : {"direct", "staged", "elected", "aggregated", "gathered,async=2"}) {
    SCOPED_TRACE(policy);
    Trial trial(folder, 1, policy);
    for (std::int64_t phase = 0; phase < 5; ++phase) {
      const std::int64_t bytes = 5000 + 100 * phase;
      const auto piece_of = [&](int rank) {
        return AccessPlan::for_writing(
            {contiguous(0, {100'000 * phase + (bytes + rank) * rank, bytes + rank}, memory_of(bytes + rank))});
      };
      std::array<AccessPlan, 2> plans{piece_of(world().rank())};
      if (world().rank() == 0)
        plans[1] = AccessPlan::for_writing({contiguous(0, {1'000'000, 10 + phase}, memory_of(10 + phase))});
      const std::int64_t before = trial.collectives();
      trial.mover().write(plans, {}, Memory::copied, piece_of);
      if (phase > 1) {
        EXPECT_LE(trial.collectives() - before, 3);
      }
    }
    trial.mover().close();
  }
}

TEST(MoverCountsMpi, AWriteWithoutAgreementCostsOneCollective) {
  const SharedFolder folder(world(), test::in_memory());
  Trial trial(folder, 1, "staged");
  const AccessPlan mine = AccessPlan::for_writing({contiguous(0, {8 * world().rank(), 8}, memory_of(8))});
  for (int phase = 0; phase < 4; ++phase) {
    const std::int64_t before = trial.collectives();
    EXPECT_FALSE(trial.mover().write_unagreed(mine, {}));
    if (phase > 1) {
      EXPECT_EQ(trial.collectives() - before, 1);
    }
  }
  trial.mover().close();
}

// MPI-IO gets a call a rank and file, whatever it makes of it, and a file is opened once by each that holds some of it;
// what one rank holds alone is as many requests without it.
TEST(MoverCountsMpi, MpiIoGetsACallAFileAndOwner) {
  const SharedFolder folder(world(), test::in_memory());
  const std::int64_t ranks = world().size();
  const std::int64_t stated = ranks == 1 ? 2 : 3;
  for (const char* const policy : {"independent", "collective"}) {
    SCOPED_TRACE(policy);
    const std::int64_t calls = Stations::files * ranks;
    Trial stations(folder, Stations::files, policy);
    EXPECT_EQ(stations.write(Stations{4}.pattern(), 0, false), (Cost{calls, calls, 0, 0, 0, stated}));
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

}  // namespace
}  // namespace sill
