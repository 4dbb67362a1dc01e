// The amount of data that a sort moves, and the memory that each rank may use.
#pragma once

#include <cstdint>

#include "sill/choose/permutation_method.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// A survey's sizes, and a rank's memory in addition to its keys. Up to 32 bytes per trace for keys are not deducted
/// from the memory for buffers, if the process may use that additional memory.
class SortMemory {
 public:
  /// Local. Creates the limits for a sort of records of `record_bytes` per trace. `sorts_twice`: the sort needs a
  /// second array of the same size. `resources` and `reader` must outlive this object.
  SortMemory(const Resources& resources, const SurveyReader& reader, std::int64_t record_bytes, bool sorts_twice);

  /// Local. Return the size of all traces; the size of the longest trace; the mean size of a trace (rounded up).
  [[nodiscard]] std::int64_t all_bytes() const { return all_bytes_; }
  [[nodiscard]] std::int64_t longest_bytes() const { return longest_bytes_; }
  [[nodiscard]] std::int64_t mean_bytes() const;

  /// Local. Returns the memory for buffers while traces are written.
  [[nodiscard]] std::int64_t for_buffers() const;
  /// Local. Returns the number of equal parts of the memory. The permutation uses one part; if ranks write together,
  /// the mover uses a second one.
  [[nodiscard]] int parts() const { return resources_.policy.writes_own() ? 1 : 2; }
  /// Local. Returns the memory for buffers while the keys of all traces are also stored, as for buckets.
  [[nodiscard]] std::int64_t for_buffers_beside_keys() const { return beside(record_bytes_, traces_per_rank()); }

  /// Collective. Checks the memory for keys. Before buffers are needed, keys may use their memory; long keys of many
  /// traces may still be too large. Errors: usage if the memory of a rank does not hold its keys.
  void require_for_keys() const;
  /// Collective. Checks the memory for traces. Errors: usage if the memory does not hold the traces that a method needs
  /// at once; the error states the total memory needed, which the permutation does not know.
  void require_for_traces(PermutationMethod method) const;

 private:
  // Number of traces in the block of a rank.
  [[nodiscard]] std::int64_t traces_per_rank() const;
  [[nodiscard]] std::int64_t free_bytes() const;
  [[nodiscard]] std::int64_t beside(std::int64_t bytes_per_trace, std::int64_t traces) const;

  const Resources& resources_;
  const SurveyReader& reader_;
  std::int64_t record_bytes_;
  bool sorts_twice_;
  std::int64_t all_bytes_;
  std::int64_t longest_bytes_;
};

}  // namespace sill
