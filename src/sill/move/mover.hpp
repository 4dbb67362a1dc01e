// The mover: moves bytes between the memory of all ranks and a set of files, as a policy determines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "sill/comm/communicator.hpp"
#include "sill/move/access_lists.hpp"
#include "sill/move/calls_in_flight.hpp"
#include "sill/move/mover_resources.hpp"
#include "sill/move/mover_terms.hpp"
#include "sill/move/plan_writer.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/move/rounds.hpp"
#include "sill/move/write_opening.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/store/store.hpp"
#include "sill/store/striping.hpp"

namespace sill {

/// Files that ranks write and read together: a set that stays open, or one set per output phase. Which bytes go where
/// depends only on the plans; the policy determines who performs the requests and how.
///
/// The mover reuses its plan if a write has the same extents as the previous one, or if all extents are shifted by the
/// same distance, also in the files of another phase. Such a write costs one all-reduce when it begins and one when its
/// requests are done. A phase with its own files costs another all-reduce when they are published, and the messages
/// that `make` (see `write_phase`) sends. A plan in closed form (`plan_of_rank`) costs the same, even if it is new.
class Mover {
 public:
  /// Collective. Creates a mover. The number of threads comes from `limits`, not from the policy. Files, mode and the
  /// rest of the policy are the same on all ranks. For phases with their own files, `files.paths` names any such file;
  /// the mover determines its stripes without opening it. Precondition: `comm` outlives the mover. Errors: usage if
  /// ranks differ in files, mode or policy, if the memory is less than `min_mover_memory_bytes`, if axes of the policy
  /// exclude each other, if `files` has no opener for the policy's call, or if MPI-IO is requested on another thread
  /// than the one that initialized MPI.
  Mover(Communicator& comm, MoverFiles files, const Policy& policy, const MoverLimits& limits);
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;
  /// Waits for unfinished requests. Their errors are lost, so call `close` if errors matter.
  ~Mover() = default;

  /// Collective. Replaces the policy; the next write is planned again. Does nothing, and sends no message, if `policy`
  /// is already in use. When it returns, all writes are in the files, and synced if the old policy requires it; returns
  /// the error of these writes or of the sync, if any, which `close` would throw. Precondition: the old and the new
  /// policy are the same on all ranks. Errors: usage if `call`, `async` or the stripes differ, because files and
  /// buffers depend on them.
  [[nodiscard]] std::optional<Error> use(const Policy& policy, const MoverLimits& limits);

  /// Collective. Writes the bytes of all ranks' plans (`for_writing`); the plan of a rank may be empty. `plan_of_rank`,
  /// given on every rank or on none, returns the plan of any rank if the plans have a closed form: the ranks then need
  /// not exchange plans. With Policy::async = k > 0, the messages are done on return, but the file requests of up to k
  /// calls may be unfinished; the next call of any kind throws their errors. Bytes of an unfinished call may be written
  /// again: the calls keep their order. Errors: usage if two ranks write the same byte, if a file is not in the set, if
  /// an extent has neither memory nor encoder, or if a rank's plan writes different bytes than the plan that
  /// `plan_of_rank` returns for it; io; any error that an encoder throws (with lent memory, as an error of a request).
  /// After an error the content of the bytes to be written is undefined; other bytes are unchanged.
  void write(const AccessPlan& mine, const PlanOfRank& plan_of_rank = {}, Memory memory = Memory::copied);

  /// Collective. Writes the plans `one_by_one` in one call. Each plan is written after the previous one is in the files
  /// on all ranks (with Policy::async: on this rank). The number of plans, at most max_plans_of_call, is the same on
  /// all ranks. `plan_of_rank` returns the first plan of any rank; each rank then writes its other plans itself, whose
  /// bytes no other rank may write, in files that exist or are not in mode `create`. Errors: as the other `write`; the
  /// error of `opening`.
  void write(std::span<const AccessPlan> one_by_one, const Opening& opening, Memory memory = Memory::copied,
             const PlanOfRank& plan_of_rank = {});

  /// Collective. Writes a plan as the other `write`, but does not agree on errors of requests: returns the error of
  /// this rank, on which the caller agrees before the next call. Preconditions: Policy::async is 0, and the files have
  /// no chooser.
  [[nodiscard]] std::optional<Error> write_unagreed(const AccessPlan& mine, const Opening& opening);

