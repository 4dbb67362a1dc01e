// Files that several ranks write together in one go; each appears under its name only when all are complete.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sill/io/session/resources.hpp"
#include "sill/move/mover.hpp"
#include "sill/plan/access_plan.hpp"
#include "sill/store/part/part_file.hpp"

namespace sill {

/// Collective. Errors: io unless the folder of files whose names begin with `prefix` is there, and rank 0 can make
/// files in it.
void require_folder_of(Communicator& comm, const std::string& prefix);

/// What a simulation puts out at one time. Its requests may outlast `write` (Policy::async), so that the program goes
/// on; `finish` waits for them. Destroyed before `finish`, it leaves nothing behind and the targets untouched.
class OutputSet {
 public:
  /// Collective. Makes a part file beside each target; the targets are those of rank 0. `resources` outlive it;
  /// `memory_bytes` are for its buffers on this rank; `background` as of MoverLimits. Errors: io, then no part file is
  /// left.
  OutputSet(const Resources& resources, std::vector<std::string> targets, std::int64_t memory_bytes,
            IoThreads* background = nullptr);

  /// Collective. Every rank writes its extents, file i being that of target i, as the policy says. It is called once;
  /// as all messages are done and all encoders have been asked when it returns, their memory is free then. If it is
  /// lent (Policy::async), memory and encoders stay as they are until `finish`. Errors: usage if extents overlap; io;
  /// what an encoder throws.
  void write(const AccessPlan& mine, Memory memory = Memory::copied);

  /// Local. Whether all requests of this rank are done, syncing included.
  [[nodiscard]] bool is_done() const { return mover_->is_done(); }

  /// Collective. Waits, closes the files on all ranks, after syncing them if the policy says so, and gives them the
  /// targets' names, one after another. `told_by`: a file that tells of earlier targets of these names, among the
  /// targets or not; it loses its name before the first of them gets its own, so that it never tells of old and new
  /// ones. Errors: io; then no target has changed, unless it was the renaming itself that failed: those before it have
  /// their new files then.
  void finish(const std::string& told_by = {});

 private:
  const Resources& resources_;
  std::optional<std::deque<PartFile>> parts_;  // on rank 0
  std::optional<Mover> mover_;
};

}  // namespace sill
