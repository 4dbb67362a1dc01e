// Two passes through buckets in the output's own ranges.
//
// A bucket is a run of output positions that one thread can hold in memory. Within a bucket the first pass leaves items
// in ascending order of their source. So where an item lies after the first pass is known to everyone without a word:
// its slot is the number of items of the bucket that have a lower source, however many ranks and threads wrote them.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/move/permutation.hpp"

namespace sill {
namespace {

// Beside its bytes an item in flight costs its entries in the orders, the pieces and the pointers.
constexpr std::int64_t overhead_an_item = 48;

std::int64_t cost_an_item(const Permutation& job) { return job.output_items.item_bytes + overhead_an_item; }

// Where the buckets of all ranks begin. Those of a rank divide its positions.
struct BucketMap {
  std::int64_t bucket_items = 0;
  std::vector<std::int64_t> first_position;  // of every bucket, then the end
  std::int64_t first_of_rank = 0;            // this rank's first bucket
  std::int64_t count_of_rank = 0;

  [[nodiscard]] std::size_t count() const { return first_position.size() - 1; }
};

BucketMap divide(Communicator& comm, const Permutation& job, int threads) {
  BucketMap map;
  const std::int64_t room = job.memory_bytes / threads / cost_an_item(job);
  map.bucket_items = all_reduce(comm, room, Reduction::min);
  if (map.bucket_items < 1) {
    agree(comm, Error({.code = ErrorCode::usage,
                       .problem = fmt::format("{} bytes of memory do not hold one item of {} bytes", job.memory_bytes,
                                              job.output_items.item_bytes),
                       .action = fmt::format("give at least {} bytes", cost_an_item(job))}));
  }
  const std::vector<std::int64_t> counts = all_gather(comm, static_cast<std::int64_t>(job.sources.size()));
  std::int64_t position = 0;
  for (std::size_t rank = 0; rank < counts.size(); ++rank) {
    const auto first = static_cast<std::int64_t>(map.first_position.size());
    for (std::int64_t at = 0; at < counts[rank]; at += map.bucket_items) map.first_position.push_back(position + at);
    if (static_cast<int>(rank) == comm.rank()) {
      map.first_of_rank = first;
      map.count_of_rank = static_cast<std::int64_t>(map.first_position.size()) - first;
    }
    position += counts[rank];
  }
  map.first_position.push_back(position);
  return map;
}

// Which bucket an item of the reader's block goes to.
struct Destination {
  std::uint32_t item = 0;  // from the first of the block
  std::uint32_t bucket = 0;
};

// For this rank's block of the input, the bucket of every item.
std::vector<std::uint32_t> destinations(Communicator& comm, const Permutation& job, const BucketMap& map,
                                        std::int64_t items) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  const ItemRange block = block_of(items, comm.size(), comm.rank());
  agree(comm, attempt([&] {
          if (block.count > std::numeric_limits<std::uint32_t>::max() ||
              map.count() > std::numeric_limits<std::uint32_t>::max()) {
            throw Error({.code = ErrorCode::usage,
                         .problem = fmt::format("{} items are too many for one rank", block.count),
                         .action = "use more ranks"});
          }
        }));
  // Grouped by the rank that will read the item.
  std::vector<std::size_t> begin(ranks + 1, 0);
  const auto reader_of = [&](std::int64_t source) {
    return static_cast<std::size_t>(part_holding(source, items, comm.size()));
  };
  for (const std::int64_t source : job.sources) ++begin[reader_of(source) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
  std::vector<Destination> sorted(job.sources.size());
  for (std::size_t i = 0; i < job.sources.size(); ++i) {
    const std::int64_t source = job.sources[i];
    const std::size_t reader = reader_of(source);
    const std::int64_t first = block_of(items, comm.size(), static_cast<std::int64_t>(reader)).first;
    sorted[next[reader]++] = {
        static_cast<std::uint32_t>(source - first),
        static_cast<std::uint32_t>(map.first_of_rank + static_cast<std::int64_t>(i) / map.bucket_items)};
  }
  std::vector<std::span<const Destination>> parts(ranks);
  for (std::size_t r = 0; r < ranks; ++r) parts[r] = std::span(sorted).subspan(begin[r], begin[r + 1] - begin[r]);
  const std::vector<Destination> mine = all_to_all(comm, std::span<const std::span<const Destination>>(parts));
  std::vector<std::uint32_t> bucket_of(static_cast<std::size_t>(block.count));
  for (const Destination& destination : mine) bucket_of[destination.item] = destination.bucket;
  return bucket_of;
}

// The position at which each thread of this rank begins to fill each bucket, [thread][bucket].
std::vector<std::vector<std::int64_t>> first_slots(Communicator& comm, const BucketMap& map,
                                                   std::span<const std::uint32_t> bucket_of, int threads) {
  const auto portions = static_cast<std::size_t>(threads);
  std::vector<std::vector<std::int64_t>> slots(portions, std::vector<std::int64_t>(map.count(), 0));
  run_on_threads(threads, [&](int thread) {
    const ItemRange portion = block_of(static_cast<std::int64_t>(bucket_of.size()), threads, thread);
    auto& counts = slots[static_cast<std::size_t>(thread)];
    for (std::int64_t i = portion.first; i < portion.end(); ++i) ++counts[bucket_of[static_cast<std::size_t>(i)]];
  });
  std::vector<std::int64_t> of_rank(map.count(), 0);
  for (const auto& counts : slots) {
    for (std::size_t b = 0; b < map.count(); ++b) of_rank[b] += counts[b];
  }
  const std::vector<std::int64_t> of_all = all_gather_all(comm, std::span<const std::int64_t>(of_rank));
  for (std::size_t b = 0; b < map.count(); ++b) {
    std::int64_t slot = map.first_position[b];
    for (std::size_t r = 0; r < static_cast<std::size_t>(comm.rank()); ++r) slot += of_all[r * map.count() + b];
    for (auto& counts : slots) slot += std::exchange(counts[b], slot);
  }
  return slots;
}

// The first pass of one thread: reads its portion in order and writes every item into its bucket's next slots.
class Spreader {
 public:
  Spreader(const Permutation& job, std::int64_t room_items, std::vector<std::int64_t>& slots)
      : job_(job),
        item_bytes_(job.output_items.item_bytes),
        room_items_(room_items),
        slots_(slots),
        begin_(slots.size() + 1),
        buffer_(new std::byte[static_cast<std::size_t>(room_items * item_bytes_)]) {}

