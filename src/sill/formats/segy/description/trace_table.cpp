#include "sill/formats/segy/description/trace_table.hpp"

#include <algorithm>
#include <utility>

#include "sill/base/error.hpp"

namespace sill::segy {

TraceTable TraceTable::uniform(std::int64_t first_byte, TraceShape shape, std::int64_t count, int sample_bytes) {
  TraceTable table;
  table.traces_ = count;
  table.sample_bytes_ = sample_bytes;
  table.end_byte_ = first_byte + count * shape.bytes(sample_bytes);
  if (count > 0)
    table.stretches_.push_back({.first_byte = first_byte,
                                .samples = static_cast<std::uint32_t>(shape.samples),
                                .headers = static_cast<std::uint32_t>(shape.headers)});
  return table;
}

TraceTable::TraceTable(const FileDescription& file)
    : TraceTable(uniform(file.first_trace_byte, {file.samples, 1 + file.additional_trace_headers}, file.traces,
                         segy::bytes_of(file.sample_format))) {}

TraceTable::TraceTable(std::vector<TraceStretch> stretches, std::int64_t traces, std::int64_t end_byte,
                       int sample_bytes)
    : stretches_(std::move(stretches)), traces_(traces), end_byte_(end_byte), sample_bytes_(sample_bytes) {
  const auto refuse = [] {
    throw Error({.code = ErrorCode::input,
                 .problem = "the stretches of a table of traces are not contiguous",
                 .action = "build the index of the file again"});
  };
  if (stretches_.empty() != (traces_ == 0) || traces_ < 0) refuse();
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    const TraceStretch& here = stretches_[i];
    const bool is_last = i + 1 == stretches_.size();
    const std::int64_t next_trace = is_last ? traces_ : stretches_[i + 1].first_trace;
    const std::int64_t next_byte = is_last ? end_byte_ : stretches_[i + 1].first_byte;
    const std::int64_t count = next_trace - here.first_trace;
    if (count < 1 || here.headers < 1 || here.first_byte < 0 || (i == 0 && here.first_trace != 0) ||
        (next_byte - here.first_byte) % count != 0 || (next_byte - here.first_byte) / count != trace_bytes(i))
      refuse();
  }
}

TraceTable TraceTable::joined(std::span<const TraceTable> tables, std::int64_t first_byte, int sample_bytes) {
  TraceTable all;
  all.sample_bytes_ = sample_bytes;
  all.end_byte_ = first_byte;
  for (const TraceTable& table : tables) {
    for (std::size_t i = 0; i < table.stretches_.size(); ++i) {
      const TraceStretch& stretch = table.stretches_[i];
      const bool goes_on = !all.stretches_.empty() && all.stretches_.back().shape() == stretch.shape();
      if (!goes_on) all.stretches_.push_back({all.traces_, all.end_byte_, stretch.samples, stretch.headers});
      all.traces_ += table.traces_of(i).count;
      all.end_byte_ += table.traces_of(i).count * all.trace_bytes(all.stretches_.size() - 1);
    }
  }
  return all;
}

std::size_t TraceTable::stretch_of(std::int64_t trace) const {
  const auto after =
      std::upper_bound(stretches_.begin(), stretches_.end(), trace,
                       [](std::int64_t t, const TraceStretch& stretch) { return t < stretch.first_trace; });
  return static_cast<std::size_t>(after - stretches_.begin()) - 1;
}

ItemRange TraceTable::traces_of(std::size_t index) const {
  const std::int64_t first = stretches_[index].first_trace;
  const std::int64_t end = index + 1 < stretches_.size() ? stretches_[index + 1].first_trace : traces_;
  return {first, end - first};
}

std::int64_t TraceTable::trace_bytes(std::size_t index) const {
  const TraceStretch& stretch = stretches_[index];
  return stretch.shape().bytes(sample_bytes_);
}

std::int64_t TraceTable::byte_of(std::int64_t trace) const {
  if (trace >= traces_) return end_byte_;
  const std::size_t index = stretch_of(trace);
  return stretches_[index].first_byte + (trace - stretches_[index].first_trace) * trace_bytes(index);
}

std::int64_t TraceTable::longest_trace_bytes() const {
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < stretches_.size(); ++i) longest = std::max(longest, trace_bytes(i));
  return longest;
}

ByteRange TraceTable::bytes_of(ItemRange traces) const {
  const std::int64_t begin = byte_of(traces.first);
  return {begin, traces.empty() ? 0 : byte_of(traces.end()) - begin};
}

int TraceTable::min_headers(ItemRange traces) const {
  if (traces.empty()) return 1;
  std::uint32_t fewest = stretches_[stretch_of(traces.first)].headers;
  for (std::size_t i = stretch_of(traces.first); i < stretches_.size() && stretches_[i].first_trace < traces.end(); ++i)
    fewest = std::min(fewest, stretches_[i].headers);
  return static_cast<int>(fewest);
}

}  // namespace sill::segy
