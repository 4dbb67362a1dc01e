// Writes whose requests may still be unfinished, in the order of their calls.
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
  std::vector<std::string> paths = {};  ///< the same on all ranks, unless each rank has its own files
  OpenMode mode = OpenMode::write;
  /// Local. Called on each rank once it has closed its files without an error.
  std::function<void()> closed = {};
  /// Local. Called on rank 0 once all ranks have closed their files without an error.
  std::function<void()> publish = {};
  std::shared_ptr<void> holds = {};  ///< destroyed when the phase has ended, with or without an error
};

/// The requests of one plan, and what other ranks know about the plan.
struct WriteBatch {
  WriteWay way = WriteWay::copied;
  Policy::Writers writers = Policy::Writers::all;
  bool memory_stays = false;  ///< the memory of the plan does not change until the requests are done
  std::shared_ptr<RequestBatch> requests = {};
  std::vector<AccessSummary> summaries = {};  ///< summaries of all ranks
  AccessPlan plan = {};                       ///< plan of lent memory that background threads read
  std::vector<std::byte> short_run = {};      ///< copied bytes, which `plan` then points to
};

/// One call of Mover::write or write_phase.
struct WriteCall {
  FileSet* files = nullptr;
  std::list<WriteBatch> batches = {};
  std::unique_ptr<FileSet> of_phase = {};  ///< null if the files stay open after the call
  PhaseFiles phase = {};

  /// Local. Returns true if all requests are done.
  [[nodiscard]] bool is_done() const;
  /// Local. Waits for all requests, because they use the files. Returns the first error.
  [[nodiscard]] std::optional<Error> wait();
};

/// The calls of one mover. All ranks begin the same calls in the same order.
class CallsInFlight {
 public:
  /// Precondition: `comm` outlives the object.
  explicit CallsInFlight(Communicator& comm) : comm_(comm) {}
  CallsInFlight(const CallsInFlight&) = delete;
  CallsInFlight& operator=(const CallsInFlight&) = delete;
  /// Waits for all requests. Their errors are lost.
  ~CallsInFlight() { drop(); }

  [[nodiscard]] std::size_t size() const { return calls_.size(); }
  /// Local. Returns true if the oldest call is a phase with its own files.
  [[nodiscard]] bool begins_with_phase() const { return !calls_.empty() && calls_.front().of_phase != nullptr; }
  /// Local. Returns true if all requests of this rank are done.
  [[nodiscard]] bool is_done() const { return count_done() == static_cast<std::int64_t>(size()); }
  /// Local. Returns the number of calls that are done, from the oldest call to the first unfinished one.
  [[nodiscard]] std::int64_t count_done() const;

  /// Local. Adds a call that writes `files`.
  [[nodiscard]] WriteCall& begin(FileSet& files);
  /// Local. Adds the phase that `one` holds, whose requests have begun.
  void add(std::list<WriteCall>&& one) { calls_.splice(calls_.end(), one); }

  /// Collective. Waits until at most `max_left` calls are in flight, and agrees on the errors of all calls that are
  /// done. Precondition: no call is a phase. Errors: the first error of any rank; no call is in flight afterwards.
  void collect(std::size_t max_left);
  /// Collective. Ends the oldest call, a phase: closes its files on all ranks, then publishes the phase on rank 0.
  /// Returns the error of the phase, which is the same on all ranks.
  [[nodiscard]] std::optional<Error> finish_oldest();
  /// Local. Waits for all requests and discards their errors.
  void drop();

  /// Collective. Waits for earlier calls that wrote bytes of `now` on another rank: a rank preserves the order only of
  /// its own requests. Errors: the errors of the earlier calls.
  void wait_for_overlapping(const WriteBatch& now);
  /// Local. Waits for jobs that take their own stages (WriteWay::jobs). `collect` reports their errors.
  void wait_for_jobs();

 private:
  Communicator& comm_;
  std::list<WriteCall> calls_;
};

}  // namespace sill
