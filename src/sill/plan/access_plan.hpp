// What one rank wants to read or write: its extents, sorted and coalesced.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sill/plan/extent.hpp"

namespace sill {

enum class Operation { read, write };

/// A rank's part of one collective access.
///
/// Invariants: extents ascend by (file, offset) and none is empty; the runs of each ascend in the file without
/// overlap, its steps outermost first, each needed and none mergeable with its neighbour; contiguous neighbours that
/// touch both in the file and in memory are one extent. Extents of a plan for writing are disjoint; those of a plan for
/// reading may overlap.
class AccessPlan {
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

  [[nodiscard]] std::span<const Extent> extents() const { return extents_; }
  [[nodiscard]] bool empty() const { return extents_.empty(); }
  [[nodiscard]] std::int64_t total_bytes() const;

  /// Local. The files it touches, ascending.
  [[nodiscard]] const std::vector<int>& files() const { return files_; }
  /// Local. The extents of one file.
  [[nodiscard]] std::span<const Extent> of_file(int file) const;
  /// Local. From the first byte of file `file` to the last, gaps included; nothing if the file is not touched.
  [[nodiscard]] ByteRange bounding_range_of(int file) const;
  /// Local. The first byte at or after `offset_bytes` of file `file` that it touches.
  [[nodiscard]] std::optional<std::int64_t> next_byte(int file, std::int64_t offset_bytes) const;

  /// Local. Calls `visit(extent, packed)` for every extent with bytes in `window` of file `file`, in their order;
  /// `packed` tells which of its bytes those are.
  template <class Visit>
  void for_each_within(int file, ByteRange window, Visit&& visit) const {
    const Stretch within = stretch_of(file);
    for (std::size_t i = next_reaching(within.begin, window.offset); i < within.end;
         i = next_reaching(i + 1, window.offset)) {
      const Extent& extent = extents_[i];
      if (extent.offset_bytes >= window.end()) break;
      const ByteRange packed = extent.packed_within(window);
      if (!packed.empty()) visit(extent, packed);
    }
  }

 private:
  explicit AccessPlan(std::vector<Extent> extents);

  struct Stretch {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // Of the extents of a file.
  [[nodiscard]] Stretch stretch_of(int file) const;
  // The first extent from number `i` on, of whatever file, that ends beyond byte `offset_bytes` of its file; as many as
  // there are if none does.
  [[nodiscard]] std::size_t next_reaching(std::size_t i, std::int64_t offset_bytes) const;

  std::vector<Extent> extents_;
  std::vector<int> files_;
  std::vector<std::size_t> begins_;  // where the extents of each file begin, and their end
  std::vector<std::int64_t> reach_;  // a tree: node i has the greatest end under nodes 2 i and 2 i + 1
};

}  // namespace sill
