// Requests directly from or to memory, without a stage.
#pragma once

#include <span>

#include "sill/move/policy/decision.hpp"
#include "sill/move/request_batch.hpp"
#include "sill/move/rounds.hpp"

namespace sill {

/// Local. Returns true if any rank reads or writes `file`. Precondition: `summaries` ascend by file.
[[nodiscard]] bool touches(std::span<const AccessSummary> summaries, int file);

/// Local. Returns true for one contiguous run of less than 4 KiB, or an empty plan. If ranks exchange nothing, the
/// owner of the run writes or reads it with one request, without a stage.
[[nodiscard]] bool is_short_run(const AccessPlan& plan);

/// Local. Returns true if this rank's requests go directly from or to its memory. `stay`: that memory does not change
/// until the requests are done; otherwise the caller must copy a short run. `is_of_rank`: only this rank uses the
/// files.
[[nodiscard]] bool is_direct(const Decision& decision, const AccessPlan& mine, bool stay, bool is_of_rank);

/// Local. Performs the requests of `mine`, except requests for files of `together`. With `here` they are done on
/// return; otherwise background threads perform them, and `mine` must not change until they are done. Adds errors to
/// `requests`.
void perform_direct(const RoundTools& tools, Operation operation, const AccessPlan& mine,
                    std::span<const AccessSummary> together, RequestBatch& requests, bool here);

/// Local. Throws if an extent has neither memory nor an encoder (write) or decoder (read). Errors: usage.
void require_memory(Operation operation, const AccessPlan& plan);

/// Local. Writes one extent immediately through a buffer of 256 KiB, with one request per run. Errors: io; any error
/// that an encoder throws.
void write_packed(Store& store, const Extent& extent);

}  // namespace sill
