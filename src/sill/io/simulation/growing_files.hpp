// Files that grow phase by phase and hold the count of their complete steps.
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

/// Writes records, then the count of them in the same files: whoever reads during the run, or after the program was
/// killed, finds all that is counted (docs/adr/0032-records-before-headers.md). With Policy::async, requests of earlier
/// plans may be unfinished or have failed when a count is written: `countable` returns how many steps it may have.
class GrowingFiles {
 public:
  /// Local. Returns this rank's plan of what says that `steps` steps are complete. Its bytes stay until the next call.
  using CountPlan = std::function<AccessPlan(std::int64_t steps)>;

  /// Collective. `resources` outlive it. `steps` are complete already. Errors: as the constructor of Mover.
  GrowingFiles(const Resources& resources, MoverFiles files, CountPlan count_plan, std::int64_t steps = 0);

  /// Local. Returns how many steps the call that writes up to step `steps` may count: those that are in the files of
  /// all ranks by then. The same on all ranks.
  [[nodiscard]] std::int64_t countable(std::int64_t steps) const;

  /// What a call writes.
  struct Steps {
    std::int64_t written = 0;                  ///< steps in the files when it ends
    std::optional<std::int64_t> counted = {};  ///< how many its last plan counts; nothing: it has no such plan
  };
  /// Collective. Writes `one_by_one`, at most 2 plans. `holds` lives until the requests are done. Errors: as
  /// Mover::write. After an error the files count, as far as they can still be written, the steps that are there for
  /// certain; further calls throw the same error.
  void write(std::span<const AccessPlan> one_by_one, const Opening& opening, Steps steps,
             std::shared_ptr<void> holds = {}, Memory memory = Memory::copied);

  /// Local. Writes at once, while other ranks go on: see Mover::write_own. Nothing of it is counted.
  void write_own(const AccessPlan& mine) { mover_.write_own(mine); }

  /// Collective. Returns when everything written is in the files, and counted. Errors: as `write`.
  void wait();

  /// Collective. Waits, and closes the files, after syncing if the policy says so. Errors: as `write`, once the files
  /// are closed.
  void close();

  /// Local. After an error of usage, such as a value that the file cannot hold: forgets it, where no earlier call is on
  /// its way, so that calls may follow; the steps of that call were not counted. Returns whether it did, the same on
  /// all ranks.
  bool forgive();

  /// Local. Returns the error of an earlier call, the same on all ranks.
  [[nodiscard]] const std::optional<Error>& failure() const { return failure_; }

 private:
  struct Begun {
    std::int64_t steps = 0;
    std::shared_ptr<void> holds;
  };
  // Collective. Performs `work`; what it throws is the error of all further calls.
  template <class Work>
  void perform(Work&& work);
  // Collective. After an error: lets the files count what is in them for certain.
  void write_certain_count_and_close();
  void end(std::size_t max_in_flight);
  // Collective. Waits, and counts steps that are not counted.
  void wait_and_count();

  const Resources& resources_;
  CountPlan count_plan_;
  std::int64_t certain_steps_ = 0;
  std::int64_t counted_steps_ = 0;
  std::deque<Begun> begun_;  // calls that may not be finished
  std::optional<Error> failure_;
  Mover mover_;  // last: its requests end before what they work from
};

}  // namespace sill
