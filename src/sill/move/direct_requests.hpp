// Requests straight from or to memory, without a stage.
#pragma once

#include <span>

#include "sill/move/policy/decision.hpp"
#include "sill/move/request_batch.hpp"
#include "sill/move/rounds.hpp"

namespace sill {

/// Local. Returns true if any rank reads or writes `file`. Precondition: `summaries` ascend by file.
[[nodiscard]] bool touches(std::span<const AccessSummary> summaries, int file);

/// Local. Returns true for one contiguous run of less than 4 KiB, or nothing: one request at most whatever the policy.
/// Where its memory may change before that is done, the bytes are copied for it.
[[nodiscard]] bool is_short_run(const AccessPlan& plan);

/// Local. Returns true if this rank's requests go straight from or to its memory. `stay`: that memory does not change
/// until they are done. `is_of_rank`: the files are this rank's alone.
[[nodiscard]] bool is_direct(const Decision& decision, const AccessPlan& mine, bool stay, bool is_of_rank);

/// Local. Performs the requests of `mine`, except for files of `together`: before it returns (`here`), or by background
/// threads, until which `mine` must not change. Errors are added to `requests`.
void perform_direct(const RoundTools& tools, Operation operation, const AccessPlan& mine,
                    std::span<const AccessSummary> together, RequestBatch& requests, bool here);

}  // namespace sill
