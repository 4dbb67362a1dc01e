#include "sill/move/policy/decision.hpp"

#include <algorithm>
#include <utility>

namespace sill {
namespace {

// Returns the summaries of files of which more than one rank holds data.
std::vector<AccessSummary> summaries_of_several(std::span<const AccessSummary> summaries) {
  std::vector<AccessSummary> found;
  for_each_file(summaries, [&](std::span<const AccessSummary> of_file) {
    if (of_file.size() > 1) found.insert(found.end(), of_file.begin(), of_file.end());
  });
  return found;
}

bool have_boundaries_within(std::span<const FileDomain> domains, std::span<const WriterWindows> writers) {
  const auto of_one_file = [](const FileDomain& a, const FileDomain& b) { return a.file == b.file; };
  return std::ranges::adjacent_find(domains, of_one_file) != domains.end() ||
         std::ranges::any_of(writers, &WriterWindows::cuts_domains);
}

// Returns the domains of `rank`, and all domains of each writer that has a domain in which `rank` has bytes.
std::vector<FileDomain> domains_of_peers(std::span<const FileDomain> domains, int rank,
                                         std::span<const AccessSummary> summaries) {
  std::vector<int> peers{rank};
  auto domain = domains.begin();
  for (const AccessSummary& own : summaries) {
    if (own.rank != rank) continue;
    // Both are in ascending order by file, and domains of a file by offset.
    while (domain != domains.end() && domain->file < own.file) ++domain;
    for (; domain != domains.end() && domain->file == own.file; ++domain) {
      const ByteRange& bytes = domain->bytes;
      if (bytes.offset < own.bounding_range.end() && own.bounding_range.offset < bytes.end()) {
        peers.push_back(domain->writer);
      }
    }
  }
  std::ranges::sort(peers);
  std::vector<FileDomain> found;
  std::ranges::copy_if(domains, std::back_inserter(found),
                       [&](const FileDomain& each) { return std::ranges::binary_search(peers, each.writer); });
  return found;
}

}  // namespace

Decision decide(const Policy& policy, int rank, std::span<const AccessSummary> summaries, const DecisionLimits& limits,
                Election& election) {
  Decision decision{.policy = policy, .align_bytes = limits.align_bytes};
  if (policy.call == Policy::Call::mpiio_collective) decision.together = summaries_of_several(summaries);
  if (policy.writers == Policy::Writers::all) {
    std::vector<AccessSummary> own;
    for_each_file(summaries, [&](std::span<const AccessSummary> of_file) {
      if (of_file.size() > 1 && !decision.together.empty()) return;
      std::ranges::copy_if(of_file, std::back_inserter(own), [&](const auto& each) { return each.rank == rank; });
    });
    Decision alone = decide_alone(policy, own, limits);
    alone.together = std::move(decision.together);
    return alone;
  }
  decision.exchanges = limits.topology.node_of_ranks.size() > 1;
  const std::vector<FileDomain> domains = domains_of(summaries, policy, limits.align_bytes, limits.topology, election);
  decision.writers = windows_of(domains_of_peers(domains, rank, summaries), limits.stage_bytes, limits.align_bytes);
  decision.cuts_files = have_boundaries_within(domains, decision.writers);
  return decision;
}

Decision decide_alone(Policy policy, std::span<const AccessSummary> own, const DecisionLimits& limits) {
  policy.writers = Policy::Writers::all;
  policy.domains = 0;
  std::vector<FileDomain> domains;
  for (const AccessSummary& each : own) domains.push_back({each.file, each.bounding_range, each.rank});
  Decision decision{.policy = policy,
                    .align_bytes = limits.align_bytes,
                    .writers = windows_of(domains, limits.stage_bytes, limits.align_bytes)};
  decision.cuts_files = have_boundaries_within(domains, decision.writers);
  return decision;
}

}  // namespace sill
