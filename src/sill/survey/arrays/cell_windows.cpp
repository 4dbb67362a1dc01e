#include "sill/survey/arrays/cell_windows.hpp"

#include <algorithm>

#include "sill/comm/communicator.hpp"
#include "sill/formats/array/chunk_grid.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

// Returns part `part` of `parts` of a box, divided in its longest dimension.
Box part_of(Box box, std::int64_t parts, std::int64_t part) {
  const auto longest = static_cast<std::size_t>(std::ranges::max_element(box.count) - box.count.begin());
  const ItemRange own = block_of(ItemRange{box.first[longest], box.count[longest]}, parts, part);
  box.first[longest] = own.first;
  box.count[longest] = own.count;
  return box;
}

Box window_box(const ChunkGrid& windows, std::int64_t number) {
  Box box{windows.index_of(number), windows.chunk()};
  for (std::size_t d = 0; d < box.first.size(); ++d) box.first[d] *= windows.chunk()[d];
  return intersection(box, whole(windows.shape()));
}

}  // namespace

Index window_shape(const Index& shape, const Index& multiple, std::int64_t max_items, bool rows) {
  Index window = multiple;
  for (std::size_t d = 0; d < shape.size(); ++d) window[d] = std::min(window[d], shape[d]);
  for (;;) {
    std::size_t next = shape.size();
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (window[d] == shape[d]) continue;
      if (next == shape.size() || (!rows && window[d] < window[next])) next = d;
    }
    if (next == shape.size()) return window;
    Index larger = window;
    larger[next] = std::min(2 * window[next], shape[next]);
    if (whole(larger).items() > max_items) return window;
    window = larger;
  }
}

void for_each_window(const Resources& resources, const Index& shape, const Index& window, std::int64_t item_bytes,
                     const std::function<void(std::span<const Box>)>& visit) {
  constexpr std::int64_t max_bytes = std::int64_t{64} << 20U;  // larger pieces are not faster
  Communicator& comm = resources.comm;
  const ChunkGrid windows(shape, window, 1);
  const std::int64_t ranks = comm.size();
  const std::int64_t rank = comm.rank();
  const std::int64_t memory = std::min(max_bytes, all_reduce(comm, resources.memory(), Reduction::min) / 4);
  const std::int64_t max_items = std::max<std::int64_t>(1, memory / item_bytes);
  const std::int64_t window_items = whole(window).items();
  const std::int64_t batch = ranks * std::max<std::int64_t>(1, max_items / window_items);
  const std::int64_t rounds = (window_items + max_items - 1) / max_items;
  for (std::int64_t first = 0; first < windows.chunks(); first += batch) {
    const std::int64_t count = std::min(batch, windows.chunks() - first);
    std::vector<Box> own;
    if (count >= ranks) {
      const ItemRange of_rank = block_of(count, ranks, rank);
      for (std::int64_t w = of_rank.first; w < of_rank.end(); ++w) own.push_back(window_box(windows, first + w));
    } else {  // several ranks share a window
      const std::int64_t w = part_holding(rank, ranks, count);
      const ItemRange sharers = block_of(ranks, count, w);
      own.push_back(part_of(window_box(windows, first + w), sharers.count, rank - sharers.first));
    }
    for (std::int64_t round = 0; round < rounds; ++round) {
      std::vector<Box> boxes;
      for (const Box& each : own) boxes.push_back(rounds == 1 ? each : part_of(each, rounds, round));
      visit(boxes);
    }
  }
}

}  // namespace sill
