// Requests straight from or to where the bytes lie, without a stage.
#pragma once

#include <span>

#include "sill/move/policy/decision.hpp"
#include "sill/move/request_batch.hpp"
#include "sill/move/rounds.hpp"

namespace sill {

/// Local. Whether any rank reads or writes `file`. Precondition: `summaries` ascend by file.
[[nodiscard]] bool touches(std::span<const AccessSummary> summaries, int file);

/// Local. Whether this rank's requests go straight from or to where its bytes lie, which `stay` there until they are
/// done. `is_of_rank`: the files are this rank's alone.
[[nodiscard]] bool is_direct(const Decision& decision, const AccessPlan& mine, bool stay, bool is_of_rank);

/// Local. Performs the requests of `mine`, but for files of `together`: before it returns (`here`), or by background
/// threads, for which `mine` stays as it is. Errors: into `requests`.
void perform_direct(const RoundTools& tools, Operation operation, const AccessPlan& mine,
                    std::span<const AccessSummary> together, RequestBatch& requests, bool here);

}  // namespace sill