  // `items` by number; `buckets` the bucket of each.
  void spread(ItemRange items, std::span<const std::uint32_t> buckets) {
    while (!items.empty()) {
      const InputItems& input = *std::prev(std::upper_bound(
          job_.inputs.begin(), job_.inputs.end(), items.first,
          [](std::int64_t item, const InputItems& candidate) { return item < candidate.first_item; }));
      const ItemRange in_file{items.first - input.first_item,
                              std::min({items.count, room_items_, input.first_item + input.items.count - items.first})};
      const ByteRange bytes = input.items.bytes_of(in_file);
      read_at(*input.store, bytes.offset, {buffer_.get(), static_cast<std::size_t>(bytes.length)});
      const auto count = static_cast<std::size_t>(in_file.count);
      write_to_buckets(buckets.first(count));
      if (job_.progress != nullptr) job_.progress->done_bytes += bytes.length;
      items = {items.first + in_file.count, items.count - in_file.count};
      buckets = buckets.subspan(count);
    }
  }

 private:
  void write_to_buckets(std::span<const std::uint32_t> buckets) {
    // Indices grouped by bucket, ascending within each (counting sort).
    std::fill(begin_.begin(), begin_.end(), 0);
    for (const std::uint32_t bucket : buckets) ++begin_[bucket + 1];
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
    pieces_.resize(buckets.size());
    for (std::size_t i = 0; i < buckets.size(); ++i) {
      pieces_[begin_[buckets[i]]++] = {buffer_.get() + i * static_cast<std::size_t>(item_bytes_),
                                       static_cast<std::size_t>(item_bytes_)};
    }
    std::size_t first = 0;
    for (std::size_t bucket = 0; bucket < slots_.size(); ++bucket) {
      const std::size_t end = begin_[bucket];
      if (end == first) continue;
      const auto count = static_cast<std::int64_t>(end - first);
      const ByteRange to = job_.output_items.bytes_of({slots_[bucket], count});
      const Request request{Operation::write, to.offset, std::span(pieces_).subspan(first, end - first)};
      job_.output->submit({&request, 1});
      slots_[bucket] += count;
      first = end;
    }
  }

