// A look at a survey before it is sorted: how a few traces will lie, and what reading costs.
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

/// Surveys of less are sorted before a look at them pays.
inline constexpr std::int64_t min_bytes_to_look_at = 64 << 20;

/// Of the time that reading the survey once takes.
inline constexpr double part_for_looks = 0.02;

/// What reading costs as the caches are now.
struct ReadCosts {
  double request_s = 0;        ///< one trace somewhere: the mean of the faster three quarters
  double read_s_per_byte = 0;  ///< long reads
};

/// Collective. What is known of items whatever their order: buffers of this rank may take `memory_bytes`.
[[nodiscard]] PermutationFacts facts_of(const Resources& resources, std::int64_t items, std::int64_t item_bytes,
                                        std::int64_t memory_bytes);

/// Local. Reads single traces and a few long pieces, spread over the survey, and takes the time. Buffers hold at most
/// `memory_bytes`, but one trace in any case. Errors: io. Precondition: there are traces.
[[nodiscard]] ReadCosts measure_reads(const SurveyReader& reader, std::int64_t memory_bytes);

/// Local. Reads the keys of the traces of `looks` and returns the numbers of these traces in their new order.
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

/// Collective. Adds to `facts` what rank 0 finds by a look at the survey, which is the same on all ranks then; nothing
/// for a small survey. A thread of a gather writes `chunk_bytes` at once. Errors: io; input as read_keys.
template <std::size_t Words>
void look_at(const Resources& resources, const SurveyReader& reader, std::span<const segy::TraceKey> keys,
             std::int64_t chunk_bytes, PermutationFacts& facts) {
  if (facts.items * facts.item_bytes < min_bytes_to_look_at) return;
  resources.begin_stage("looking at the order", 0);
  run_on_rank(resources.comm, 0, [&] {
    // First, so that nothing it reads has been brought into the cache by what comes next.
    const ReadCosts costs = measure_reads(reader, facts.memory_bytes);
    // A look takes as long as a read. Altogether they are to take little of what the sort will.
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
