// Requests straight from or to memory, without a stage.
#pragma once

#include <span>

#include "sill/move/policy/decision.hpp"
#include "sill/move/request_batch.hpp"
#include "sill/move/rounds.hpp"

namespace sill {

/// Local. Returns true if any rank reads or writes `file`. Precondition: `summaries` ascend by file.
[[nodiscard]] bool touches(std::span<const AccessSummary> summaries, int file);

/// Local. Returns true for one contiguous run of less than 4 KiB, or an empty plan. Where ranks exchange nothing, its
/// owner writes or reads it by one request, without a stage.
[[nodiscard]] bool is_short_run(const AccessPlan& plan);

/// Local. Returns true if this rank's requests go straight from or to its memory. `stay`: that memory does not change
/// until they are done; a short run that does not stay is to be copied by the caller. `is_of_rank`: the files are this
/// rank's alone.
[[nodiscard]] bool is_direct(const Decision& decision, const AccessPlan& mine, bool stay, bool is_of_rank);

/// Local. Performs the requests of `mine`, except for files of `together`: before it returns (`here`), or by background
/// threads, until which `mine` must not change. Errors are added to `requests`.
void perform_direct(const RoundTools& tools, Operation operation, const AccessPlan& mine,
                    std::span<const AccessSummary> together, RequestBatch& requests, bool here);

/// Local. Errors: usage if an extent has neither memory nor code that makes or takes its bytes.
void require_memory(Operation operation, const AccessPlan& plan);

/// Local. Writes one extent at once through a buffer of 256 KiB, by a request for each of its runs. Errors: io; what an
/// encoder throws.
void write_packed(Store& store, const Extent& extent);

}  // namespace sill
