// The output phases of a time loop: the files of each appear under their names only when all of them are complete.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/move/mover.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// Local. Throws a usage error about an output of simulations.
[[noreturn]] void refuse_output(const char* output, std::string problem, std::string action);
/// Local. Makes the error of a phase that ranks write for different steps.
[[nodiscard]] std::function<Error(std::int64_t min, std::int64_t max)> unequal_steps_of(const char* output);

/// Collective. Errors: io unless the folder of files whose names begin with `prefix` is there, and rank 0 can make
/// files in it.
void require_folder_of(Communicator& comm, const std::string& prefix);

/// One output phase as a rank prepares it.
struct OutputPhase {
  enum class Files {
    whole,    ///< written beside their names, which they get when the phase is complete
    named,    ///< made under their names
    of_rank,  ///< the same, and each rank has its own, which it writes whatever the policy's `writers`
  };
  Files files = Files::whole;
  std::vector<std::string> paths = {};  ///< file i of `plan` is paths[i]; of Files::whole those of rank 0 count
  AccessPlan plan = {};                 ///< what this rank writes
  std::function<void()> begun = {};     ///< Local. Called on each rank when all have prepared the phase well
  std::function<void()> closed = {};    ///< Local. Called on each rank that has closed its files
  std::function<void()> accept = {};    ///< Local. Called on rank 0 when all have, before files get their names
  std::function<void()> publish = {};   ///< Local. Called on rank 0 when the files have their names
  std::shared_ptr<void> holds = {};     ///< lives until the phase has ended; the plan's encoders, for example
};

/// Writes phase after phase as the policy of the resources says when each begins (Mover::use), with Policy::async
/// while the program computes. A phase like the one before it costs four collectives: it begins, rank 0 names its
/// files, its requests end, it is published. Phases that are unfinished when the writer is destroyed leave their
/// targets as they were.
class PhaseWriter {
 public:
  /// Collective. `resources` outlive it. `prefix`: what the names of files begin with, to find out how their file
  /// system stripes them. `memory_bytes` are for buffers of this rank. `open` opens the files; `max_open`: how many
  /// handles a rank may have open, 0: as many as the phases in flight all have room for. Errors: as the constructor of
  /// Mover.
  PhaseWriter(const Resources& resources, const std::string& prefix, std::int64_t memory_bytes, Opener open = {},
              std::int64_t max_open = 0);

  /// What ranks must have in common, such as the time step.
  struct Common {
    std::int64_t value = 0;
    std::function<Error(std::int64_t min, std::int64_t max)> unequal;  ///< the error if they differ
    /// Local. Called when the phase is prepared; may be empty. Where it returns false on any rank, `changed` is called
    /// on all of them before files are opened.
    std::function<bool()> is_unchanged = {};
    std::function<void()> changed = {};  ///< Collective; may throw the same error on all ranks
  };

  /// Collective. Writes the phase that `prepare` (Local) returns: called once on every rank, which may throw. The kind
  /// of files is the same on all ranks. At most Policy::async phases are unfinished when it returns; one phase's error
  /// costs no other. `call` counts the phase. Errors: what `prepare` throws; as Mover::write_phase; io, also of
  /// earlier phases: they are thrown when this one has begun.
  void write(OutputCall& call, const Common& common, const std::function<OutputPhase()>& prepare,
             Memory memory = Memory::copied);

  /// Collective. Finishes all phases. Errors: the first, once all have ended.
  void wait();

 private:
  struct Whole;

  [[nodiscard]] std::shared_ptr<Whole> make_part_files(const OutputPhase& phase) const;
  // Collective. Throws an error of all ranks once rank 0 has removed part files: then a rank may end the program.
  [[noreturn]] void leave(const Error& error) const;

  [[nodiscard]] MoverLimits limits() const { return {memory_bytes_, resources_.threads()}; }

  const Resources& resources_;
  std::int64_t memory_bytes_;
  std::optional<Mover> mover_;
};

}  // namespace sill
