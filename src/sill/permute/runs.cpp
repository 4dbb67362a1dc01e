#include "sill/permute/runs.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "sill/base/threads.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/item_runs.hpp"

namespace sill {
namespace {

// Items within a run are numbered with 32 bits.
constexpr std::int64_t max_run_items = std::int64_t{1} << 31U;

// Longer pieces are not faster on a disk, and touching the memory of longer runs costs time.
constexpr double long_piece_bytes = 4 << 20;

}  // namespace

RunLayout::RunLayout(std::int64_t items, int parts, std::int64_t run_items)
    : items_(items), parts_(parts), run_items_(std::min(run_items, max_run_items)), first_run_{0} {
  for (int part = 0; part < parts; ++part) {
    first_run_.push_back(first_run_.back() + (items_of(part).count + run_items_ - 1) / run_items_);
  }
}

ItemRange RunLayout::runs_of(int rank) const {
  if (rank >= parts_) return {runs(), 0};
  const auto part = static_cast<std::size_t>(rank);
  return {first_run_[part], first_run_[part + 1] - first_run_[part]};
}

ItemRange RunLayout::items_of(int rank) const {
  return rank < parts_ ? block_of(items_, parts_, rank) : ItemRange{items_, 0};
}

ItemRange RunLayout::items_of_run(std::int64_t run) const {
  const auto part = std::upper_bound(first_run_.begin(), first_run_.end(), run) - first_run_.begin() - 1;
  const ItemRange items = items_of(static_cast<int>(part));
  const std::int64_t first = (run - first_run_[static_cast<std::size_t>(part)]) * run_items_;
  return {items.first + first, std::min(run_items_, items.count - first)};
}

std::int64_t RunLayout::run_holding(std::int64_t item) const {
  const std::int64_t part = part_holding(item, items_, parts_);
  return first_run_[static_cast<std::size_t>(part)] + (item - items_of(static_cast<int>(part)).first) / run_items_;
}

std::int64_t items_per_run(std::int64_t items, std::int64_t item_bytes, int parts, std::int64_t memory_bytes,
                           int threads) {
  if (memory_bytes < item_bytes + overhead_bytes_per_item) return 0;
  const std::int64_t room = items_per_thread(memory_bytes, item_bytes, threads);
  const std::int64_t share = items / parts / threads;
  const double total_bytes = static_cast<double>(items) * static_cast<double>(item_bytes);
  const auto enough = static_cast<std::int64_t>(std::sqrt(total_bytes * long_piece_bytes)) / item_bytes;
  return std::max<std::int64_t>(1, std::min({room, share, enough}));
}

namespace {

// The buffers of one thread for a run.
struct RunBuffers {
  explicit RunBuffers(std::int64_t size_bytes) : bytes(new std::byte[static_cast<std::size_t>(size_bytes)]) {}
  std::unique_ptr<std::byte[]> bytes;
  std::vector<std::uint32_t> order;
  std::vector<iovec> pieces;
};

}  // namespace

void write_runs(const RunLayout& layout, int rank, const RunJob& job) {
  const ItemRange runs = layout.runs_of(rank);
  if (runs.empty()) return;
  const std::int64_t item_bytes = job.inputs.front().items.item_bytes;
  const std::int64_t largest_bytes = layout.items_of_run(runs.first).count * item_bytes;
  std::vector<std::unique_ptr<RunBuffers>> buffers(static_cast<std::size_t>(job.threads));
  parallel_for(job.threads, runs.count, [&](std::int64_t run, int thread) {
    auto& own = buffers[static_cast<std::size_t>(thread)];
    if (!own) own = std::make_unique<RunBuffers>(largest_bytes);
    const ItemRange items = layout.items_of_run(runs.first + run);
    const auto count = static_cast<std::size_t>(items.count);
    const auto bytes = std::span(own->bytes.get(), count * static_cast<std::size_t>(item_bytes));
    read_items(job.inputs, items, bytes, job.inputs_after);
    own->order.resize(count);
    job.order(items, bytes, own->order);
    own->pieces.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      own->pieces[i] = {bytes.data() + own->order[i] * static_cast<std::size_t>(item_bytes),
                        static_cast<std::size_t>(item_bytes)};
    }
    const Request request{Operation::write, items.first * item_bytes, own->pieces};
    job.file->submit({&request, 1});
    count_done(job.progress, static_cast<std::int64_t>(bytes.size()));
  });
}

std::vector<std::int64_t> locate_in_runs(Communicator& comm, const RunLayout& layout,
                                         std::span<const std::int64_t> sources) {
  const auto runs = static_cast<std::size_t>(layout.runs());
  std::vector<std::int64_t> counts = run_and_agree(comm, [&] { return std::vector<std::int64_t>(runs, 0); });
  for (const std::int64_t source : sources) ++counts[static_cast<std::size_t>(layout.run_holding(source))];
  // Items of a run are in the final order: the items of lower ranks precede the items of this rank.
  const std::vector<std::int64_t> of_all = all_gather_all(comm, std::span<const std::int64_t>(counts));
  std::vector<std::int64_t> next;
  std::vector<std::int64_t> places;
  run_and_agree(comm, [&] {
    next.resize(runs);
    places.resize(sources.size());
  });
  for (std::size_t run = 0; run < runs; ++run) {
    next[run] = layout.items_of_run(static_cast<std::int64_t>(run)).first;
    for (std::size_t r = 0; r < static_cast<std::size_t>(comm.rank()); ++r) next[run] += of_all[r * runs + run];
  }
  for (std::size_t i = 0; i < sources.size(); ++i) {
    places[i] = next[static_cast<std::size_t>(layout.run_holding(sources[i]))]++;
  }
  return places;
}

}  // namespace sill
