// Counts the gathers of a sorted survey: the runs of traces with an equal first key.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <span>

#include "sill/comm/communicator.hpp"
#include "sill/comm/key_sort.hpp"

namespace sill {

/// The number of gathers, and the number of traces in the smallest and the largest.
struct GatherCount {
  std::int64_t gathers = 0;
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  std::int64_t largest = 0;

  void add(std::int64_t traces) {
    ++gathers;
    smallest = std::min(smallest, traces);
    largest = std::max(largest, traces);
  }
};

/// Collective. Counts the gathers, and the traces of the smallest and the largest, in the sorted records of all ranks;
/// a gather may span ranks. `first_key_bytes` is the length of the first key in a record, 1 to 8.
template <std::size_t Words>
[[nodiscard]] GatherCount count_gathers(Communicator& comm, std::span<const KeyRecord<Words>> records,
                                        int first_key_bytes) {
  // A rank reports its first and its last gather, which may continue on other ranks, and counts the gathers between
  // them.
  struct Edges {
    std::uint64_t first_key = 0;
    std::uint64_t last_key = 0;
    std::int64_t first_traces = 0;  // 0: the rank has no traces
    std::int64_t last_traces = 0;   // 0: the last gather is also the first
    GatherCount inner;
  } mine;
  const int unused_bits = 64 - 8 * first_key_bytes;
  const auto first_key = [&](const KeyRecord<Words>& record) { return record.key[0] >> unused_bits; };
  for (std::size_t begin = 0; begin < records.size();) {
    std::size_t end = begin + 1;
    while (end < records.size() && first_key(records[end]) == first_key(records[begin])) ++end;
    const auto traces = static_cast<std::int64_t>(end - begin);
    if (begin == 0) {
      mine.first_key = first_key(records[begin]);
      mine.first_traces = traces;
    } else if (end == records.size()) {
      mine.last_traces = traces;
    } else {
      mine.inner.add(traces);
    }
    mine.last_key = first_key(records[begin]);
    begin = end;
  }
  GatherCount all;
  std::uint64_t open_key = 0;
  std::int64_t open_traces = 0;
  for (const Edges& edges : all_gather(comm, mine)) {
    if (edges.first_traces == 0) continue;
    if (open_traces > 0 && edges.first_key != open_key) {
      all.add(open_traces);
      open_traces = 0;
    }
    open_key = edges.last_key;
    open_traces += edges.first_traces;
    if (edges.last_traces > 0) {
      all.add(open_traces);
      open_traces = edges.last_traces;
    }
    all.gathers += edges.inner.gathers;
    all.smallest = std::min(all.smallest, edges.inner.smallest);
    all.largest = std::max(all.largest, edges.inner.largest);
  }
  if (open_traces > 0) all.add(open_traces);
  return all;
}

}  // namespace sill
