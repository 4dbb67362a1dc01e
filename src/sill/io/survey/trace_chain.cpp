#include "sill/io/survey/trace_chain.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sill {
namespace {

constexpr std::int64_t first_batch_traces = 64;  // small, because a walk may end soon
constexpr std::int64_t max_batch_traces = 16384;
constexpr std::int64_t batch_bytes = 1 << 20;

constexpr std::int64_t search_block_bytes = 64 << 10;
constexpr std::int64_t search_bytes = 1 << 20;  // four times the longest trace of revision 1
constexpr int chained_traces = 5;               // number of traces that a guess is based on
constexpr int max_trials = 200;                 // maximum number of positions that look like headers but are not

std::int64_t distance_of(const void* context, const std::byte* needed) noexcept {
  const auto& rule = *static_cast<const segy::TraceShapeRule*>(context);
  return rule.bytes_of(rule.shape_of(needed - rule.needed_bytes().offset));
}

}  // namespace

void TraceChain::append(const segy::TraceShape& shape, std::int64_t count, std::int64_t bytes) {
  if (stretches.empty() || stretches.back().shape() != shape) {
    stretches.push_back({.first_trace = traces,
                         .first_byte = end_byte,
                         .samples = static_cast<std::uint32_t>(shape.samples),
                         .headers = static_cast<std::uint32_t>(shape.headers)});
  }
  traces += count;
  end_byte += count * bytes;
}

TraceWalk::TraceWalk(Store& store, const segy::FileDescription& file, Progress* progress)
    : store_(store),
      progress_(progress),
      rule_(file),
      first_trace_byte_(file.first_trace_byte),
      end_byte_(file.traces_end_byte()),
      step_(std::gcd(std::int64_t{segy::trace_header_bytes}, std::int64_t{segy::bytes_of(file.sample_format)})),
      header_(static_cast<std::size_t>(std::max<std::int64_t>(segy::trace_header_bytes, rule_.needed_bytes().end()))) {}

void TraceWalk::follow(std::span<const TraceLane> lanes) {
  const ByteRange needed = rule_.needed_bytes();
  const std::int64_t max = std::clamp<std::int64_t>(batch_bytes / needed.length, 1, max_batch_traces);
  std::vector<const TraceLane*> left;
  for (const TraceLane& lane : lanes) {
    if (lane.chain->end_byte < lane.stop_byte) left.push_back(&lane);
  }
  std::vector<LinkedRead> reads;
  for (std::int64_t batch = std::min(first_batch_traces, max); !left.empty(); batch = std::min(2 * batch, max)) {
    const std::size_t lane_bytes = static_cast<std::size_t>(batch * needed.length);
    buffer_.resize(left.size() * lane_bytes);
    reads.clear();
    for (const TraceLane* const lane : left) {
      reads.push_back({.offset_bytes = lane->chain->end_byte + needed.offset,
                       .end_byte = std::min(end_byte_, lane->stop_byte - 1 + needed.end()),
                       .length_bytes = needed.length,
                       .max_items = batch,
                       .memory = buffer_.data() + reads.size() * lane_bytes,
                       .distance = distance_of,
                       .context = &rule_});
    }
    store_.submit_linked(reads);
    std::size_t kept = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (take(*left[i], reads[i])) left[kept++] = left[i];
    }
    left.resize(kept);
  }
}

bool TraceWalk::take(const TraceLane& lane, const LinkedRead& read) {
  const ByteRange needed = rule_.needed_bytes();
  TraceChain& chain = *lane.chain;
  const std::int64_t from = chain.end_byte;
  for (std::int64_t i = 0; i < read.items; ++i) {
    if (lane.meets && lane.meets(chain.end_byte)) return false;
    const segy::TraceShape shape = rule_.shape_of(read.memory + i * needed.length - needed.offset);
    const std::int64_t bytes = rule_.bytes_of(shape);
    if (chain.end_byte > end_byte_ - bytes) return false;
    chain.append(shape, 1, bytes);
  }
  count_done(progress_, chain.end_byte - from);
  return read.items == read.max_items && chain.end_byte < lane.stop_byte;
}

