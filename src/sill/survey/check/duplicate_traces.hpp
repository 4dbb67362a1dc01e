// Finds traces that repeat other traces, by hashes of their bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/comm/key_sort.hpp"

namespace sill {

/// A trace that repeats another one.
struct TracePair {
  std::int64_t first = 0;   ///< from 0, the first trace with that content
  std::int64_t repeat = 0;  ///< from 0, a later trace

  friend bool operator==(const TracePair&, const TracePair&) = default;
};

struct DuplicateTraces {
  std::int64_t repeats = 0;      ///< traces that repeat an earlier one
  std::vector<TracePair> first;  ///< the first repeats, ascending by `repeat`
};

/// Collective. Returns the traces that repeat earlier traces. `records` contains one record per trace of this rank, in
/// order; the trace numbers ascend with the ranks. Reports at most `max_listed` pairs. Uses the memory of the records,
/// twice with several ranks. The result is the same on all ranks.
[[nodiscard]] DuplicateTraces find_duplicates(Communicator& comm, std::vector<KeyRecord<2>> records,
                                              std::size_t max_listed);

}  // namespace sill
