// The access lists that ranks exchange before a collective access.
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

/// Returns the plan of any rank if the plans have a closed form (a decomposition that all ranks know): ranks then need
/// not exchange plans. For this rank the returned plan must have the extents of the rank's own plan, in the same order;
/// memory, encoders and decoders are ignored. Every rank calls the function for all ranks, several times; it must not
/// communicate, and must not throw after it returned the plans of all ranks.
using PlanOfRank = std::function<AccessPlan(int rank)>;

/// Collective. Returns the summaries of all ranks, ascending by (file, rank).
[[nodiscard]] std::vector<AccessSummary> all_access_summaries(Communicator& comm, const AccessPlan& mine);

/// Local. Returns the same from the plans that `plan_of_rank` returns. Errors: usage if the plan of this rank has other
/// bytes than `mine`, because ranks would then wait for messages that never come; any error that `plan_of_rank` throws.
[[nodiscard]] std::vector<AccessSummary> all_access_summaries(const Communicator& comm, const AccessPlan& mine,
                                                              const PlanOfRank& plan_of_rank);

/// The extents of other ranks, stored on the rank that performs their requests.
struct PlansOfOthers {
  std::vector<int> ranks;
  std::vector<AccessPlan> plans;

  [[nodiscard]] std::vector<OwnedPlan> owned() const;
};

/// Collective; with `plan_of_rank` Local. Returns, on every writer, the extents of the other ranks that have bytes in
/// the domains of this writer. Each rank sends a writer at most one message.
[[nodiscard]] PlansOfOthers exchange_access_lists(Communicator& comm, const AccessPlan& mine,
                                                  std::span<const WriterWindows> writers,
                                                  const PlanOfRank& plan_of_rank);

/// Collective. Throws a usage error, on all ranks, if two ranks write the same byte. Files in which the bounding ranges
/// of the ranks are disjoint cost nothing; the other files are divided among all ranks, and each rank checks its share.
void require_disjoint_ranks(Communicator& comm, const AccessPlan& mine, std::span<const AccessSummary> summaries,
                            const PlanOfRank& plan_of_rank);

/// Local. Converts the file side of an extent to integers for a message, and back.
void append_words(std::vector<std::int64_t>& words, const Extent& extent);
[[nodiscard]] Extent extent_from_words(std::span<const std::int64_t>& words);

}  // namespace sill
