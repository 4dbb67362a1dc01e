#include "sill/flow/run/trace_order.hpp"

#include <algorithm>
#include <numeric>

#include "sill/comm/exchange.hpp"
#include "sill/layout/decomposition.hpp"

namespace sill::flow {
namespace {

// Returns, for each rank, the first of its traces, counted from 0 in the order, and finally the number of all traces.
std::vector<std::int64_t> cuts_of(Communicator& comm, std::span<const char> begins, std::int64_t before,
                                  std::int64_t all) {
  const auto ranks = static_cast<std::size_t>(comm.size());
  std::vector<std::int64_t> cuts(ranks + 1, all);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const std::int64_t wanted = block_of(all, comm.size(), static_cast<std::int64_t>(rank)).first;
    for (std::int64_t i = std::max<std::int64_t>(0, wanted - before); i < std::ssize(begins); ++i) {
      if (begins[static_cast<std::size_t>(i)] == 0) continue;
      cuts[rank] = before + i;
      break;
    }
  }
  comm.all_reduce(cuts, Reduction::min);
  return cuts;
}

// Sends the ranges of a rank's traces to the ranks that process them.
template <class T>
std::vector<T> sent_to_takers(Communicator& comm, std::span<const T> mine, std::int64_t before,
                              std::span<const std::int64_t> cuts) {
  std::vector<std::span<const T>> parts(static_cast<std::size_t>(comm.size()));
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    const auto begin = std::clamp<std::int64_t>(cuts[rank] - before, 0, std::ssize(mine));
    const auto end = std::clamp<std::int64_t>(cuts[rank + 1] - before, begin, std::ssize(mine));
    parts[rank] = mine.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
  return all_to_all(comm, std::span<const std::span<const T>>(parts));
}

// Inserts the last numbers of lower ranks before this rank's numbers, and the first numbers of higher ranks after them.
void add_neighbours(Communicator& comm, TraceOrder& order, std::int64_t halo) {
  const std::span<const std::int64_t> mine = order.numbers;
  const auto count = static_cast<std::size_t>(std::min(halo, std::ssize(mine)));
  const std::vector<std::int64_t> firsts = all_gather_all(comm, mine.first(count));
  const std::vector<std::int64_t> lasts = all_gather_all(comm, mine.last(count));
  const ExclusiveSum place = exclusive_sum(comm, static_cast<std::int64_t>(count));
  const std::span<const std::int64_t> below = std::span(lasts).first(static_cast<std::size_t>(place.before));
  const std::span<const std::int64_t> above = std::span(firsts).subspan(static_cast<std::size_t>(place.before) + count);
  const auto before = std::min(static_cast<std::size_t>(halo), below.size());
  const auto behind = std::min(static_cast<std::size_t>(halo), above.size());
  order.numbers.insert(order.numbers.begin(), below.end() - static_cast<std::ptrdiff_t>(before), below.end());
  order.numbers.insert(order.numbers.end(), above.begin(), above.begin() + static_cast<std::ptrdiff_t>(behind));
  order.own.first = static_cast<std::int64_t>(before);
}

}  // namespace

TraceOrder detail::divided(Communicator& comm, std::vector<std::int64_t> numbers, std::vector<char> begins,
                           bool has_gathers, std::int64_t halo) {
  TraceOrder order;
  if (comm.size() > 1) {
    const ExclusiveSum place = exclusive_sum(comm, std::ssize(numbers));
    const std::vector<std::int64_t> cuts = cuts_of(comm, begins, place.before, place.all);
    numbers = sent_to_takers(comm, std::span<const std::int64_t>(numbers), place.before, cuts);
    begins = sent_to_takers(comm, std::span<const char>(begins), place.before, cuts);
  }
  order.numbers = std::move(numbers);
  order.own = {0, std::ssize(order.numbers)};
  const ExclusiveSum place = exclusive_sum(comm, order.own.count);
  order.before = place.before;
  order.all = place.all;
  if (has_gathers) {
    for (std::size_t i = 0; i < begins.size(); ++i)
      if (begins[i] != 0) order.gathers.push_back(static_cast<std::int64_t>(i));
    const ExclusiveSum gathers = exclusive_sum(comm, std::ssize(order.gathers));
    order.gathers_before = gathers.before;
    order.all_gathers = gathers.all;
    order.gathers.push_back(order.own.count);
  }
  if (halo > 0) add_neighbours(comm, order, halo);
  return order;
}

TraceOrder input_order(Communicator& comm, std::int64_t traces) {
  const ItemRange own = block_of(traces, comm.size(), comm.rank());
  return {.own = own, .before = own.first, .all = traces};
}

}  // namespace sill::flow
