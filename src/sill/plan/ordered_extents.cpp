#include "sill/plan/ordered_extents.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace sill {
namespace {

// A position before all bytes of a file, even after the extents were moved.
constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::min() / 2;

}  // namespace

OrderedExtents::OrderedExtents(std::vector<Extent> extents) : extents_(std::move(extents)) {
  const std::size_t leaves = std::bit_ceil(extents_.size());
  reach_.assign(2 * leaves, nowhere);
  for (std::size_t i = 0; i < extents_.size(); ++i) {
    reach_[leaves + i] = extents_[i].bounding_range().end();
    if (!files_.empty() && files_.back() == extents_[i].file) continue;
    files_.push_back(extents_[i].file);
    begins_.push_back(i);
  }
  begins_.push_back(extents_.size());
  for (std::size_t i = leaves; i-- > 1;) reach_[i] = std::max(reach_[2 * i], reach_[2 * i + 1]);
}

std::int64_t OrderedExtents::total_bytes() const {
  std::int64_t total = 0;
  for (const Extent& extent : extents_) total += extent.total_bytes();
  return total;
}

void OrderedExtents::move_extents(std::int64_t bytes) {
  for (Extent& extent : extents_) extent.offset_bytes += bytes;
  for (std::int64_t& end : reach_) end += bytes;
}

OrderedExtents::Stretch OrderedExtents::stretch_of(int file) const {
  if (files_.empty()) return {};
  // If every file has extents, as is usual, the file is at this index.
  const auto counted = files_.begin() + std::clamp<std::ptrdiff_t>(file - files_.front(), 0, std::ssize(files_) - 1);
  const auto found = *counted == file ? counted : std::lower_bound(files_.begin(), files_.end(), file);
  if (found == files_.end() || *found != file) return {};
  const auto i = static_cast<std::size_t>(found - files_.begin());
  return {begins_[i], begins_[i + 1]};
}

std::span<const Extent> OrderedExtents::of_file(int file) const {
  const Stretch stretch = stretch_of(file);
  return {extents_.begin() + static_cast<std::ptrdiff_t>(stretch.begin), stretch.end - stretch.begin};
}

ByteRange OrderedExtents::bounding_range_of(int file) const {
  const std::span<const Extent> extents = of_file(file);
  if (extents.empty()) return {};
  const std::int64_t first = extents.front().offset_bytes;
  std::int64_t end = first;
  for (const Extent& extent : extents) end = std::max(end, extent.bounding_range().end());
  return {first, end - first};
}

std::size_t OrderedExtents::next_reaching(std::size_t i, std::int64_t offset_bytes) const {
  if (i >= extents_.size()) return extents_.size();
  const std::size_t leaves = reach_.size() / 2;
  std::size_t node = leaves + i;
  while (reach_[node] <= offset_bytes) {
    while (node % 2 == 1) node /= 2;  // up, past nodes to the left
    if (node == 0) return extents_.size();
    ++node;
  }
  while (node < leaves) {
    node *= 2;
    if (reach_[node] <= offset_bytes) ++node;
  }
  return node - leaves;
}

std::optional<std::int64_t> OrderedExtents::next_byte(int file, std::int64_t offset_bytes) const {
  std::optional<std::int64_t> next;
  const Stretch within = stretch_of(file);
  for (std::size_t i = next_reaching(within.begin, offset_bytes); i < within.end;
       i = next_reaching(i + 1, offset_bytes)) {
    const Extent& extent = extents_[i];
    if (next && extent.offset_bytes >= *next) break;
    const std::int64_t packed = extent.bytes_before(offset_bytes);
    if (packed == extent.total_bytes()) continue;
    const std::int64_t at = extent.file_offset_of(packed);
    next = next ? std::min(*next, at) : at;
    if (*next == offset_bytes) break;
  }
  return next;
}

}  // namespace sill
