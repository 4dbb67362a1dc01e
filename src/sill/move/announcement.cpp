#include "sill/move/announcement.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

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

std::vector<Share> all_shares(Communicator& comm, const AccessPlan& mine, const PlanOfRank& plan_of_rank) {
  std::vector<Share> all;
  if (plan_of_rank) {
    together(comm, [&] {
      for (int r = 0; r < comm.size(); ++r) {
        const std::vector<Share> of_rank = shares_of(plan_of_rank(r), r);
        // Ranks that believe different things of one of them would wait for messages that never come.
        if (r == comm.rank() && of_rank != shares_of(mine, r)) {
          throw Error({.code = ErrorCode::usage,
                       .problem = fmt::format("rank {} brings other bytes than `plan_of_rank` says", r),
                       .action = "give the same extents in both"});
        }
        all.insert(all.end(), of_rank.begin(), of_rank.end());
      }
    });
  } else {
    const std::vector<Share> own = together(comm, [&] { return shares_of(mine, comm.rank()); });
    all = all_gather_all(comm, std::span<const Share>(own));
  }
  std::sort(all.begin(), all.end(),
            [](const Share& a, const Share& b) { return std::tie(a.file, a.rank) < std::tie(b.file, b.rank); });
  return all;
}

std::vector<OwnedPlan> PlansOfOthers::owned() const {
  std::vector<OwnedPlan> owned;
  for (std::size_t i = 0; i < ranks.size(); ++i) owned.push_back({&plans[i], ranks[i]});
  return owned;
}

PlansOfOthers announced(Communicator& comm, const AccessPlan& mine, std::span<const WriterWindows> writers,
                        const PlanOfRank& plan_of_rank) {
  PlansOfOthers others;
  const auto add = [&](int rank, std::vector<Extent> extents) {
    if (extents.empty()) return;
    others.ranks.push_back(rank);
    others.plans.push_back(AccessPlan::of_ordered(std::move(extents)));
  };
  if (plan_of_rank) {
    together(comm, [&] {
      for (const WriterWindows& windows : writers) {
        if (windows.writer() != comm.rank()) continue;
        for (int r = 0; r < comm.size(); ++r) {
          if (r != comm.rank()) add(r, windows.extents_within(plan_of_rank(r)));
        }
      }
    });
    return others;
  }

  // For each writer: this rank, how many extents, the extents.
  std::vector<std::vector<std::int64_t>> words;
  std::vector<std::span<const std::int64_t>> parts;
  together(comm, [&] {
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
  together(comm, [&] {
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

void require_disjoint_ranks(Communicator& comm, const AccessPlan& mine, std::span<const Share> shares,
                            const PlanOfRank& plan_of_rank) {
  // Files in which the hulls of ranks overlap are dealt to all.
  std::vector<FileDomain> domains;
  std::vector<WriterWindows> writers;
  together(comm, [&] {
    std::vector<Share> doubtful;
    for_each_file(shares, [&](std::span<const Share> of_file) {
      std::vector<ByteRange> hulls;
      for (const Share& share : of_file) hulls.push_back(share.hull);
      std::sort(hulls.begin(), hulls.end(), [](ByteRange a, ByteRange b) { return a.offset < b.offset; });
      const auto overlaps = [](ByteRange a, ByteRange b) { return a.end() > b.offset; };
      if (std::adjacent_find(hulls.begin(), hulls.end(), overlaps) == hulls.end()) return;
      doubtful.insert(doubtful.end(), of_file.begin(), of_file.end());
    });
    Policy everyone;
    everyone.writers = Policy::Writers::number;
    everyone.domains = comm.size();
    Election none;
    domains = domains_of(doubtful, everyone, 1, {comm.node_of_ranks(), 0}, none);
    writers = windows_of(domains, 1, 1);
  });
  if (domains.empty()) return;
  const PlansOfOthers others = announced(comm, mine, writers, plan_of_rank);
  together(comm, [&] {
    std::vector<OwnedPlan> all = others.owned();
    all.push_back({&mine, comm.rank()});
    for (const FileDomain& domain : domains) {
      if (domain.writer == comm.rank()) require_disjoint(domain.file, domain.bytes, all);
    }
  });
}

}  // namespace sill
