// Finding traces that repeat others, by numbers that stand for their bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/comm/key_sort.hpp"

namespace sill {

/// A trace that repeats another one.
struct TracePair {
  std::int64_t first = 0;   ///< from 0, the first trace of that content
  std::int64_t repeat = 0;  ///< from 0, a later one

  friend bool operator==(const TracePair&, const TracePair&) = default;
};

struct DuplicateTraces {
  std::int64_t repeats = 0;      ///< traces that repeat an earlier one
  std::vector<TracePair> first;  ///< the first of them, ascending
};

/// Collective. The records, one a trace, are those of this rank's traces, in order; ranks ascend. At most `max_listed`
/// pairs are reported. Takes the memory of the records, twice with several ranks. The same on all ranks.
[[nodiscard]] DuplicateTraces find_duplicates(Communicator& comm, std::vector<KeyRecord<2>> records,
                                              std::size_t max_listed);

}  // namespace sill
