// What one rank wants to read or write: its extents, sorted and coalesced.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "sill/plan/ordered_extents.hpp"

namespace sill {

enum class Operation { read, write };

/// A rank's part of one collective access.
///
/// Invariants: extents ascend by (file, offset) and none is empty; the runs of each ascend in the file without
/// overlap, its steps outermost first, each needed and none mergeable with its neighbour; contiguous neighbours that
/// touch both in the file and in memory are one extent. Extents of a plan for writing are disjoint; those of a plan for
/// reading may overlap.
class AccessPlan : public OrderedExtents {
 public:
  AccessPlan() = default;

  /// Local. Brings extents into the form above; decoders are left out. One whose steps interleave becomes several.
  /// Errors: usage if an offset, a length or a stride in a file is negative, if there are more than 16 steps, if an
  /// extent ends beyond 2^63 - 1, if the steps of an extent with an encoder or decoder interleave, or if two extents
  /// overlap in a file.
  [[nodiscard]] static AccessPlan for_writing(std::vector<Extent> extents);

  /// Local. The same, but extents may overlap; encoders are left out.
  [[nodiscard]] static AccessPlan for_reading(std::vector<Extent> extents);

  /// Local. For extents that are known to be of one plan, or of several of one rank in ascending order.
  [[nodiscard]] static AccessPlan of_ordered(std::vector<Extent> extents) { return AccessPlan(std::move(extents)); }

  /// Local. Moves all extents `bytes` further on in their files, or back: what a program that appends records writes
  /// next. Precondition: no extent then begins before its file or ends beyond 2^63 - 1.
  void move_along(std::int64_t bytes);
  /// Local. How many bytes further on than `before` it touches the same files in the same way, wherever the memory is;
  /// nothing if it does not. Of two empty plans: 0.
  [[nodiscard]] std::optional<std::int64_t> distance_from(const AccessPlan& before) const;
  /// Local. Takes the memory side of `after`. Precondition: after.distance_from(*this).
  void take_memory_of(const AccessPlan& after);

 private:
  explicit AccessPlan(std::vector<Extent> extents) : OrderedExtents(std::move(extents)) {}
};

}  // namespace sill
