// What one rank wants to read or write: its extents, sorted and coalesced.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/plan/extent.hpp"

namespace sill {

enum class Operation { read, write };

/// A rank's part of one collective access.
///
/// Invariants: extents ascend by (file, offset), none is empty, neighbours that touch both in the file and in memory
/// are one extent. Extents of a plan for writing are disjoint; those of a plan for reading may overlap.
class AccessPlan {
 public:
  AccessPlan() = default;

  /// Local. Errors: usage if an offset or a length is negative or if two extents overlap in a file.
  [[nodiscard]] static AccessPlan for_writing(std::vector<Extent> extents);

  /// Local. Errors: usage if an offset or a length is negative.
  [[nodiscard]] static AccessPlan for_reading(std::vector<Extent> extents);

  [[nodiscard]] std::span<const Extent> extents() const { return extents_; }
  [[nodiscard]] std::int64_t total_bytes() const;

 private:
  explicit AccessPlan(std::vector<Extent> extents) : extents_(std::move(extents)) {}

  std::vector<Extent> extents_;
};

}  // namespace sill
