#include "sill/permute/item_runs.hpp"

#include <algorithm>
#include <numeric>

namespace sill {

void have_read(Store& store, ByteRange bytes, AfterReading after) {
  if (after == AfterReading::punch_hole) store.punch_hole(bytes);
  if (after == AfterReading::drop_cache) store.drop_cache(bytes);
}

std::vector<ItemRun> runs_in_file_order(std::span<const std::int64_t> sources, std::span<const InputItems> inputs,
                                        std::vector<std::size_t>& order) {
  order.resize(sources.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (!std::is_sorted(sources.begin(), sources.end())) {
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return sources[a] < sources[b]; });
  }
  std::vector<ItemRun> runs;
  std::size_t input = 0;
  for (std::size_t at = 0; at < order.size(); ++at) {
    const std::int64_t source = sources[order[at]];
    bool same_file = true;
    while (source >= inputs[input].first_item + inputs[input].items.count) {
      ++input;
      same_file = false;
    }
    if (same_file && !runs.empty()) {
      ItemRun& last = runs.back();
      if (last.first_item + static_cast<std::int64_t>(last.count) == source) {
        ++last.count;
        continue;
      }
    }
    runs.push_back({input, source, at, 1});
  }
  return runs;
}

void ChunkReader::read(std::span<const std::int64_t> sources, std::byte* buffer, std::span<const std::int64_t> starts) {
  const std::vector<ItemRun> runs = runs_in_file_order(sources, inputs_, order_);
  const auto range_of = [&](const ItemRun& run) {
    const InputItems& input = inputs_[run.input];
    return input.bytes_of({run.first_item - input.first_item, static_cast<std::int64_t>(run.count)});
  };
  for (auto run = runs.begin(); run != runs.end();) {
    const std::size_t input = run->input;
    needed_.clear();
    for (; run != runs.end() && run->input == input; ++run) needed_.push_back(range_of(*run));
    inputs_[input].store->will_need(needed_);
  }
  for (const ItemRun& run : runs) {
    const InputItems& input = inputs_[run.input];
    auto item_bytes = static_cast<std::size_t>(input.items.item_bytes);
    pieces_.clear();
    for (std::size_t i = run.begin; i < run.begin + run.count; ++i) {
      const std::size_t at = order_[i];
      if (!starts.empty()) item_bytes = static_cast<std::size_t>(starts[at + 1] - starts[at]);
      std::byte* const to =
          buffer + (starts.empty() ? at * item_bytes : static_cast<std::size_t>(starts[at] - starts[0]));
      append_piece(pieces_, to, item_bytes);
    }
    const ByteRange bytes = range_of(run);
    const Request request{Operation::read, bytes.offset, pieces_};
    input.store->submit({&request, 1});
    have_read(*input.store, bytes, after_);
  }
}

void read_items(std::span<const InputItems> inputs, ItemRange items, std::span<std::byte> bytes, AfterReading after) {
  std::size_t done = 0;
  for (const InputItems& input : inputs) {
    const ItemRange here = intersection(items, {input.first_item, input.items.count});
    if (here.empty()) continue;
    const ByteRange in_file = input.items.bytes_of({here.first - input.first_item, here.count});
    read_at(*input.store, in_file.offset, bytes.subspan(done, static_cast<std::size_t>(in_file.length)));
    have_read(*input.store, in_file, after);
    done += static_cast<std::size_t>(in_file.length);
  }
}

void PlacedReader::read(ItemRange items, std::span<std::byte* const> places) {
  for (const InputItems& input : inputs_) {
    const ItemRange here = intersection(items, {input.first_item, input.items.count});
    if (!here.empty()) read_of(input, here, places.data() + (here.first - items.first));
  }
}

void PlacedReader::will_need(ItemRange items, std::span<std::byte* const> places) {
  for (const InputItems& input : inputs_) {
    const ItemRange here = intersection(items, {input.first_item, input.items.count});
    if (!here.empty()) find_stretches(input, here, places.data() + (here.first - items.first));
    if (!here.empty()) input.store->will_need(needed_);
  }
}

void PlacedReader::find_stretches(const InputItems& input, ItemRange items, std::byte* const* places) {
  stretches_.clear();
  needed_.clear();
  for (std::int64_t first = 0; first < items.count; ++first) {
    if (places[first] == nullptr) continue;
    std::int64_t end = first + 1;
    for (std::int64_t at = end; at < items.count && (at - end) * input.items.item_bytes <= bridge_bytes_; ++at)
      if (places[at] != nullptr) end = at + 1;
    stretches_.push_back({first, end - first});
    needed_.push_back(input.items.bytes_of({items.first - input.first_item + first, end - first}));
    first = end;
  }
}

void PlacedReader::read_of(const InputItems& input, ItemRange items, std::byte* const* places) {
  find_stretches(input, items, places);
  input.store->will_need(needed_);
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    collect_pieces(stretches_[i], input.items.item_bytes, places);
    const Request request{Operation::read, needed_[i].offset, pieces_};
    input.store->submit({&request, 1});
    have_read(*input.store, needed_[i], after_);
  }
}

void PlacedReader::collect_pieces(ItemRange stretch, std::int64_t item_bytes, std::byte* const* places) {
  pieces_.clear();
  std::int64_t end = stretch.first;  // end of the items covered by `pieces_`
  for (std::int64_t at = stretch.first; at < stretch.end(); ++at) {
    if (places[at] == nullptr) continue;
    if (at > end) {
      const auto gap_bytes = static_cast<std::size_t>((at - end) * item_bytes);
      if (gap_.size() < gap_bytes) gap_.resize(static_cast<std::size_t>(bridge_bytes_));
      pieces_.push_back({gap_.data(), gap_bytes});
    }
    append_piece(pieces_, places[at], static_cast<std::size_t>(item_bytes));
    end = at + 1;
  }
}

}  // namespace sill
