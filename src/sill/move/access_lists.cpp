#include "sill/move/access_lists.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/exchange.hpp"

namespace sill {

void append_words(std::vector<std::int64_t>& words, const Extent& extent) {
  words.insert(words.end(),
               {extent.file, extent.offset_bytes, extent.run_bytes, static_cast<std::int64_t>(extent.steps.size())});
  for (const Step& step : extent.steps) words.insert(words.end(), {step.count, step.file_stride_bytes});
}

Extent extent_from_words(std::span<const std::int64_t>& words) {
  Extent extent{.file = static_cast<int>(words[0]), .offset_bytes = words[1], .run_bytes = words[2]};
  const auto steps = static_cast<std::size_t>(words[3]);
  for (std::size_t i = 0; i < steps; ++i) extent.steps.push_back({words[4 + 2 * i], words[5 + 2 * i], 0});
  words = words.subspan(4 + 2 * steps);
  return extent;
}

namespace {

// The pieces may differ: the same bytes may be divided into other extents.
bool are_of_same_bytes(const AccessSummary& a, const AccessSummary& b) {
  return a.file == b.file && a.rank == b.rank && a.bounding_range == b.bounding_range && a.bytes == b.bytes;
}

std::pair<int, int> file_and_rank(const AccessSummary& summary) { return {summary.file, summary.rank}; }

}  // namespace

std::vector<AccessSummary> all_access_summaries(Communicator& comm, const AccessPlan& mine) {
  const std::vector<AccessSummary> own = run_and_agree(comm, [&] { return access_summaries(mine, comm.rank()); });
  std::vector<AccessSummary> all = all_gather_all(comm, std::span<const AccessSummary>(own));
  std::ranges::sort(all, {}, file_and_rank);
  return all;
}

std::vector<AccessSummary> all_access_summaries(const Communicator& comm, const AccessPlan& mine,
                                                const PlanOfRank& plan_of_rank) {
  std::vector<AccessSummary> all;
  for (int r = 0; r < comm.size(); ++r) {
    const std::vector<AccessSummary> of_rank = access_summaries(plan_of_rank(r), r);
    if (r == comm.rank() && !std::ranges::equal(of_rank, access_summaries(mine, r), are_of_same_bytes)) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("rank {} passes other extents than `plan_of_rank` returns", r),
                   .action = "give the same extents in both"});
    }
    all.insert(all.end(), of_rank.begin(), of_rank.end());
  }
  std::ranges::sort(all, {}, file_and_rank);
  return all;
}

std::vector<OwnedPlan> PlansOfOthers::owned() const {
  std::vector<OwnedPlan> owned;
  for (std::size_t i = 0; i < ranks.size(); ++i) owned.push_back({&plans[i], ranks[i]});
  return owned;
}

PlansOfOthers exchange_access_lists(Communicator& comm, const AccessPlan& mine, std::span<const WriterWindows> writers,
                                    const PlanOfRank& plan_of_rank) {
  PlansOfOthers others;
  const auto add = [&](int rank, std::vector<Extent> extents) {
    if (extents.empty()) return;
    others.ranks.push_back(rank);
    others.plans.push_back(AccessPlan::of_ordered(std::move(extents)));
  };
  if (plan_of_rank) {
    for (const WriterWindows& windows : writers) {
      if (windows.writer() != comm.rank()) continue;
      for (int r = 0; r < comm.size(); ++r) {
        if (r != comm.rank()) add(r, windows.extents_within(plan_of_rank(r)));
      }
    }
    return others;
  }

  // For each writer: this rank, the number of extents, the extents.
  std::vector<std::vector<std::int64_t>> words;
  std::vector<std::span<const std::int64_t>> parts;
  run_and_agree(comm, [&] {
    words.resize(static_cast<std::size_t>(comm.size()));
    parts.resize(words.size());
    for (const WriterWindows& windows : writers) {
      if (windows.writer() == comm.rank()) continue;
      const std::vector<Extent> extents = windows.extents_within(mine);
      if (extents.empty()) continue;
      auto& to = words[static_cast<std::size_t>(windows.writer())];
      to = {comm.rank(), static_cast<std::int64_t>(extents.size())};
      for (const Extent& extent : extents) append_words(to, extent);
    }
    std::copy(words.begin(), words.end(), parts.begin());
  });
  const std::vector<std::int64_t> received = all_to_all(comm, std::span<const std::span<const std::int64_t>>(parts));
  run_and_agree(comm, [&] {
    std::span<const std::int64_t> left(received);
    while (!left.empty()) {
      const auto rank = static_cast<int>(left[0]);
      std::vector<Extent> extents(static_cast<std::size_t>(left[1]));
      left = left.subspan(2);
      for (Extent& extent : extents) extent = extent_from_words(left);
      add(rank, std::move(extents));
    }
  });
  return others;
}

void require_disjoint_ranks(Communicator& comm, const AccessPlan& mine, std::span<const AccessSummary> summaries,
                            const PlanOfRank& plan_of_rank) {
  bool may_overlap = false;
  for_each_file(summaries, [&](std::span<const AccessSummary> of_file) {
    may_overlap = may_overlap || do_bounding_ranges_overlap(of_file);
  });
  if (!may_overlap) return;
  // Files in which the bounding ranges of ranks overlap are divided among all ranks.
  std::vector<FileDomain> domains;
  std::vector<WriterWindows> writers;
  PlansOfOthers others;
  run_and_agree(comm, [&] {
    std::vector<AccessSummary> overlapping;
    for_each_file(summaries, [&](std::span<const AccessSummary> of_file) {
      if (do_bounding_ranges_overlap(of_file)) overlapping.insert(overlapping.end(), of_file.begin(), of_file.end());
    });
    Policy everyone;
    everyone.writers = Policy::Writers::number;
    everyone.domains = comm.size();
    Election none;
    domains = domains_of(overlapping, everyone, 1, {comm.node_of_ranks(), 0}, none);
    writers = windows_of(domains, 1, 1);
    if (plan_of_rank) others = exchange_access_lists(comm, mine, writers, plan_of_rank);
  });
  if (domains.empty()) return;
  if (!plan_of_rank) others = exchange_access_lists(comm, mine, writers, {});
  run_and_agree(comm, [&] {
    std::vector<OwnedPlan> all = others.owned();
    all.push_back({&mine, comm.rank()});
    for (const FileDomain& domain : domains) {
      if (domain.writer == comm.rank()) require_disjoint(domain.file, domain.bytes, all);
    }
  });
}

}  // namespace sill
