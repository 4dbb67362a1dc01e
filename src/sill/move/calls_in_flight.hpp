// Writes whose requests may not be done yet, in the order in which they were called.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/move/file_set.hpp"
#include "sill/move/policy/domains.hpp"
#include "sill/move/policy/policy.hpp"
#include "sill/move/repeated_write.hpp"
#include "sill/move/request_batch.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// The files of one output phase: one call writes them, and they are closed when its requests are done.
struct PhaseFiles {
  std::vector<std::string> paths = {};  ///< the same on all ranks, unless each has its own
  OpenMode mode = OpenMode::write;
  /// Local. Called on each rank once it has closed its files without an error.
  std::function<void()> closed = {};
  /// Local. Called on rank 0 once that has succeeded on all ranks.
  std::function<void()> publish = {};
  std::shared_ptr<void> holds = {};  ///< destroyed when the phase has ended, with or without an error
};

/// The requests of one plan, and what other ranks know of it.
struct WriteBatch {
  WriteWay way = WriteWay::copied;
  Policy::Writers writers = Policy::Writers::all;
  bool memory_stays = false;  ///< all of the plan's, until the requests are done
  std::shared_ptr<RequestBatch> requests = {};
  std::vector<AccessSummary> summaries = {};  ///< of all ranks
  AccessPlan plan = {};                       ///< of lent memory, which background threads ask for
  std::vector<std::byte> short_run = {};      ///< copied bytes, which `plan` then points to
};

/// One call of Mover::write or write_phase.
struct WriteCall {
  FileSet* files = nullptr;
  std::list<WriteBatch> batches = {};
  std::unique_ptr<FileSet> of_phase = {};  ///< null where the files stay open after the call
  PhaseFiles phase = {};

  /// Local. Returns true if all requests are done.
  [[nodiscard]] bool is_done() const;
  /// Local. Waits for all requests, because they use the files; returns the first error.
  [[nodiscard]] std::optional<Error> wait();
};

/// The calls of one mover. All ranks begin the same calls in the same order.
class CallsInFlight {
 public:
  /// `comm` outlives it.
  explicit CallsInFlight(Communicator& comm) : comm_(comm) {}
  CallsInFlight(const CallsInFlight&) = delete;
  CallsInFlight& operator=(const CallsInFlight&) = delete;
  /// Waits for all requests; their errors are lost.
  ~CallsInFlight() { drop(); }

  [[nodiscard]] std::size_t size() const { return calls_.size(); }
  /// Local. Returns true if the oldest call is a phase with files of its own.
  [[nodiscard]] bool begins_with_phase() const { return !calls_.empty() && calls_.front().of_phase != nullptr; }
  /// Local. Returns true if all requests of this rank are done.
  [[nodiscard]] bool is_done() const { return count_done() == static_cast<std::int64_t>(size()); }
  /// Local. Returns how many calls are done, from the oldest to the first that is not.
  [[nodiscard]] std::int64_t count_done() const;

  /// Local. Adds a call that writes `files`.
  [[nodiscard]] WriteCall& begin(FileSet& files);
  /// Local. Adds the phase that `one` holds, whose requests have begun.
  void add(std::list<WriteCall>&& one) { calls_.splice(calls_.end(), one); }

  /// Collective. Waits until at most `max_left` calls are in flight, and agrees on the errors of all that are done.
  /// Precondition: none is a phase. Errors: the first of any rank; no call is in flight then.
  void collect(std::size_t max_left);
  /// Collective. Ends the oldest call, a phase: closes its files on all ranks, then publishes it on rank 0. Returns its
  /// error, which all ranks have.
  [[nodiscard]] std::optional<Error> finish_oldest();
  /// Local. Waits for all requests and leaves their errors.
  void drop();

  /// Collective. Waits for calls that wrote bytes of `now` on another rank: each rank keeps the order of its own
  /// requests alone. Errors: of those calls.
  void wait_for_overlapping(const WriteBatch& now);
  /// Local. Waits for jobs that take their stages themselves (WriteWay::jobs). Their errors are left for `collect`.
  void wait_for_jobs();

 private:
  Communicator& comm_;
  std::list<WriteCall> calls_;
};

}  // namespace sill
