// How the operations of a flow are divided into passes over the survey.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/flow/operation/operation.hpp"

namespace sill::flow {

/// What the planner knows of an operation.
struct PlannedOperation {
  std::string name;
  Access access;
  std::vector<segy::TraceKey> keys = {};
};

/// A key by which a pass puts its traces in order, of the headers as they are before an operation of it.
struct PassKey {
  std::size_t operation = 0;
  segy::TraceKey key;
};

/// Operations that one pass performs: `first` to `end` - 1. Headers are read first, if they decide which traces there
/// are and in which order; then each trace is read once, in that order, and passes all operations.
struct Pass {
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t scan_end = 0;         ///< operations before it are applied to headers alone first; `first`: none
  std::vector<PassKey> keys = {};   ///< of the order, the most significant first; empty: the order of the input
  std::size_t gather_keys = 0;      ///< so many of them are equal within a gather
  std::size_t block_operation = 0;  ///< the first that sees several traces; `end`: none
  bool has_gathers = false;
  bool needs_samples = false;             ///< else their bytes are copied
  std::int64_t traces_per_gather = 0;     ///< in the end; 0: as many as there are
  std::int64_t halo = 0;                  ///< neighbours that are read on each side
  std::vector<std::string> reasons = {};  ///< a sentence for each decision, for `--explain`

  [[nodiscard]] bool scans() const { return scan_end > first; }
};

/// Local. Divides operations into passes. A pass ends before an operation whose order, choice of traces or positions
/// depend on what an earlier operation of the pass makes from samples of several traces. Only what the operations
/// declare is used. Errors: usage, for an operation that reads the number of the file in a later pass than the first.
[[nodiscard]] std::vector<Pass> plan_passes(std::span<const PlannedOperation> operations);

/// Local. The pass as it would be if the flow ended before operation `end` of it.
[[nodiscard]] Pass part_of(std::span<const PlannedOperation> operations, const Pass& pass, std::size_t end);

/// Local. Returns true if an operation of a pass must see the traces that leave the survey at operation `leaving`,
/// behind it: as it may stop on the data, or reports about them; `stops_on_samples`: those that read samples stop on
/// values that are not finite.
[[nodiscard]] bool must_see_before(std::span<const PlannedOperation> operations, const Pass& pass, std::size_t leaving,
                                   bool stops_on_samples);

}  // namespace sill::flow