bool TraceWalk::reads_header(std::int64_t byte) {
  if (byte > end_byte_ - static_cast<std::int64_t>(header_.size())) return false;
  read_at(store_, byte, header_);
  return true;
}

bool TraceWalk::seems_to_begin_at(std::int64_t byte, const segy::TraceLikeness& likeness) {
  for (int i = 0; i < chained_traces; ++i) {
    if (byte == end_byte_) return true;
    // The last trace may be truncated, but a single trace is not sufficient evidence.
    if (byte > end_byte_ || !reads_header(byte)) return i > 1;
    if (!likeness.is_like(header_.data())) return false;
    byte += rule_.bytes_of(rule_.shape_of(header_.data()));
  }
  return true;
}

std::optional<std::int64_t> TraceWalk::guess(ByteRange range, const segy::TraceLikeness& likeness) {
  const std::int64_t past = (range.offset - first_trace_byte_) % step_;
  std::int64_t byte = past == 0 ? range.offset : range.offset + step_ - past;
  const std::int64_t stop =
      std::min({range.end(), range.offset + search_bytes, end_byte_ - static_cast<std::int64_t>(header_.size()) + 1});
  int trials = 0;
  while (byte < stop) {
    const std::int64_t places = std::min(search_block_bytes, stop - byte);
    buffer_.resize(static_cast<std::size_t>(places + segy::trace_header_bytes - 1));
    read_at(store_, byte, buffer_);
    std::int64_t i = 0;
    for (; i < places; i += step_) {
      if (!likeness.is_like(buffer_.data() + i)) continue;
      if (seems_to_begin_at(byte + i, likeness)) return byte + i;
      if (++trials == max_trials) return std::nullopt;
    }
    byte += i;
  }
  return std::nullopt;
}

std::optional<segy::TraceShape> TraceWalk::shape_at(std::int64_t byte) {
  if (!reads_header(byte)) return std::nullopt;
  return rule_.shape_of(header_.data());
}

segy::TraceLikeness TraceWalk::likeness_of_first(int max_traces) {
  segy::TraceLikeness likeness;
  std::int64_t byte = first_trace_byte_;
  for (int i = 0; i < max_traces && reads_header(byte); ++i) {
    likeness.learn(std::span(header_).first<segy::trace_header_bytes>());
    byte += rule_.bytes_of(rule_.shape_of(header_.data()));
  }
  return likeness;
}

void lead_into(TraceWalk& walk, TraceChain& chain, std::int64_t byte, std::int64_t stop_byte) {
  TraceChain guessed = std::exchange(chain, TraceChain::at(byte));
  const auto bytes_each = [&](std::size_t i) {
    const bool is_last = i + 1 == guessed.stretches.size();
    const segy::TraceStretch& here = guessed.stretches[i];
    const std::int64_t next = is_last ? guessed.traces : guessed.stretches[i + 1].first_trace;
    const std::int64_t end = is_last ? guessed.end_byte : guessed.stretches[i + 1].first_byte;
    return (end - here.first_byte) / (next - here.first_trace);
  };
  // Bytes are in ascending order, so stretches that end before the current one are not needed again.
  std::int64_t met_trace = -1;
  const auto meets = [&](std::int64_t at) {
    while (guessed.stretches.size() > 1 && guessed.stretches[1].first_byte <= at) guessed.stretches.pop_front();
    if (guessed.stretches.empty() || at >= guessed.end_byte) return false;
    const segy::TraceStretch& here = guessed.stretches.front();
    if (at < here.first_byte) return false;
    const std::int64_t bytes = bytes_each(0);
    if ((at - here.first_byte) % bytes != 0) return false;
    met_trace = here.first_trace + (at - here.first_byte) / bytes;
    return true;
  };
  const TraceLane lane{&chain, stop_byte, meets};
  walk.follow({&lane, 1});
  if (met_trace < 0) return;
  while (!guessed.stretches.empty()) {
    const std::int64_t next = guessed.stretches.size() == 1 ? guessed.traces : guessed.stretches[1].first_trace;
    chain.append(guessed.stretches.front().shape(), next - met_trace, bytes_each(0));
    met_trace = next;
    guessed.stretches.pop_front();
  }
}

}  // namespace sill
