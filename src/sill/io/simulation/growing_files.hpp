// Files that grow in each phase and contain the count of their complete steps.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "sill/base/error.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/move/mover.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// Writes records, and then writes the number of complete records to the same files: every reader, during the run or
/// after the program was killed, finds all records that are counted (docs/adr/0032-records-before-headers.md). With
/// Policy::async, requests of earlier plans may be unfinished or have failed when a count is written: `countable`
/// returns the maximum number of steps that it may state.
class GrowingFiles {
 public:
  /// Local. Returns this rank's plan of the bytes that state `steps` complete steps. The bytes remain until the next
  /// call.
  using CountPlan = std::function<AccessPlan(std::int64_t steps)>;

  /// Collective. Opens the files. `resources` outlive it. `steps` steps are already complete. `counts_by_owner`: the
  /// rank that has a count writes it itself in `wait`, for any `writers` of the policy. Errors: as the constructor of
  /// Mover.
  GrowingFiles(const Resources& resources, MoverFiles files, CountPlan count_plan, std::int64_t steps = 0,
               bool counts_by_owner = false);

  /// Local. Returns the largest number of complete steps that the call which writes up to step `steps` may state: the
  /// steps that the files of all ranks contain at that time. The result is the same on all ranks.
  [[nodiscard]] std::int64_t countable(std::int64_t steps) const;

  /// The steps of a call.
  struct Steps {
    std::int64_t written = 0;                  ///< steps in the files at the end of the call
    std::optional<std::int64_t> counted = {};  ///< steps counted by the last plan of the call; nullopt: no plan of the
                                               ///< call counts steps
  };
  /// Collective. Writes the plans `one_by_one` as Mover::write. `holds` exists until the requests are finished. Errors:
  /// as Mover::write. After an error the files count, if they can still be written, the steps that
  /// they certainly contain; further calls throw the same error. After an error that occurs while the files are closed
  /// for another policy, nothing more is written to them.
  void write(std::span<const AccessPlan> one_by_one, const Opening& opening, Steps steps,
             std::shared_ptr<void> holds = {}, Memory memory = Memory::copied, const PlanOfRank& plan_of_rank = {});

  /// Local. Writes immediately, while other ranks continue: see Mover::write_own. The data is not counted.
  void write_own(const AccessPlan& mine) { mover_.write_own(mine); }

  /// Collective. Returns when all data is in the files, and counted. Errors: as `write`.
  void wait();

  /// Collective. Waits, and closes the files, after syncing them if the policy requires it. Errors: as `write`, after
  /// the files are closed.
  void close();

  /// Local. Discards a usage error, such as a value that the file cannot store, unless an earlier call may be in
  /// progress, so that further calls are possible; the steps of the failed call are not counted. Returns true if the
  /// error was discarded; the result is the same on all ranks.
  bool forgive();

  /// Local. Returns the error of an earlier call, the same on all ranks.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

 private:
  struct Begun {
    std::int64_t steps = 0;
    std::shared_ptr<void> holds;
  };
  // Collective. Performs `work`; its error becomes the error of all further calls.
  template <class Work>
  void perform(Work&& work);
  // Collective. Writes, after an error, the count of the steps that the files certainly contain, and closes the files.
  void write_certain_count_and_close();
  void end(std::size_t max_in_flight);
  // Collective. Waits, and counts the remaining steps.
  void wait_and_count();

  const Resources& resources_;
  CountPlan count_plan_;
  bool counts_by_owner_;
  std::int64_t certain_steps_ = 0;
  std::int64_t counted_steps_ = 0;
  std::deque<Begun> begun_;  // calls that may be unfinished
  std::optional<Error> failure_;
  Mover mover_;  // last, so that its requests end before the data they use is destroyed
};

}  // namespace sill
