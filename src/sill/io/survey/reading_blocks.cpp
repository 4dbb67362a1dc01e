#include "sill/io/survey/reading_blocks.hpp"

#include <algorithm>
#include <vector>

namespace sill {
namespace {

// For shorter stretches, a strided read each costs more than following traces one by one.
constexpr std::int64_t short_stretch_traces = 16;
// The number of traces that are followed at the same time, so that their memory accesses overlap.
constexpr std::int64_t lanes_at_once = 8;

// The distances from each trace of a lane to the next.
struct LaneOfTable {
  const std::byte* memory;
  std::int64_t part_bytes;
  const std::int64_t* trace_bytes;
};

std::int64_t distance_by_table(const void* context, const std::byte* item) noexcept {
  const LaneOfTable& lane = *static_cast<const LaneOfTable*>(context);
  return lane.trace_bytes[(item - lane.memory) / lane.part_bytes];
}

void read_linked(Store& store, const segy::TraceTable& table, ItemRange traces, ByteRange part, std::byte* into) {
  std::vector<std::int64_t> trace_bytes;
  trace_bytes.reserve(static_cast<std::size_t>(traces.count));
  table.for_each_stretch(traces, [&](ItemRange alike, ByteRange bytes, segy::TraceShape) {
    trace_bytes.insert(trace_bytes.end(), static_cast<std::size_t>(alike.count), bytes.length / alike.count);
  });
  const std::int64_t lane_traces = (traces.count + lanes_at_once - 1) / lanes_at_once;
  std::vector<LaneOfTable> contexts;
  contexts.reserve(lanes_at_once);  // reads contain pointers to its elements
  std::vector<LinkedRead> reads;
  for (std::int64_t first = 0; first < traces.count; first += lane_traces) {
    std::byte* const memory = into + first * part.length;
    contexts.push_back({memory, part.length, trace_bytes.data() + first});
    const ItemRange of_lane{traces.first + first, std::min(lane_traces, traces.count - first)};
    reads.push_back({.offset_bytes = table.bytes_of(of_lane).offset + part.offset,
                     .end_byte = table.end_byte(),
                     .length_bytes = part.length,
                     .max_items = of_lane.count,
                     .memory = memory,
                     .distance = distance_by_table,
                     .context = &contexts.back()});
  }
  store.submit_linked(reads);
}

}  // namespace

void read_trace_parts(Store& store, const segy::TraceTable& table, ItemRange traces, ByteRange part, std::byte* into) {
  if (traces.empty()) return;
  const auto stretches =
      static_cast<std::int64_t>(table.stretch_of(traces.end() - 1) - table.stretch_of(traces.first) + 1);
  if (store.follows_links() && stretches > 1 && traces.count < stretches * short_stretch_traces)
    return read_linked(store, table, traces, part, into);
  table.for_each_stretch(traces, [&](ItemRange alike, ByteRange bytes, segy::TraceShape) {
    store.submit_strided({bytes.offset + part.offset, part.length, bytes.length / alike.count, alike.count, into});
    into += alike.count * part.length;
  });
}

}  // namespace sill
