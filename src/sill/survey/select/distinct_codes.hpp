// Counting how many different codes the traces have, key by key, in bounded memory.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sill/comm/communicator.hpp"

namespace sill {

/// The different values of one key among the traces of all ranks. Counts those from a lowest code on, as many as memory
/// holds; what lies above is for a further pass over the traces. Neighbouring codes are held together.
class DistinctCodes {
 public:
  /// Local. Codes are multiples of `unit`. Holds `max_runs` runs of neighbouring codes.
  DistinctCodes(std::uint64_t unit, std::size_t max_runs) : unit_(unit), max_runs_(max_runs) {}

  /// Local. Adds codes, in any order; those that this pass does not count are left out. `codes` is sorted.
  void add(std::vector<std::uint64_t>& codes);

  /// Collective. Ends a pass over all traces; returns whether another is needed.
  [[nodiscard]] bool end_pass(Communicator& comm);

  /// Local. Holds `max_runs` in the next pass.
  void set_max_runs(std::size_t max_runs) { max_runs_ = max_runs; }

  /// How many were counted in all passes.
  [[nodiscard]] std::int64_t count() const { return count_; }

 private:
  struct Run {
    std::uint64_t first = 0;
    std::uint64_t last = 0;
  };

  [[nodiscard]] std::int64_t count_of_pass(Communicator& comm) const;

  std::uint64_t unit_;
  std::size_t max_runs_;
  std::uint64_t from_ = 0;
  std::uint64_t to_ = std::numeric_limits<std::uint64_t>::max();  // the last code that this pass counts
  std::vector<Run> runs_;
  std::vector<Run> merged_;
  std::int64_t count_ = 0;
};

}  // namespace sill
