// Sorted runs, which permute items that exceed the memory with long reads and writes.
//
// The input is read once in order, in pieces that a thread can hold. Each piece is written to a file of runs, with its
// items in their final order. Any stretch of the output then needs one contiguous stretch of every run, so a pull from
// the file of runs also reads long pieces (external merge sort, Knuth vol. 3, 5.4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/layout/range.hpp"
#include "sill/permute/permutation.hpp"

namespace sill {

/// Division of items into runs: each of `parts` ranks takes a block of the items and divides it into runs of
/// `run_items`. In closed form: every rank can compute every run.
class RunLayout {
 public:
  /// Local. Divides the items. Preconditions: items >= 0, parts >= 1, run_items >= 1. Runs have at most 2^31 items,
  /// regardless of `run_items`.
  RunLayout(std::int64_t items, int parts, std::int64_t run_items);

  [[nodiscard]] std::int64_t runs() const { return first_run_.back(); }
  /// Local. Returns the runs that rank `rank` writes; none if `rank` >= `parts`.
  [[nodiscard]] ItemRange runs_of(int rank) const;
  /// Local. Returns the items of rank `rank`.
  [[nodiscard]] ItemRange items_of(int rank) const;
  /// Local. Returns the items of run `run`. In the file of runs, the run is stored at the position of its items in
  /// input order.
  [[nodiscard]] ItemRange items_of_run(std::int64_t run) const;
  /// Local. Returns the run that contains item `item`.
  [[nodiscard]] std::int64_t run_holding(std::int64_t item) const;

 private:
  std::int64_t items_;
  int parts_;
  std::int64_t run_items_;
  std::vector<std::int64_t> first_run_;  // first run of every part, then the number of runs
};

/// Local. Returns the number of items that a run should have: as many as a thread can hold if up to `threads` threads
/// share `memory_bytes`. Two limits apply: every thread of the `parts` ranks gets a run, and runs are not longer than
/// needed for long pieces, since a stretch of the output with as many items as a run reads one piece of every run.
/// Returns 0 if the memory holds no item.
[[nodiscard]] std::int64_t items_per_run(std::int64_t items, std::int64_t item_bytes, int parts,
                                         std::int64_t memory_bytes, int threads);

/// Determines the final order of the items `items`, whose bytes are `bytes`: fills `order` with the index (from 0) of
/// the item that comes first, then of the item that comes second, and so on. Several threads call the function
/// concurrently. May throw.
using RunOrder = std::function<void(ItemRange items, std::span<const std::byte> bytes, std::span<std::uint32_t> order)>;

/// The input of the runs, and the file to which the runs are written.
struct RunJob {
  std::span<const InputItems> inputs;
  AfterReading inputs_after = AfterReading::keep;
  Store* file = nullptr;  ///< its item 0 is at byte 0; may be null for a rank without runs
  RunOrder order;
  int threads = 1;
  Progress* progress = nullptr;  ///< may be null
};

/// Local. Reads the items of this rank's runs, orders each run, and writes it to the file of runs. Holds one run per
/// thread. Errors: io; errors of `order`.
void write_runs(const RunLayout& layout, int rank, const RunJob& job);

/// Collective. Returns the positions of the items `sources` (this rank's share of the final order, see Permutation) in
/// the file of runs. Precondition: the items of every run were written in the final order.
[[nodiscard]] std::vector<std::int64_t> locate_in_runs(Communicator& comm, const RunLayout& layout,
                                                       std::span<const std::int64_t> sources);

}  // namespace sill
