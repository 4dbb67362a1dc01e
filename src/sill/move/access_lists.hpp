// What ranks tell each other before they move bytes together.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/move/policy/domains.hpp"
#include "sill/move/schedule.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// The plan of any rank, where that has closed form (a decomposition that all ranks know): then ranks need not exchange
/// plans. It is made of the extents that this rank itself brings, in the order in which it brings them; memory,
/// encoders and decoders do not matter. Called on every rank for all ranks, several times; must not communicate.
using PlanOfRank = std::function<AccessPlan(int rank)>;

/// Collective. The summaries of all ranks, ascending by (file, rank). Errors: usage if a rank brings other bytes than
/// `plan_of_rank` says; what that throws.
[[nodiscard]] std::vector<AccessSummary> all_access_summaries(Communicator& comm, const AccessPlan& mine,
                                                              const PlanOfRank& plan_of_rank);

/// The extents of other ranks, on the rank that performs their requests.
struct PlansOfOthers {
  std::vector<int> ranks;
  std::vector<AccessPlan> plans;

  [[nodiscard]] std::vector<OwnedPlan> owned() const;
};

/// Collective. Every writer learns which extents the other ranks have in its domains; each of them sends it one message
/// at most, none with `plan_of_rank`. Errors: what `plan_of_rank` throws.
[[nodiscard]] PlansOfOthers announced(Communicator& comm, const AccessPlan& mine,
                                      std::span<const WriterWindows> writers, const PlanOfRank& plan_of_rank);

/// Collective. Errors: usage, on all ranks, if two ranks write the same byte. Ranks whose extents lie apart cost
/// nothing; else every rank checks a part of each file where they do not.
void require_disjoint_ranks(Communicator& comm, const AccessPlan& mine, std::span<const AccessSummary> summaries,
                            const PlanOfRank& plan_of_rank);

/// Local. The file side of extents as numbers, to be sent, and back.
void append_words(std::vector<std::int64_t>& words, const Extent& extent);
[[nodiscard]] Extent extent_from_words(std::span<const std::int64_t>& words);

}  // namespace sill
