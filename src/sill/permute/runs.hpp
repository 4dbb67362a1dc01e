// Sorted runs: they permute items that exceed the memory by long reads and writes.
//
// The input is read once in order, as much at a time as a thread can hold; each such piece is written, in the order its
// items will have in the output, to a file of runs. Any stretch of the output then takes one contiguous stretch of
// every run, so that a gather from the file of runs reads long pieces too (external merge sort, Knuth vol. 3, 5.4).
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

/// How items are divided into runs: each of `parts` ranks takes a block of the items and divides it into runs of
/// `run_items`. Closed form: every rank knows every run.
class RunLayout {
 public:
  /// Preconditions: items >= 0, parts >= 1, run_items >= 1. Runs have 2^31 items at most, whatever `run_items`.
  RunLayout(std::int64_t items, int parts, std::int64_t run_items);

  [[nodiscard]] std::int64_t runs() const { return first_run_.back(); }
  /// The runs that rank `rank` writes; none for ranks from `parts` on.
  [[nodiscard]] ItemRange runs_of(int rank) const;
  /// The items of rank `rank`.
  [[nodiscard]] ItemRange items_of(int rank) const;
  /// The items of run `run`. In the file of runs it lies where its items would lie in input order.
  [[nodiscard]] ItemRange items_of_run(std::int64_t run) const;
  /// The run that item `item` is in.
  [[nodiscard]] std::int64_t run_holding(std::int64_t item) const;

 private:
  std::int64_t items_;
  int parts_;
  std::int64_t run_items_;
  std::vector<std::int64_t> first_run_;  // of every part, then the end
};

/// Local. How many items a run should have: what a thread can hold when `threads` at most share `memory_bytes`, but no
/// more than gives every thread of the `parts` ranks a run, nor than it takes for long pieces: a stretch of the output
/// of that many items takes one of every run. 0 if the memory holds no item.
[[nodiscard]] std::int64_t items_per_run(std::int64_t items, std::int64_t item_bytes, int parts,
                                         std::int64_t memory_bytes, int threads);

/// Given the bytes of items `items`, fills `order`: which of them (index from 0) comes first, second, …. Called by
/// several threads at once. May throw.
using RunOrder = std::function<void(ItemRange items, std::span<const std::byte> bytes, std::span<std::uint32_t> order)>;

/// What runs are made of, and where they go.
struct RunJob {
  std::span<const InputItems> inputs;
  AfterReading inputs_after = AfterReading::keep;
  Store* file = nullptr;  ///< its item 0 is at byte 0; may be null for a rank without runs
  RunOrder order;
  int threads = 1;
  Progress* progress = nullptr;  ///< may be null
};

/// Local. Reads the items of this rank's runs, orders each run, and writes it to the file of runs. Holds one run a
/// thread. Errors: io, and what `order` throws.
void write_runs(const RunLayout& layout, int rank, const RunJob& job);

/// Collective. Where in the file of runs the items `sources` (this rank's part of the final order, see Permutation)
/// lie. Precondition: runs were ordered as the final order is.
[[nodiscard]] std::vector<std::int64_t> locate_in_runs(Communicator& comm, const RunLayout& layout,
                                                       std::span<const std::int64_t> sources);

}  // namespace sill
