#include "sill/survey/select/trace_values.hpp"

#include <algorithm>
#include <cmath>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/key_sort.hpp"
#include "sill/layout/decomposition.hpp"
#include "sill/survey/sort/key_table.hpp"

namespace sill {

std::vector<double> read_values(const Resources& resources, const SurveyReader& reader, ItemRange traces,
                                std::span<const segy::TraceKey> keys) {
  return run_and_agree(resources.comm, [&] {
    reader.require_traces(traces);
    std::vector<double> values(keys.size() * static_cast<std::size_t>(traces.count));
    reader.scan_headers(traces, needed_bytes(keys), resources.threads(), [&](const HeaderBlock& block, int /*thread*/) {
      for_each_trace(reader, block.first_trace, block.count, [&](std::int64_t i) {
        for (std::size_t k = 0; k < keys.size(); ++k)
          values[k * static_cast<std::size_t>(traces.count) +
                 static_cast<std::size_t>(block.first_trace + i - traces.first)] =
              keys[k].value(block.view(i)).as_double();
      });
    });
    return values;
  });
}

KeyExtremes find_extremes(const Resources& resources, const SurveyReader& reader, const segy::TraceKey& key) {
  Communicator& comm = resources.comm;
  const ItemRange own = block_of(reader.traces(), comm.size(), comm.rank());
  const std::vector<double> values = read_values(resources, reader, own, {&key, 1});
  KeyExtremes found;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) continue;
    const KeyExtreme here{values[i], own.first + static_cast<std::int64_t>(i)};
    found.smallest.take(here, -1.0);
    found.largest.take(here, 1.0);
  }
  for (const KeyExtremes& other : all_gather(comm, found)) {
    found.smallest.take(other.smallest, -1.0);
    found.largest.take(other.largest, 1.0);
  }
  return found;
}

namespace {

template <std::size_t Words>
std::vector<std::int64_t> order_by(const Resources& resources, const SurveyReader& reader,
                                   std::span<const segy::TraceKey> keys) {
  Communicator& comm = resources.comm;
  std::vector<KeyRecord<Words>> records = run_and_agree(comm, [&] {
    return read_keys<Words>(reader, block_of(reader.traces(), comm.size(), comm.rank()), keys, resources.threads());
  });
  sort_distributed(comm, records);
  std::vector<std::int64_t> numbers(records.size());
  std::ranges::transform(records, numbers.begin(), &KeyRecord<Words>::item);
  // The sorted shares of ranks are about as long as their blocks.
  const std::int64_t before = exclusive_sum(comm, std::ssize(numbers)).before;
  std::vector<std::span<const std::int64_t>> parts(static_cast<std::size_t>(comm.size()));
  for (int rank = 0; rank < comm.size(); ++rank) {
    const ItemRange block = block_of(reader.traces(), comm.size(), rank);
    const std::int64_t first = std::clamp<std::int64_t>(block.first - before, 0, std::ssize(numbers));
    const std::int64_t end = std::clamp<std::int64_t>(block.end() - before, 0, std::ssize(numbers));
    parts[static_cast<std::size_t>(rank)] = std::span<const std::int64_t>(numbers).subspan(
        static_cast<std::size_t>(first), static_cast<std::size_t>(end - first));
  }
  return all_to_all(comm, std::span<const std::span<const std::int64_t>>(parts));
}

}  // namespace

std::vector<std::int64_t> find_order(const Resources& resources, const SurveyReader& reader,
                                     std::span<const segy::TraceKey> keys) {
  const std::int64_t bytes = packed_bytes(keys);
  run_and_agree(resources.comm, [&] { with_key_words(bytes, []<std::size_t Words>() {}); });
  return with_key_words(bytes, [&]<std::size_t Words>() { return order_by<Words>(resources, reader, keys); });
}

}  // namespace sill
