// The access lists that ranks exchange before they move bytes together.
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

/// Returns the plan of any rank where it has closed form (a decomposition that all ranks know): ranks then need not
/// exchange plans. For this rank it must have the extents of its plan, in the same order; memory, encoders and decoders
/// do not matter. Called on every rank for all ranks, several times; must not communicate.
using PlanOfRank = std::function<AccessPlan(int rank)>;

/// Collective. Returns the summaries of all ranks, ascending by (file, rank). Errors: usage if a rank's plan has other
/// bytes than `plan_of_rank` returns; what `plan_of_rank` throws.
[[nodiscard]] std::vector<AccessSummary> all_access_summaries(Communicator& comm, const AccessPlan& mine,
                                                              const PlanOfRank& plan_of_rank);

/// The extents of other ranks, on the rank that performs their requests.
struct PlansOfOthers {
  std::vector<int> ranks;
  std::vector<AccessPlan> plans;

  [[nodiscard]] std::vector<OwnedPlan> owned() const;
};

/// Collective. Returns, on every writer, the extents that the other ranks have in its domains. Each of them sends it at
/// most one message, none with `plan_of_rank`. Errors: what `plan_of_rank` throws.
[[nodiscard]] PlansOfOthers exchange_access_lists(Communicator& comm, const AccessPlan& mine,
                                                  std::span<const WriterWindows> writers,
                                                  const PlanOfRank& plan_of_rank);

/// Collective. Throws a usage error, on all ranks, if two ranks write the same byte. Files in which the bounding ranges
/// of ranks are disjoint cost nothing; of the others every rank checks a part.
void require_disjoint_ranks(Communicator& comm, const AccessPlan& mine, std::span<const AccessSummary> summaries,
                            const PlanOfRank& plan_of_rank);

/// Local. Converts the file side of an extent to numbers, to be sent, and back.
void append_words(std::vector<std::int64_t>& words, const Extent& extent);
[[nodiscard]] Extent extent_from_words(std::span<const std::int64_t>& words);

}  // namespace sill
