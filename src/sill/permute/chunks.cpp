#include "sill/permute/chunks.hpp"

#include <algorithm>

namespace sill {

std::int64_t longest_item_bytes(const Permutation& job) {
  if (job.starts.empty()) return job.output_items.item_bytes;
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < job.sources.size(); ++i) longest = std::max(longest, job.starts[i + 1] - job.starts[i]);
  return longest;
}

void show_items(const Permutation& job, ItemRange own, std::byte* bytes, std::span<std::byte*> items) {
  const std::int64_t begin = job.bytes_of(own).offset;
  for (std::int64_t i = 0; i < own.count; ++i) {
    items[static_cast<std::size_t>(i)] = bytes + (job.bytes_of({own.first + i, 0}).offset - begin);
  }
  job.inspect(job.first_position + own.first, job.sources_of(own), items);
}

Chunks::Chunks(const Permutation& job, std::int64_t memory_bytes, std::int64_t chunk_bytes)
    : items_(static_cast<std::int64_t>(job.sources.size())) {
  if (job.starts.empty()) {
    const std::int64_t item_bytes = job.output_items.item_bytes;
    items_per_chunk_ = memory_bytes / (item_bytes + overhead_bytes_per_item);
    if (chunk_bytes > 0) items_per_chunk_ = std::min(items_per_chunk_, chunk_bytes / item_bytes);
    items_per_chunk_ = std::clamp<std::int64_t>(items_per_chunk_, 1, std::max<std::int64_t>(1, items_));
    count_ = (items_ + items_per_chunk_ - 1) / items_per_chunk_;
    longest_bytes_ = items_per_chunk_ * item_bytes;
    return;
  }
  std::int64_t begin = 0;
  for (std::int64_t i = 0; i < items_; ++i) {
    const std::int64_t bytes = job.bytes_of({begin, i + 1 - begin}).length;
    const bool fits =
        bytes + (i + 1 - begin) * overhead_bytes_per_item <= memory_bytes && (chunk_bytes == 0 || bytes <= chunk_bytes);
    if (i > begin && !fits) begin = i;
    if (i == begin) first_.push_back(begin);
    longest_bytes_ = std::max(longest_bytes_, job.bytes_of({begin, i + 1 - begin}).length);
  }
  count_ = static_cast<std::int64_t>(first_.size());
}

ItemRange Chunks::operator[](std::int64_t chunk) const {
  if (chunk >= count_) return {items_, 0};
  if (first_.empty()) {
    const std::int64_t first = chunk * items_per_chunk_;
    return {first, std::min(items_per_chunk_, items_ - first)};
  }
  const auto at = static_cast<std::size_t>(chunk);
  const std::int64_t end = at + 1 < first_.size() ? first_[at + 1] : items_;
  return {first_[at], end - first_[at]};
}

}  // namespace sill
