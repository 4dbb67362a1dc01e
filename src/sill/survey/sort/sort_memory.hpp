// How much a sort moves, and what each rank may hold while it does.
#pragma once

#include <cstdint>

#include "sill/choose/permutation_method.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/survey_reader.hpp"

namespace sill {

/// A survey's sizes, and a rank's memory beside its keys. Bytes of keys up to 32 a trace are not charged to the memory
/// for buffers, as far as the process may use more than that.
class SortMemory {
 public:
  /// Local. `record_bytes` of a trace are sorted; `sorts_twice` if that takes a second array. Both outlive it.
  SortMemory(const Resources& resources, const SurveyReader& reader, std::int64_t record_bytes, bool sorts_twice);

  /// Bytes of all traces, of the longest, and of one in the mean (rounded up).
  [[nodiscard]] std::int64_t all_bytes() const { return all_bytes_; }
  [[nodiscard]] std::int64_t longest_bytes() const { return longest_bytes_; }
  [[nodiscard]] std::int64_t mean_bytes() const;

  /// Local. For buffers while traces are written.
  [[nodiscard]] std::int64_t for_buffers() const;
  /// Local. Of how many equal parts one is the permutation's: where ranks write together, half is the mover's.
  [[nodiscard]] int parts() const { return resources_.policy.writes_own() ? 1 : 2; }
  /// Local. For buffers while the keys of all traces are there too, as buckets have them.
  [[nodiscard]] std::int64_t for_buffers_beside_keys() const { return beside(record_bytes_, traces_per_rank()); }

  /// Collective. Errors: usage if the memory of a rank does not hold its keys. Before buffers are needed, keys may take
  /// their room as well; long keys of many traces still can be too much.
  void require_for_keys() const;
  /// Collective. Errors: usage if the memory does not hold the traces that a method needs at once, saying how much of
  /// the whole would do: what moves traces knows only its part.
  void require_for_traces(PermutationMethod method) const;

 private:
  // A rank's part of the traces.
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