  /// Collective. Writes a phase to the files that `make` returns. Every rank calls `make`, which is Collective, after
  /// the ranks have agreed on `opening`. `is_of_rank`: each rank returns files that only it writes, regardless of
  /// `writers`. Up to Policy::async phases may be unfinished on return. The error of a phase does not affect other
  /// phases. Returns true if this phase was written and, without Policy::async, ended without an error. Stores the
  /// first error, of this phase or of an earlier one that has ended since, in `first`; it is the same on all ranks.
  /// `plan_of_rank` as for `write`.
  [[nodiscard]] bool write_phase(const AccessPlan& mine, const Opening& opening, bool is_of_rank,
                                 const std::function<PhaseFiles(const Agreed& agreed)>& make, Memory memory,
                                 std::optional<Error>& first, const PlanOfRank& plan_of_rank = {});

  /// Local. Writes large contiguous `bytes` of this rank immediately, from any thread, regardless of the policy's
  /// writers. No rank may write the same bytes before `close`. Errors: io, only on this rank, so the caller must agree
  /// on it; usage if the file is not in the set.
  void write_own(int file, std::int64_t offset_bytes, std::span<const std::byte> bytes);

  /// Local. Writes the bytes of this rank's plan immediately, as the other `write_own` does: one request per run in the
  /// files, through a buffer of 256 KiB. Errors: as the other `write_own`; any error that an encoder throws.
  void write_own(const AccessPlan& mine);

  /// Local. Returns true if the policy allows `write_own` (Policy::writes_own).
  [[nodiscard]] bool writes_own() const { return resources_.policy().writes_own(); }

  /// Local. Returns this rank's own handle of a file, to read what the rank wrote. The handle is synced and closed like
  /// the handles of writes. Errors: io; usage if the file is not in the set.
  [[nodiscard]] std::shared_ptr<Store> own_handle(int file);

  /// Collective. Reads the bytes of all ranks' plans, which may overlap, after all writes are finished. Errors: as
  /// `write`; any error that a decoder throws. After an error the content of the memory is undefined.
  void read(const AccessPlan& mine, const PlanOfRank& plan_of_rank = {});

  /// Collective. Returns when all written bytes are in the files, phases are published, and lent memory is free.
  /// Errors: as `write`; the first error of any phase, after all phases have ended.
  void wait();

  /// Collective. Waits and closes the files, which are opened again when needed. Every rank can then read all bytes
  /// that any rank has written, even on file systems that guarantee this only for closed files. Errors: as `write`.
  void share();

  /// Collective. Waits, syncs if the policy requires it, and closes the files. Errors: as `write`.
  void close();

  /// Local. Returns the counts of all calls so far.
  [[nodiscard]] MoveCounts counts() const { return resources_.counts(); }
  /// Local. Returns true if all requests of this rank are done, so that `wait` would only wait for other ranks.
  [[nodiscard]] bool is_done() const { return in_flight_.is_done(); }
  /// Local. Returns the stripes of the files that this rank created.
  [[nodiscard]] std::vector<StripingReport::Line> striping() const { return resources_.striping().lines(); }
  /// Local. Returns the size of a stage: the size in the policy, or less if the memory of any rank or an alignment
  /// requires it.
  [[nodiscard]] std::int64_t stage_bytes() const { return resources_.stage_bytes(); }

 private:
  // Collective. Agrees on a new write. The chooser, if there is one, may request a new plan.
  [[nodiscard]] OpenedWrite open_write(std::span<const AccessPlan> plans, const PlanOfRank& plan_of_rank,
                                       const Opening& opening, Memory memory, bool is_of_rank);
  void perform_write(std::span<const AccessPlan> plans, const PlanOfRank& plan_of_rank, const Opening& opening,
                     Memory memory);
  // Collective. Begins the requests of all plans. If the policy on trial fails, begins them once more by another
  // policy.
  void begin_requests(WriteCall& call, std::span<const AccessPlan> plans, const PlanOfRank& plan_of_rank, Memory memory,
                      const OpenedWrite& opened);
  // Collective. Runs `work`. If it fails, which it then does on all ranks, closes the files that several ranks have
  // open.
  template <class Work>
  void release_after_error(Work&& work);
  // Collective. Closes the files. Throws `failure` of any rank, or the error of closing.
  void close_files(const std::optional<Error>& failure);

  Communicator& comm_;
  MoverResources resources_;
  PlanWriter writer_{resources_};
  std::optional<CallTime> last_call_;  // duration of the last write that has ended; known on all ranks or on none
  CallsInFlight in_flight_{comm_};     // last member, because its requests use the other members
};

}  // namespace sill
