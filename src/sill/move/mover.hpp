// The mover: moves bytes between the memory of all ranks and a set of files, by a policy.
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

/// Files that ranks write and read together: a set that stays open, or one for each output phase. Which bytes go where
/// depends only on the plans; the policy determines who performs the requests and how.
///
/// A write of the same extents as the one before it, or of all of them at one distance further on, is not planned
/// again, also in the files of another phase. It costs one all-reduce when it begins and one when its requests are
/// done; a phase with files of its own costs one more when they are published, and what `make` below sends.
class Mover {
 public:
  /// Collective. `comm` outlives the mover. The number of threads is that of `limits`, not of the policy. Files, mode
  /// and the rest of the policy are the same on all ranks. For phases with files of their own `files.paths` names any
  /// file like them, whose stripes are looked up without opening it. Errors: usage if ranks differ in these, if the
  /// memory is less than `min_mover_memory_bytes`, for a policy whose axes exclude each other, if there is no opener
  /// for the policy's call, or for MPI-IO on another thread than the one that initialized MPI.
  Mover(Communicator& comm, MoverFiles files, const Policy& policy, const MoverLimits& limits);
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;
  /// Waits for requests under way. Their errors are lost, so call `close` where they matter.
  ~Mover() = default;

  /// Collective. Replaces the policy, and plans the next write anew; does nothing, without a message, if `policy` is
  /// the one in use. Precondition: the old and the new policy are the same on all ranks. When it returns, all writes
  /// are in the files, synced if the old policy demands it; returns the error of that, if any, as `close` throws it.
  /// Errors: usage if `call`, `async` or the stripes differ, for which files and buffers were made.
  [[nodiscard]] std::optional<Error> use(const Policy& policy, const MoverLimits& limits);

  /// Collective. Writes what the ranks' plans (`for_writing`) say; a rank may bring an empty plan. `plan_of_rank`, on
  /// every rank or on none, gives the plan of any rank where that has closed form: the ranks then need not exchange
  /// them. With Policy::async = k > 0 the messages are done when it returns, the file requests of up to k calls may
  /// not be; an error among them is thrown by the next call of any kind. Bytes that an unfinished call writes may be
  /// written again: the calls keep their order.
  /// Errors: usage if two ranks write the same byte, if there is no such file, if an extent has neither memory nor
  /// encoder, or if a rank brings other bytes than `plan_of_rank` says (which is not asked when the write is the last
  /// one further on in the files); io; what an encoder throws, of lent memory as an error of a request. After an error
  /// the bytes that were to be written may be anything, others are as they were.
  void write(const AccessPlan& mine, const PlanOfRank& plan_of_rank = {}, Memory memory = Memory::copied);

  /// Collective. Writes `one_by_one` as one call: each plan when the one before is in the files on all ranks, with
  /// Policy::async on this rank. Their number, at most 2, is the same on all ranks. Errors: as above, of `opening`.
  void write(std::span<const AccessPlan> one_by_one, const Opening& opening, Memory memory = Memory::copied);

  /// Collective. Writes a phase whose files `make` names: called on every rank (and Collective) once `opening` is
  /// agreed on. `is_of_rank`: each rank names files that it alone writes, whatever `writers` says.
  /// Up to Policy::async phases may be unfinished when it returns. The error of a phase does not affect others. Returns
  /// true if this phase was written and, without Policy::async, ended without an error. The first error, of this phase
  /// or of an earlier one that ended meanwhile, is put into `first`, the same on all ranks.
  [[nodiscard]] bool write_phase(const AccessPlan& mine, const Opening& opening, bool is_of_rank,
                                 const std::function<PhaseFiles(const Agreed& agreed)>& make, Memory memory,
                                 std::optional<Error>& first);

  /// Local. Writes large contiguous `bytes` of this rank at once, from any thread, past the policy's writers. No rank
  /// may write the same bytes before `close`. Errors: io, on this rank alone, for the caller to agree on; usage if
  /// there is no such file.
  void write_own(int file, std::int64_t offset_bytes, std::span<const std::byte> bytes);

  /// Local. The same of a plan: a request for each run in the files, through a buffer of 256 KiB. Errors: likewise;
  /// what an encoder throws.
  void write_own(const AccessPlan& mine);

  /// Local. Returns true if the policy lets ranks write by `write_own`: Policy::writes_own.
  [[nodiscard]] bool writes_own() const { return resources_.policy().writes_own(); }

  /// Local. Returns this rank's own handle on a file, to read back what it wrote; it is synced and closed as those of
  /// writes are. Errors: io; usage if there is no such file.
  [[nodiscard]] std::shared_ptr<Store> own_handle(int file);

  /// Collective. Reads what the ranks' plans say, which may overlap, once all writes are finished. Errors: as
  /// `write`; what a decoder throws. After an error the memory holds anything.
  void read(const AccessPlan& mine, const PlanOfRank& plan_of_rank = {});

  /// Collective. Returns when everything written is in the files, phases are published, and lent memory is free.
  /// Errors: as `write`; of phases the first, once all have ended.
  void wait();

  /// Collective. Waits and closes the files, which are opened again when they are needed: what any rank has written can
  /// then be read by every other, also on file systems that promise it only for files that were closed. Errors: as
  /// `write`.
  void share();

  /// Collective. Waits, syncs if the policy says so, and closes the files. Errors: as `write`.
  void close();

  /// Local. Returns what moving has cost so far.
  [[nodiscard]] MoveCounts counts() const { return resources_.counts(); }
  /// Local. Returns true if all requests of this rank are done, so that `wait` would wait for other ranks alone.
  [[nodiscard]] bool is_done() const { return in_flight_.is_done(); }
  /// Local. Returns which stripes the files that this rank created got.
  [[nodiscard]] std::vector<StripingReport::Line> striping() const { return resources_.striping().lines(); }
  /// Local. Returns the size of a stage: the policy's, or less if the memory of any rank or an alignment requires it.
  [[nodiscard]] std::int64_t stage_bytes() const { return resources_.stage_bytes(); }

 private:
  // Collective. Agrees on a write that begins, and lets the chooser, if there is one, ask for a new plan.
  [[nodiscard]] OpenedWrite open_write(std::span<const AccessPlan> plans, const Opening& opening, Memory memory,
                                       bool is_of_rank);
  void perform_write(std::span<const AccessPlan> plans, const PlanOfRank& plan_of_rank, const Opening& opening,
                     Memory memory);
  // Collective. Begins the requests of all plans; once more, by another policy, if the one on trial fails.
  void begin_requests(WriteCall& call, std::span<const AccessPlan> plans, const PlanOfRank& plan_of_rank, Memory memory,
                      const OpenedWrite& opened);
  // Collective. Runs `work`. If it fails, which it then does on all ranks, files that several ranks have open are
  // closed.
  template <class Work>
  void release_after_error(Work&& work);
  // Collective. Throws `failure` of any rank, or what closing fails with.
  void close_files(const std::optional<Error>& failure);

  Communicator& comm_;
  MoverResources resources_;
  PlanWriter writer_{resources_};
  std::optional<CallTime> last_call_;  // of the last write that was waited for; known on all ranks or on none
  CallsInFlight in_flight_{comm_};     // the last, because its requests use the rest
};

}  // namespace sill
