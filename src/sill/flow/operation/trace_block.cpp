#include "sill/flow/operation/trace_block.hpp"

#include <algorithm>
#include <cstring>

namespace sill::flow {

// Rows begin at cache lines apart, an odd number of them, so that columns do not share a set of the cache.
std::int64_t TraceBlock::stride_of(std::int64_t samples) {
  constexpr std::int64_t floats_per_line = 16;
  const std::int64_t lines = (samples + floats_per_line - 1) / floats_per_line;
  return (lines | 1) * floats_per_line;
}

void TraceBlock::reset(std::int64_t count, std::int64_t header_bytes, std::int64_t samples, ByteOrder order) {
  count_ = count;
  header_bytes_ = header_bytes;
  samples_ = samples;
  stride_ = stride_of(samples);
  order_ = order;
  headers_.resize(static_cast<std::size_t>(count * header_bytes));
  rows_.resize(static_cast<std::size_t>(count * stride_));
  origins_.resize(static_cast<std::size_t>(count));
  changed_.assign(static_cast<std::size_t>(count), 0);
}

void TraceBlock::resample(
    std::int64_t samples,
    const std::function<void(std::int64_t i, std::span<const float> in, std::span<float> out)>& work) {
  const std::int64_t stride = stride_of(samples);
  other_rows_.resize(static_cast<std::size_t>(count_ * stride));
  for (std::int64_t i = 0; i < count_; ++i)
    work(i, trace(i), {other_rows_.data() + i * stride, static_cast<std::size_t>(samples)});
  rows_.swap(other_rows_);
  samples_ = samples;
  stride_ = stride;
  std::ranges::fill(changed_, 1);
}

void TraceBlock::set_count(std::int64_t count) {
  count_ = count;
  headers_.resize(static_cast<std::size_t>(count * header_bytes_));
  rows_.resize(static_cast<std::size_t>(count * stride_));
  const Origin first = origins_.empty() ? Origin{} : origins_.front();
  origins_.resize(static_cast<std::size_t>(count), first);
  changed_.resize(static_cast<std::size_t>(count), 0);
}

void TraceBlock::keep_only(std::span<const std::int64_t> kept) {
  std::int64_t to = 0;
  for (const std::int64_t from : kept) {
    if (from != to) {
      std::ranges::copy(header(from), header(to).begin());
      std::ranges::copy(fill(from), fill(to).begin());
      origins_[static_cast<std::size_t>(to)] = origins_[static_cast<std::size_t>(from)];
      changed_[static_cast<std::size_t>(to)] = changed_[static_cast<std::size_t>(from)];
    }
    ++to;
  }
  count_ = to;
}

}  // namespace sill::flow
