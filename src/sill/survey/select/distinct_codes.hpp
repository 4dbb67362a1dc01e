// Counts the distinct codes of the traces, key by key, in bounded memory.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "sill/comm/communicator.hpp"

namespace sill {

/// The distinct values of one key among the traces of all ranks. A pass counts the codes from a lowest code upwards, as
/// many as the memory holds; higher codes are left to further passes over the traces. Adjacent codes are stored as
/// runs.
class DistinctCodes {
 public:
  /// Local. Creates a counter of codes, which are multiples of `unit`. The counter stores at most `max_runs` runs of
  /// adjacent codes.
  DistinctCodes(std::uint64_t unit, std::size_t max_runs) : unit_(unit), max_runs_(max_runs) {}

  /// Local. Adds codes, in any order; ignores codes that this pass does not count. Sorts `codes`.
  void add(std::vector<std::uint64_t>& codes);

  /// Collective. Ends a pass over all traces; returns true if another pass is needed.
  [[nodiscard]] bool end_pass(Communicator& comm);

  /// Local. Sets the number of runs stored in the next pass.
  void set_max_runs(std::size_t max_runs) { max_runs_ = max_runs; }

  /// Local. Returns the number of distinct codes counted in all passes.
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
