// Patterns of writes that programs have, and what moving them costs, counted.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <ostream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "comm/counting_communicator.hpp"
#include "move/mover_files.hpp"
#include "sill/move/mover.hpp"
#include "sill/store/meter_store.hpp"
#include "store/shared_folder.hpp"
#include "support/world.hpp"

namespace sill::test {

/// What moving costs all ranks together, in one collective write.
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

/// What a rank brings to phase number `phase`; its memory is anything.
using Pattern = std::function<std::vector<Extent>(int rank, std::int64_t phase)>;

/// A mover whose every cost is counted.
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
  /// Local. Collectives so far, of any kind.
  [[nodiscard]] std::int64_t collectives() const {
    return comm_.reductions + comm_.broadcasts + comm_.gathers + comm_.all_to_alls;
  }

 private:
  MoverFiles files_of(const SharedFolder& folder, int files) {
    if (comm_.rank() == 0) {
      // Emptied, because other trials may have them open, and a file that is removed is an error to who writes it.
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
    all.max_open = 2000;
    return all;
  }

  // A stage a thread and one that is filled, where ranks exchange also the room for messages; nothing where bytes go
  // straight from the memory of who holds them. What ranks do not write together may take either way.
  void expect_bounded_buffers() {
    const bool has_writers = policy_.writers != Policy::Writers::all;
    const bool exchanges = has_writers && world().size() > 1;
    const bool stages = has_writers || policy_.stage_bytes > 0;
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

/// Local. Memory of so many bytes at least, the same for all who ask.
[[nodiscard]] inline std::byte* memory_of(std::int64_t bytes) {
  static std::vector<std::byte> memory;
  if (std::cmp_less(memory.size(), bytes)) memory.resize(static_cast<std::size_t>(bytes));
  return memory.data();
}

/// Local. `files` of `bytes` each, laid end to end in stages of `stage`: a request for each file, and one more wherever
/// a stage ends within one.
[[nodiscard]] inline std::int64_t requests_for(std::int64_t files, std::int64_t bytes, std::int64_t stage) {
  std::int64_t requests = files;
  for (std::int64_t at = stage; at < files * bytes; at += stage) requests += at % bytes == 0 ? 0 : 1;
  return requests;
}

/// Local. Stages of `stage` bytes that it takes for `bytes`.
[[nodiscard]] inline std::int64_t stages_for(std::int64_t bytes, std::int64_t stage) {
  return (bytes + stage - 1) / stage;
}

/// Stations: files that grow by 16 records per phase. The ranks hold parts of every record, each of `part_bytes`.
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

/// Small files, each of one rank.
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

}  // namespace sill::test
