#include "sill/flow/run/sorted_runs.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "sill/choose/order_sample.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/permute/item_runs.hpp"
#include "sill/permute/positions.hpp"

namespace sill::flow {
namespace {

// Bytes that are prefetched at once, over all runs: long pieces of each of a hundred runs.
constexpr std::int64_t window_bytes = 64 << 20;

// Returns the traces of `looks` in the order of the pass, then those that are no longer in the survey.
std::vector<std::int64_t> looked_at(Communicator& comm, const TraceOrder& order, std::span<const Look> looks) {
  const auto is_in_look = [&](std::int64_t trace) {
    const auto after = std::ranges::upper_bound(looks, trace, {}, [](const Look& look) { return look.items.first; });
    return after != looks.begin() && trace < std::prev(after)->items.end();
  };
  std::vector<std::int64_t> own;
  std::ranges::copy_if(order.numbers, std::back_inserter(own), is_in_look);
  std::vector<std::int64_t> all = all_gather_all(comm, std::span<const std::int64_t>(own));
  std::vector<std::int64_t> staying = all;
  std::ranges::sort(staying);
  for (const Look& look : looks)
    for (std::int64_t trace = look.items.first; trace < look.items.end(); ++trace)
      if (!std::ranges::binary_search(staying, trace)) all.push_back(trace);
  return all;
}

// Returns the positions in the order for the block of all traces that this rank writes into runs. Traces that have left
// the survey are placed after all others.
RunOrder order_in_runs(const Resources& resources, const SurveyReader& reader, const TraceOrder& order) {
  Communicator& comm = resources.comm;
  return [positions = positions_of_block(comm, order.numbers, reader.traces(), resources.memory() / 8, Unnamed::last),
          first = block_of(reader.traces(), comm.size(), comm.rank()).first](
             ItemRange traces, std::span<const std::byte> /*bytes*/, std::span<std::uint32_t> sorted) {
    const auto of_run = std::span(positions).subspan(static_cast<std::size_t>(traces.first - first));
    std::iota(sorted.begin(), sorted.end(), std::uint32_t{0});
    std::ranges::stable_sort(sorted, {}, [&](std::uint32_t i) { return of_run[i]; });
  };
}

}  // namespace

bool are_runs_faster(Communicator& comm, PermutationFacts facts, const TraceOrder& order) {
  if (stays_cached(facts)) return false;
  const std::vector<Look> looks = looks_at(facts.items, facts.items);
  const OrderSample sample(looks, looked_at(comm, order, looks));
  facts.looked = true;
  facts.has_keys = true;
  facts.joined_in_chunk = sample.joined(std::max<std::int64_t>(1, pull_chunk_bytes / facts.item_bytes));
  facts.joined_in_cache = sample.joined(cached_items(facts));
  // When reading from their positions, only the remaining traces are read, from a file larger than the cache, however
  // few they are.
  PermutationFacts of_taken = facts;
  of_taken.items = order.all;
  of_taken.cacheable_bytes = 0;
  const auto seconds_of = [](const PermutationFacts& of, PermutationMethod method) {
    const PermutationChoice choice = choose_permutation(of);
    const PermutationEstimate& estimate = *std::ranges::find(choice.estimates, method, &PermutationEstimate::method);
    return estimate.possible ? estimate.seconds_s : std::numeric_limits<double>::infinity();
  };
  const bool are_faster =
      seconds_of(facts, PermutationMethod::buckets) < seconds_of(of_taken, PermutationMethod::gather);
  // Equal facts give equal estimates unless ranks compute differently; then the result of rank 0 is used.
  return all_gather(comm, are_faster ? 1 : 0).front() == 1;
}

SortedRuns::SortedRuns(const Resources& resources, const SurveyReader& reader, const TraceOrder& order,
                       const std::string& target, AfterReading inputs_after)
    : file_(resources, reader, target, resources.memory(), inputs_after, order_in_runs(resources, reader, order)),
      places_(file_.locate(order.numbers)),
      window_traces_(std::max<std::int64_t>(1, std::min(window_bytes, resources.memory()) / reader.trace_bytes())) {
  prefetch(0);
}

void SortedRuns::read(ItemRange own, std::span<std::byte> into) {
  const std::int64_t next = own.end() / window_traces_ + 1;
  for (std::int64_t window = next_window_.load(); window <= next;)
    if (next_window_.compare_exchange_weak(window, window + 1)) prefetch(window);
  ChunkReader({&file_.items(), 1}, AfterReading::drop_cache).read(places_of(own), into.data());
}

void SortedRuns::prefetch(std::int64_t window) const {
  const ItemRange traces = intersection({window * window_traces_, window_traces_}, {0, std::ssize(places_)});
  if (traces.count == 0) return;  // after the last window
  std::vector<std::size_t> order;
  std::vector<ByteRange> pieces;
  for (const ItemRun& run : runs_in_file_order(places_of(traces), {&file_.items(), 1}, order))
    pieces.push_back(file_.items().items.bytes_of({run.first_item, static_cast<std::int64_t>(run.count)}));
  file_.items().store->will_need(pieces);
}

std::span<const std::int64_t> SortedRuns::places_of(ItemRange own) const {
  return std::span(places_).subspan(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.count));
}

}  // namespace sill::flow
