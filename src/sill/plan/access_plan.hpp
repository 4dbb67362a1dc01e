// The extents that one rank reads or writes, sorted and coalesced.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sill/plan/ordered_extents.hpp"

namespace sill {

enum class Operation { read, write };

/// The extents of one rank in a collective access.
///
/// Invariants: extents ascend by (file, offset) and none is empty. The runs of each extent ascend in the file without
/// overlap; its steps are ordered outermost first, each is needed and none can be merged with its neighbour. Contiguous
/// neighbours that touch both in the file and in memory form one extent. Extents of a plan for writing are disjoint;
/// extents of a plan for reading may overlap.
class AccessPlan : public OrderedExtents {
 public:
  AccessPlan() = default;

  /// Local. Returns a plan for writing `extents`; decoders are ignored. An extent whose steps interleave becomes
  /// several. Errors: usage if an offset, a length or a stride in a file is negative, if there are more than 16 steps,
  /// if an extent ends beyond 2^63 - 1, if the steps of an extent with an encoder interleave, or if two extents overlap
  /// in a file.
  [[nodiscard]] static AccessPlan for_writing(std::vector<Extent> extents);

  /// Local. Returns a plan for reading; extents may overlap, and encoders are ignored. Errors: as for_writing, except
  /// for overlaps, and for decoders instead of encoders.
  [[nodiscard]] static AccessPlan for_reading(std::vector<Extent> extents);

  /// Local. Returns a plan of extents that are known to come from one plan, or from several plans of one rank in
  /// ascending order.
  [[nodiscard]] static AccessPlan of_ordered(std::vector<Extent> extents) { return AccessPlan(std::move(extents)); }

  /// Local. Moves all extents by `bytes` in their files, forwards or backwards: the next write of a program that
  /// appends records. Precondition: afterwards no extent begins before its file or ends beyond 2^63 - 1.
  void move_along(std::int64_t bytes);
  /// Local. Returns the distance in bytes by which the extents of this plan follow the extents of `before`, if both
  /// plans access the same files in the same pattern; the memory may differ. Returns nullopt otherwise, and 0 for two
  /// empty plans.
  [[nodiscard]] std::optional<std::int64_t> distance_from(const AccessPlan& before) const;
  /// Local. Replaces the memory side of all extents (address, encoder, decoder) by the memory side of `after`.
  /// Precondition: `after.distance_from(*this)` has a value.
  void take_memory_of(const AccessPlan& after);

 private:
  explicit AccessPlan(std::vector<Extent> extents) : OrderedExtents(std::move(extents)) {}
};

}  // namespace sill
