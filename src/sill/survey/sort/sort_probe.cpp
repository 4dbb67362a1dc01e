#include "sill/survey/sort/sort_probe.hpp"

#include <chrono>
#include <memory>
#include <numeric>

#include "sill/layout/decomposition.hpp"

namespace sill {
namespace {

constexpr std::int64_t max_single_reads = 32;
constexpr std::int64_t single_reads_bytes = 16 << 20;  // together, but at least a few
constexpr std::int64_t min_reads = 4;
constexpr std::int64_t long_reads = 5;
constexpr std::int64_t long_read_bytes = 1 << 20;

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point began) { return std::chrono::duration<double>(Clock::now() - began).count(); }

// Returns the mean time of reading a trace at scattered positions, as a gather does: the system prefetches the traces.
double time_of_single(const SurveyReader& reader, std::span<const std::int64_t> places, std::span<std::byte> buffer) {
  const auto began = Clock::now();
  reader.will_need(places);
  for (const std::int64_t place : places) reader.read_own({place, 1}, buffer);
  return seconds_since(began) / static_cast<double>(places.size());
}

// Returns the time of reading `items` traces starting at each of `places`, in seconds. Excludes the slowest reads,
// which waited for other requests, but does not use the median, because some places may be cached and others not.
double time_of_long(const SurveyReader& reader, std::span<const std::int64_t> places, std::int64_t items,
                    std::span<std::byte> buffer) {
  std::vector<double> times_s;
  for (const std::int64_t place : places) {
    const auto began = Clock::now();
    reader.read_own({place, items}, buffer);
    times_s.push_back(seconds_since(began));
  }
  std::sort(times_s.begin(), times_s.end());
  times_s.resize((3 * times_s.size() + 3) / 4);
  return std::accumulate(times_s.begin(), times_s.end(), 0.0) / static_cast<double>(times_s.size());
}

}  // namespace

PermutationFacts facts_of(const Resources& resources, std::int64_t items, std::int64_t item_bytes,
                          std::int64_t memory_bytes) {
  Communicator& comm = resources.comm;
  PermutationFacts facts;
  facts.items = items;
  facts.item_bytes = item_bytes;
  facts.ranks = comm.size();
  facts.threads = static_cast<int>(all_reduce(comm, resources.threads(), Reduction::min));
  facts.memory_bytes = all_reduce(comm, memory_bytes, Reduction::min);
  const int nodes = (comm.size() + comm.ranks_on_node() - 1) / comm.ranks_on_node();
  facts.nodes = static_cast<int>(all_reduce(comm, nodes, Reduction::min));
  facts.cacheable_bytes = all_reduce(comm, cacheable_bytes() * nodes, Reduction::min);
  return facts;
}

ReadCosts measure_reads(const SurveyReader& reader, std::int64_t memory_bytes) {
  const std::int64_t trace_bytes = reader.trace_bytes();
  const std::int64_t long_traces =
      std::clamp<std::int64_t>(std::min(long_read_bytes, memory_bytes) / trace_bytes, 1, reader.traces());
  const std::unique_ptr<std::byte[]> memory(new std::byte[static_cast<std::size_t>(long_traces * trace_bytes)]);

  // Single reads at the beginning of sections of the survey, long reads at their ends, so that they do not overlap.
  const auto places_in = [&](std::int64_t wanted, bool at_the_end) {
    std::vector<std::int64_t> places;
    for (std::int64_t i = 0; i < std::min(wanted, reader.traces()); ++i) {
      const ItemRange part = block_of(reader.traces(), std::min(wanted, reader.traces()), i);
      places.push_back(at_the_end ? std::max<std::int64_t>(0, part.end() - long_traces) : part.first);
    }
    return places;
  };
  const std::int64_t singles = std::clamp(single_reads_bytes / trace_bytes, min_reads, max_single_reads);
  const std::span<std::byte> buffer(memory.get(), static_cast<std::size_t>(long_traces * trace_bytes));
  ReadCosts costs;
  costs.request_s =
      time_of_single(reader, places_in(singles, false), buffer.first(static_cast<std::size_t>(trace_bytes)));
  costs.read_s_per_byte =
      time_of_long(reader, places_in(long_reads, true), long_traces, buffer) / static_cast<double>(buffer.size());
  return costs;
}

}  // namespace sill
