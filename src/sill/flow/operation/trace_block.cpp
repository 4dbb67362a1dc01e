#include "sill/flow/operation/trace_block.hpp"

#include <algorithm>
#include <cstring>

namespace sill::flow {

// The distance between rows is an odd number of cache lines, so that columns are not in the same cache set.
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

void TraceBlock::set_aside(std::span<const std::int64_t> aside) {
  aside_.clear();
  std::vector<std::int64_t> kept;
  for (std::int64_t i = 0; i < count_; ++i) {
    if (aside_.size() == aside.size() || aside[aside_.size()] != i) {
      kept.push_back(i);
      continue;
    }
    aside_.push_back({i,
                      origin(i),
                      changed_[static_cast<std::size_t>(i)],
                      {header(i).begin(), header(i).end()},
                      {trace(i).begin(), trace(i).end()}});
  }
  keep_only(kept);
}

void TraceBlock::put_back() {
  std::int64_t from = count_;
  set_count(count_ + std::ssize(aside_));
  for (std::int64_t to = count_; to-- > 0 && !aside_.empty();) {
    const auto at = static_cast<std::size_t>(to);
    if (aside_.back().place == to) {
      const Aside& one = aside_.back();
      std::ranges::copy(one.header, header(to).begin());
      std::ranges::copy(one.samples, fill(to).begin());
      origins_[at] = one.origin;
      changed_[at] = one.changed;
      aside_.pop_back();
      continue;
    }
    --from;
    std::ranges::copy(header(from), header(to).begin());
    std::ranges::copy(fill(from), fill(to).begin());
    origins_[at] = origins_[static_cast<std::size_t>(from)];
    changed_[at] = changed_[static_cast<std::size_t>(from)];
  }
}

}  // namespace sill::flow
