// Extents ordered by file, and search for the extents in a range.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sill/plan/extent.hpp"

namespace sill {

/// Non-empty extents that ascend by (file, offset). They are found by file and range without a search through all.
class OrderedExtents {
 public:
  OrderedExtents() = default;
  /// Local. Builds the search structure. Precondition: `extents` ascend, and none is empty.
  explicit OrderedExtents(std::vector<Extent> extents);

  [[nodiscard]] std::span<const Extent> extents() const { return extents_; }
  [[nodiscard]] bool empty() const { return extents_.empty(); }
  [[nodiscard]] std::int64_t total_bytes() const;

  /// Local. Returns the files of the extents, ascending.
  [[nodiscard]] const std::vector<int>& files() const { return files_; }
  /// Local. Returns the extents of one file.
  [[nodiscard]] std::span<const Extent> of_file(int file) const;
  /// Local. Returns the range from the first byte of file `file` to the last, including gaps; empty if the file has no
  /// extent.
  [[nodiscard]] ByteRange bounding_range_of(int file) const;
  /// Local. Returns the first byte of an extent at or after `offset_bytes` of file `file`; nullopt if there is none.
  [[nodiscard]] std::optional<std::int64_t> next_byte(int file, std::int64_t offset_bytes) const;

  /// Local. Calls `visit(extent, packed)` for every extent with bytes in `window` of file `file`, in their order;
  /// `packed` is the range of these bytes within the extent.
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

 protected:
  /// Local. Adds `bytes` to the offset of every extent.
  void move_extents(std::int64_t bytes);
  /// Local. Returns the extents, for changes that do not move any extent in its file.
  [[nodiscard]] std::vector<Extent>& extents_in_place() { return extents_; }

 private:
  struct Stretch {
    std::size_t begin = 0;
    std::size_t end = 0;
  };
  // Returns the extents of a file.
  [[nodiscard]] Stretch stretch_of(int file) const;
  // Returns the first extent with an index of at least `i`, in any file, that ends after byte `offset_bytes` of its
  // file; the number of extents if there is none.
  [[nodiscard]] std::size_t next_reaching(std::size_t i, std::int64_t offset_bytes) const;

  std::vector<Extent> extents_;
  std::vector<int> files_;
  std::vector<std::size_t> begins_;  // index of the first extent of each file, then the end
  std::vector<std::int64_t> reach_;  // a tree: node i has the greatest end under nodes 2 i and 2 i + 1
};

}  // namespace sill
