#include "sill/permute/positions.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr std::int64_t unknown = -1;

std::size_t to_index(std::int64_t i) { return static_cast<std::size_t>(i); }

[[noreturn]] void refuse_order() {
  throw Error({.code = ErrorCode::usage, .problem = "the new order does not contain every item exactly once"});
}

struct Placed {
  std::int64_t item = 0;
  std::int64_t position = 0;
};

// The positions of a block of items, filled in as they become known.
class Positions {
 public:
  explicit Positions(ItemRange block) : block_(block), of_(to_index(block.count), unknown) {}

  void place(const Placed& placed) {
    const std::int64_t i = placed.item - block_.first;
    if (i < 0 || i >= block_.count || of_[to_index(i)] != unknown) refuse_order();
    of_[to_index(i)] = placed.position;
  }
  std::vector<std::int64_t> take(std::int64_t items, Unnamed unnamed) {
    if (unnamed == Unnamed::last) std::replace(of_.begin(), of_.end(), unknown, items);
    if (std::find(of_.begin(), of_.end(), unknown) != of_.end()) refuse_order();
    return std::move(of_);
  }

 private:
  ItemRange block_;
  std::vector<std::int64_t> of_;
};

// The sources of this rank, each with its position, in the order of the ranks that read them.
class Outbox {
 public:
  Outbox(std::int64_t items, int ranks) : items_(items), ranks_(ranks) {}

  void fill(std::span<const std::int64_t> sources, std::int64_t first_position) {
    std::vector<std::size_t> next(to_index(ranks_), 0);
    for (const std::int64_t item : sources) ++next[reader_of(item)];
    std::exclusive_scan(next.begin(), next.end(), next.begin(), std::size_t{0});
    placed_.resize(sources.size());
    for (const std::int64_t item : sources) placed_[next[reader_of(item)]++] = {item, first_position++};
    parts_.resize(next.size());
    std::size_t begin = 0;
    for (std::size_t r = 0; r < next.size(); ++r) {
      parts_[r] = std::span<const Placed>(placed_).subspan(begin, next[r] - begin);
      begin = next[r];
    }
  }
  [[nodiscard]] std::span<const std::span<const Placed>> parts() const { return parts_; }

 private:
  [[nodiscard]] std::size_t reader_of(std::int64_t item) const {
    if (item < 0 || item >= items_) refuse_order();
    return to_index(part_holding(item, items_, ranks_));
  }

  std::int64_t items_;
  int ranks_;
  std::vector<Placed> placed_;
  std::vector<std::span<const Placed>> parts_;
};

}  // namespace

std::vector<std::int64_t> positions_of_block(Communicator& comm, std::span<const std::int64_t> sources,
                                             std::int64_t items, std::int64_t memory_bytes, Unnamed unnamed) {
  const int ranks = comm.size();
  const std::vector<std::int64_t> counts = all_gather(comm, static_cast<std::int64_t>(sources.size()));
  const std::int64_t first = exclusive_sum(counts, comm.rank()).before;
  Positions positions = run_and_agree(comm, [&] { return Positions(block_of(items, ranks, comm.rank())); });
  if (ranks == 1) {
    for (std::size_t i = 0; i < sources.size(); ++i) positions.place({sources[i], static_cast<std::int64_t>(i)});
    return positions.take(items, unnamed);
  }

  // In batches, because a rank may receive the sources of all ranks at once.
  const std::int64_t room = memory_bytes / static_cast<std::int64_t>(sizeof(Placed)) / (ranks + 1);
  const std::int64_t batch = std::max<std::int64_t>(1, all_reduce(comm, room, Reduction::min));
  const std::int64_t max = *std::max_element(counts.begin(), counts.end());
  Outbox outbox(items, ranks);
  std::optional<Error> failure;
  for (std::int64_t begin = 0; begin < max; begin += batch) {
    run_and_agree(comm, [&] {
      const std::int64_t from = std::min(begin, counts[to_index(comm.rank())]);
      const std::int64_t count = std::min(batch, counts[to_index(comm.rank())] - from);
      outbox.fill(sources.subspan(to_index(from), to_index(count)), first + from);
    });
    const std::vector<Placed> arrived = all_to_all(comm, outbox.parts());
    if (failure) continue;
    failure = attempt([&] {
      for (const Placed& placed : arrived) positions.place(placed);
    });
  }
  agree(comm, failure);
  return run_and_agree(comm, [&] { return positions.take(items, unnamed); });
}

}  // namespace sill
