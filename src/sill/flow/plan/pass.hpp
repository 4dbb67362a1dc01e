// Divides the operations of a flow into passes over the survey.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/flow/operation/operation.hpp"

namespace sill::flow {

/// The properties of an operation that the planner uses.
struct PlannedOperation {
  std::string name;
  Access access;
  std::vector<segy::TraceKey> keys = {};
};

/// A key by which a pass sorts its traces, read from the headers before one of its operations.
struct PassKey {
  std::size_t operation = 0;
  segy::TraceKey key;
};

/// The operations `first` to `end` - 1, which one pass performs. If the headers determine which traces exist or their
/// order, the headers are read first. Then each trace is read once, in that order, and passes through all operations.
struct Pass {
  std::size_t first = 0;
  std::size_t end = 0;
  std::size_t scan_end = 0;         ///< operations before this one are first applied to headers only; equal to `first`:
                                    ///< no operation
  std::vector<PassKey> keys = {};   ///< keys that define the order of the traces, most significant first; empty: input
                                    ///< order
  std::size_t gather_keys = 0;      ///< number of leading keys that are equal within a gather
  std::size_t block_operation = 0;  ///< the first operation that uses several traces; `end`: none
  bool has_gathers = false;
  bool needs_samples = false;             ///< otherwise the bytes of samples are copied
  std::int64_t traces_per_gather = 0;     ///< after the pass; 0: as many as each gather has
  std::int64_t halo = 0;                  ///< number of neighbours that are read on each side
  std::vector<std::string> reasons = {};  ///< one sentence per decision, for `--explain`

  [[nodiscard]] bool scans() const { return scan_end > first; }
};

/// Local. Divides operations into passes. A pass ends before an operation whose order, choice of traces or positions
/// depend on a result that an earlier operation of the pass computes from samples of several traces. Uses only what the
/// operations declare. Errors: usage, if an operation reads the file number in a later pass than the first.
[[nodiscard]] std::vector<Pass> plan_passes(std::span<const PlannedOperation> operations);

/// Local. Returns the pass that would result if the flow ended before operation `end` of this pass.
[[nodiscard]] Pass part_of(std::span<const PlannedOperation> operations, const Pass& pass, std::size_t end);

/// Local. Returns true if traces that leave the survey at operation `leaving` must be processed by an earlier operation
/// of the pass, because that operation may end the flow with an error about them, or reports on all traces.
/// `stops_on_samples`: operations that read samples end the flow if samples are not finite.
[[nodiscard]] bool must_see_before(std::span<const PlannedOperation> operations, const Pass& pass, std::size_t leaving,
                                   bool stops_on_samples);

}  // namespace sill::flow
