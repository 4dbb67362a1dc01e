#include "sill/move/policy/domains.hpp"

#include <algorithm>

namespace sill {
namespace {

// Returns the first `number` ranks in the order in which they become writers: the first of every node, then the second
// of every node, …
std::vector<int> spread_over_nodes(std::span<const int> node_of_ranks, std::size_t number) {
  std::vector<std::vector<int>> of_nodes(1 + static_cast<std::size_t>(std::ranges::max(node_of_ranks)));
  for (std::size_t r = 0; r < node_of_ranks.size(); ++r) {
    of_nodes[static_cast<std::size_t>(node_of_ranks[r])].push_back(static_cast<int>(r));
  }
  number = std::min(number, node_of_ranks.size());
  std::vector<int> ranks;
  for (std::size_t turn = 0; ranks.size() < number; ++turn) {
    for (const std::vector<int>& of_node : of_nodes) {
      if (turn < of_node.size() && ranks.size() < number) ranks.push_back(of_node[turn]);
    }
  }
  return ranks;
}

ByteRange bounding_range_of(std::span<const AccessSummary> summaries) {
  ByteRange bounding_range = summaries.front().bounding_range;
  for (const AccessSummary& each : summaries) {
    const std::int64_t end = std::max(bounding_range.end(), each.bounding_range.end());
    bounding_range.offset = std::min(bounding_range.offset, each.bounding_range.offset);
    bounding_range.length = end - bounding_range.offset;
  }
  return bounding_range;
}

// Returns the maximum number of domains of a file.
int max_domains(const Policy& policy, const Topology& topology) {
  if (policy.writers == Policy::Writers::number) return policy.domains;
  const int nodes = 1 + *std::max_element(topology.node_of_ranks.begin(), topology.node_of_ranks.end());
  // Requests that are aligned to stripes are fastest with as many writers as there are stripes.
  const int by_stripes = policy.align == Policy::Align::stripe ? topology.stripes : 0;
  return std::max(nodes, std::min(by_stripes, static_cast<int>(topology.node_of_ranks.size())));
}

void divide(int file, ByteRange bounding_range, int parts, std::int64_t align_bytes, std::span<const int> writers,
            std::vector<FileDomain>& domains) {
  const std::int64_t first_unit = bounding_range.offset / align_bytes;
  const std::int64_t last_unit = (bounding_range.end() - 1) / align_bytes;
  const std::int64_t units = last_unit + 1 - first_unit;
  const std::int64_t units_each = std::max<std::int64_t>(1, (units + parts - 1) / parts);
  // Small files have one domain each; their writers alternate.
  std::size_t turn = static_cast<std::size_t>(file) % writers.size();
  for (std::int64_t at = bounding_range.offset; at < bounding_range.end();) {
    const std::int64_t next_unit = at / align_bytes + units_each;
    const std::int64_t end = next_unit > last_unit ? bounding_range.end() : next_unit * align_bytes;
    domains.push_back({file, {at, end - at}, writers[turn]});
    turn = (turn + 1) % writers.size();
    at = end;
  }
}

}  // namespace

std::vector<AccessSummary> access_summaries(const AccessPlan& plan, int rank) {
  std::vector<AccessSummary> summaries;
  for (const int file : plan.files()) {
    AccessSummary& summary = summaries.emplace_back(AccessSummary{file, rank, plan.bounding_range_of(file)});
    std::int64_t end = -1;  // of the previous extent, if it is contiguous
    std::int64_t covered_end = summary.bounding_range.offset;
    for (const Extent& extent : plan.of_file(file)) {
      const std::int64_t bytes = extent.total_bytes();
      summary.bytes += bytes;
      const bool goes_on = extent.steps.empty() && extent.offset_bytes == end;
      if (!goes_on) summary.pieces += bytes / extent.run_bytes;
      end = extent.steps.empty() ? extent.offset_bytes + bytes : -1;
      const ByteRange range = extent.bounding_range();
      summary.covered_bytes += std::max<std::int64_t>(0, range.end() - std::max(range.offset, covered_end));
      covered_end = std::max(covered_end, range.end());
    }
  }
  return summaries;
}

bool do_bounding_ranges_overlap(std::span<const AccessSummary> of_file) {
  std::vector<ByteRange> ranges;
  ranges.reserve(of_file.size());
  for (const AccessSummary& each : of_file) ranges.push_back(each.bounding_range);
  if (!std::ranges::is_sorted(ranges, {}, &ByteRange::offset)) std::ranges::sort(ranges, {}, &ByteRange::offset);
  const auto overlap = [](ByteRange a, ByteRange b) { return a.end() > b.offset; };
  return std::ranges::adjacent_find(ranges, overlap) != ranges.end();
}

int Election::writer_of(int file, std::span<const AccessSummary> summaries) {
  if (const auto found = writers_.find(file); found != writers_.end()) return found->second;
  const auto load_of = [&](int rank) {
    const auto found = load_bytes_.find(rank);
    return found == load_bytes_.end() ? 0 : found->second;
  };
  std::int64_t bytes = 0;
  int elected = summaries.front().rank;
  for (const AccessSummary& each : summaries) {
    bytes += each.bytes;
    if (load_of(each.rank) < load_of(elected)) elected = each.rank;
  }
  load_bytes_[elected] += bytes;
  writers_.emplace(file, elected);
  return elected;
}

std::vector<FileDomain> domains_of(std::span<const AccessSummary> summaries, const Policy& policy,
                                   std::int64_t align_bytes, const Topology& topology, Election& election) {
  std::vector<FileDomain> domains;
  if (policy.writers == Policy::Writers::all) return domains;
  const bool divided = policy.writers == Policy::Writers::node || policy.writers == Policy::Writers::number;
  const int parts = divided ? max_domains(policy, topology) : 1;
  std::vector<int> writers;
  if (divided) writers = spread_over_nodes(topology.node_of_ranks, static_cast<std::size_t>(parts));
  for_each_file(summaries, [&](std::span<const AccessSummary> of_file) {
    const int file = of_file.front().file;
    const ByteRange bounding_range = bounding_range_of(of_file);
    switch (policy.writers) {
      case Policy::Writers::all:
      case Policy::Writers::automatic: break;
      case Policy::Writers::root: domains.push_back({file, bounding_range, 0}); break;
      case Policy::Writers::first: domains.push_back({file, bounding_range, of_file.front().rank}); break;
      case Policy::Writers::elected:
        domains.push_back({file, bounding_range, election.writer_of(file, of_file)});
        break;
      case Policy::Writers::node:
      case Policy::Writers::number: divide(file, bounding_range, parts, align_bytes, writers, domains); break;
    }
  });
  return domains;
}

}  // namespace sill
