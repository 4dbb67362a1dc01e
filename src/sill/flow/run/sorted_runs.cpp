#include "sill/flow/run/sorted_runs.hpp"

#include <algorithm>
#include <numeric>

#include "sill/choose/order_sample.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/permute/item_runs.hpp"
#include "sill/permute/positions.hpp"
#include "sill/permute/runs.hpp"
#include "sill/survey/sort/sort_probe.hpp"

namespace sill::flow {
namespace {

// What is prefetched at once, of all runs together: long pieces of each of a hundred runs.
constexpr std::int64_t window_bytes = 64 << 20;

// In the new order, the traces of the looks; those that have left the survey lie behind all others.
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

Resources of_scratch(Resources resources) {
  resources.policy.sync = Policy::Sync::never;
  return resources;
}

}  // namespace

bool are_runs_faster(const Resources& resources, const SurveyReader& reader, const TraceOrder& order) {
  Communicator& comm = resources.comm;
  PermutationFacts facts = facts_of(resources, reader.traces(), reader.trace_bytes(), resources.memory());
  if (stays_cached(facts)) return false;
  const std::vector<Look> looks = looks_at(facts.items, facts.items);
  const OrderSample sample(looks, looked_at(comm, order, looks));
  facts.looked = true;
  facts.joined_in_chunk = sample.joined(std::max<std::int64_t>(1, gather_chunk_bytes / facts.item_bytes));
  facts.joined_in_cache = sample.joined(cached_items(facts));
  const PermutationChoice choice = choose_permutation(facts);
  const auto estimate_of = [&](PermutationMethod method) {
    return *std::ranges::find(choice.estimates, method, &PermutationEstimate::method);
  };
  const PermutationEstimate runs = estimate_of(PermutationMethod::buckets);
  const bool are_faster = runs.possible && runs.seconds_s < estimate_of(PermutationMethod::gather).seconds_s;
  // Equal facts give equal estimates, unless ranks reckon differently: then rank 0 is right.
  return all_gather(comm, are_faster ? 1 : 0).front() == 1;
}

SortedRuns::SortedRuns(const Resources& resources, const SurveyReader& reader, const TraceOrder& order,
                       const std::string& target)
    : resources_(of_scratch(resources)), file_(resources_, target, reader.traces() * reader.trace_bytes()) {
  Communicator& comm = resources.comm;
  const std::int64_t trace_bytes = reader.trace_bytes();
  int threads = resources.threads();
  const std::int64_t room = run_and_agree(comm, [&] {
    (void)items_per_thread(resources.memory(), trace_bytes, threads);
    return items_per_run(reader.traces(), trace_bytes, comm.size(), resources.memory(), threads);
  });
  const RunLayout layout(reader.traces(), comm.size(), all_reduce(comm, room, Reduction::min));
  const std::vector<std::int64_t> positions =
      positions_of_block(comm, order.numbers, reader.traces(), resources.memory() / 8, Unnamed::last);
  run_and_agree(comm, [&] {
    const ItemRange block = layout.items_of(comm.rank());
    handle_ = file_.handle();
    RunJob job;
    job.inputs = reader.inputs();
    job.inputs_after = AfterReading::drop_cache;
    job.file = handle_.get();
    job.threads = threads;
    job.progress = resources.progress;
    job.order = [&](ItemRange traces, std::span<const std::byte>, std::span<std::uint32_t> sorted) {
      const auto of_run = std::span(positions).subspan(static_cast<std::size_t>(traces.first - block.first));
      std::iota(sorted.begin(), sorted.end(), std::uint32_t{0});
      std::ranges::stable_sort(sorted, {}, [&](std::uint32_t i) { return of_run[i]; });
    };
    write_runs(layout, comm.rank(), job);
  });
  file_.share();
  handle_ = run_and_agree(comm, [&] { return file_.handle(); });
  items_ = {handle_.get(), {0, trace_bytes, reader.traces()}, 0};
  places_ = locate_in_runs(comm, layout, order.numbers);
  window_traces_ = std::max<std::int64_t>(1, std::min(window_bytes, resources.memory()) / trace_bytes);
  prefetch(0);
}

void SortedRuns::read(ItemRange own, std::span<std::byte> into) {
  const std::int64_t next = own.end() / window_traces_ + 1;
  for (std::int64_t window = next_window_.load(); window <= next;)
    if (next_window_.compare_exchange_weak(window, window + 1)) prefetch(window);
  ChunkReader({&items_, 1}, AfterReading::drop_cache).read(places_of(own), into.data());
}

void SortedRuns::prefetch(std::int64_t window) const {
  const ItemRange traces = intersection({window * window_traces_, window_traces_}, {0, std::ssize(places_)});
  std::vector<std::size_t> order;
  std::vector<ByteRange> pieces;
  for (const ItemRun& run : runs_in_file_order(places_of(traces), {&items_, 1}, order))
    pieces.push_back(items_.items.bytes_of({run.first_item, static_cast<std::int64_t>(run.count)}));
  handle_->will_need(pieces);
}

std::span<const std::int64_t> SortedRuns::places_of(ItemRange own) const {
  return std::span(places_).subspan(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.count));
}

}  // namespace sill::flow