  const Permutation& job_;
  std::int64_t item_bytes_;
  std::int64_t room_items_;
  std::vector<std::int64_t>& slots_;
  std::vector<std::size_t> begin_;
  std::unique_ptr<std::byte[]> buffer_;
  std::vector<iovec> pieces_;
};

// The second pass of one thread: reads a bucket whole and writes it in order.
class Settler {
 public:
  Settler(const Permutation& job, std::int64_t room_items)
      : job_(job), buffer_(new std::byte[static_cast<std::size_t>(room_items * job.output_items.item_bytes)]) {}

  void settle(ItemRange positions) {
    const auto item_bytes = static_cast<std::size_t>(job_.output_items.item_bytes);
    const auto count = static_cast<std::size_t>(positions.count);
    const auto sources = job_.sources.subspan(static_cast<std::size_t>(positions.first - job_.first_position), count);
    const ByteRange bytes = job_.output_items.bytes_of(positions);
    read_at(*job_.output, bytes.offset, {buffer_.get(), static_cast<std::size_t>(bytes.length)});

    order_.resize(count);
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::sort(order_.begin(), order_.end(), [&](std::size_t a, std::size_t b) { return sources[a] < sources[b]; });
    items_.resize(count);
    for (std::size_t slot = 0; slot < count; ++slot) items_[order_[slot]] = buffer_.get() + slot * item_bytes;
    if (job_.inspect) job_.inspect(positions.first, sources, items_);

    pieces_.resize(count);
    for (std::size_t i = 0; i < count; ++i) pieces_[i] = {const_cast<std::byte*>(items_[i]), item_bytes};
    const Request request{Operation::write, bytes.offset, pieces_};
    job_.output->submit({&request, 1});
    if (job_.progress != nullptr) job_.progress->done_bytes += bytes.length;
  }

 private:
  const Permutation& job_;
  std::unique_ptr<std::byte[]> buffer_;
  std::vector<std::size_t> order_;
  std::vector<const std::byte*> items_;
  std::vector<iovec> pieces_;
};

}  // namespace

void permute_by_buckets(Communicator& comm, const Permutation& job) {
  const std::int64_t items = job.inputs.empty() ? 0 : job.inputs.back().first_item + job.inputs.back().items.count;
  const ItemRange block = block_of(items, comm.size(), comm.rank());
  const auto threads = static_cast<int>(std::clamp<std::int64_t>(job.memory_bytes / cost_an_item(job), 1, job.threads));
  const BucketMap map = divide(comm, job, threads);
  {
    const std::vector<std::uint32_t> bucket_of = destinations(comm, job, map, items);
    std::vector<std::vector<std::int64_t>> slots = first_slots(comm, map, bucket_of, threads);
    together(comm, [&] {
      run_on_threads(threads, [&](int thread) {
        const ItemRange portion = block_of(block.count, threads, thread);
        if (portion.empty()) return;
        Spreader spreader(job, std::min(map.bucket_items, portion.count), slots[static_cast<std::size_t>(thread)]);
        spreader.spread({block.first + portion.first, portion.count},
                        std::span(bucket_of).subspan(static_cast<std::size_t>(portion.first),
                                                     static_cast<std::size_t>(portion.count)));
      });
    });
  }
  together(comm, [&] {
    std::vector<std::unique_ptr<Settler>> settlers(static_cast<std::size_t>(threads));
    const std::int64_t room = std::min(map.bucket_items, static_cast<std::int64_t>(job.sources.size()));
    hand_out(threads, map.count_of_rank, [&](std::int64_t bucket, int thread) {
      auto& settler = settlers[static_cast<std::size_t>(thread)];
      if (!settler) settler = std::make_unique<Settler>(job, room);
      const auto index = static_cast<std::size_t>(map.first_of_rank + bucket);
      settler->settle({map.first_position[index], map.first_position[index + 1] - map.first_position[index]});
    });
  });
}

}  // namespace sill
