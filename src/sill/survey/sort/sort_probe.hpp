// Samples a survey before it is sorted: the new order of a few traces, and the cost of reading.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/choose/order_sample.hpp"
#include "sill/choose/permutation_method.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {

/// The minimum size of a survey that is sampled. Smaller surveys are sorted before sampling could save time.
inline constexpr std::int64_t min_bytes_to_look_at = 64 << 20;

/// The time that samples may take, as a fraction of the time for reading the survey once.
inline constexpr double part_for_looks = 0.02;

/// The cost of reading in the current state of the caches.
struct ReadCosts {
  double request_s = 0;        ///< one trace at a random position: mean
  double read_s_per_byte = 0;  ///< long reads: mean of the faster three quarters
};

/// Collective. Returns the facts about items that do not depend on their order. Buffers of this rank may use
/// `memory_bytes`.
[[nodiscard]] PermutationFacts facts_of(const Resources& resources, std::int64_t items, std::int64_t item_bytes,
                                        std::int64_t memory_bytes);

/// Local. Measures reads of single traces and of a few long segments, spread over the survey. Buffers use at most
/// `memory_bytes`, but at least one trace. Errors: io. Precondition: there are traces.
[[nodiscard]] ReadCosts measure_reads(const SurveyReader& reader, std::int64_t memory_bytes);

/// Local. Reads the keys of the sampled traces `looks` and returns the numbers of these traces in their new order.
/// Errors: as read_keys.
template <std::size_t Words>
[[nodiscard]] std::vector<std::int64_t> sorted_traces_of(const SurveyReader& reader, std::span<const Look> looks,
                                                         std::span<const segy::TraceKey> keys) {
  std::vector<KeyRecord<Words>> records;
  for (const Look& look : looks) {
    const std::vector<KeyRecord<Words>> some = read_keys<Words>(reader, look.items, keys, 1);
    records.insert(records.end(), some.begin(), some.end());
  }
  std::sort(records.begin(), records.end());
  std::vector<std::int64_t> traces(records.size());
  std::transform(records.begin(), records.end(), traces.begin(), [](const auto& record) { return record.item; });
  return traces;
}

/// Collective. Adds to `facts` the results of rank 0's samples of the survey, the same on all ranks; adds nothing for a
/// small survey. A thread of a gather writes `chunk_bytes` at once. Errors: io; input as read_keys.
template <std::size_t Words>
void look_at(const Resources& resources, const SurveyReader& reader, std::span<const segy::TraceKey> keys,
             std::int64_t chunk_bytes, PermutationFacts& facts) {
  if (facts.items * facts.item_bytes < min_bytes_to_look_at) return;
  resources.begin_stage("reading the order", 0);
  run_on_rank(resources.comm, 0, [&] {
    // First, so that its data have not been cached by the reads below.
    const ReadCosts costs = measure_reads(reader, facts.memory_bytes);
    // Reading the keys of a sampled trace takes as long as a read. All samples must take only a small fraction of the
    // time of the sort.
    const double bytes = static_cast<double>(facts.items) * static_cast<double>(facts.item_bytes);
    const double max_looks = part_for_looks * bytes * costs.read_s_per_byte / std::max(1e-7, costs.request_s);
    const std::vector<Look> looks = looks_at(facts.items, static_cast<std::int64_t>(std::min(max_looks, 1e6)));
    const std::vector<std::int64_t> order = sorted_traces_of<Words>(reader, looks, keys);
    const OrderSample sample(looks, order);
    facts.looked = true;
    facts.items_looked_at = static_cast<std::int64_t>(order.size());
    facts.joined_in_chunk = sample.joined(std::max<std::int64_t>(1, chunk_bytes / facts.item_bytes));
    for (std::size_t halvings = 0; halvings < scatter_halvings; ++halvings)
      facts.joined_in_window[halvings] =
          sample.joined(std::max<std::int64_t>(1, scatter_window_items(facts, scatter_memory_bytes(facts, halvings))));
    facts.joined_in_cache = sample.joined(cached_items(facts));
    facts.request_s = costs.request_s;
    facts.read_s_per_byte = costs.read_s_per_byte;
  });
  resources.comm.broadcast(std::as_writable_bytes(std::span(&facts, 1)), 0);
}

}  // namespace sill
