// The output phases of a time loop: the files of a phase appear under their names only when all of them are complete.
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
/// Local. Returns a function that returns the error to throw if ranks write one phase for different steps.
[[nodiscard]] std::function<Error(std::int64_t min, std::int64_t max)> unequal_steps_of(const char* output);

/// Collective. Checks the folder of files whose names begin with `prefix`. Errors: io unless the folder exists and rank
/// 0 can create files in it.
void require_folder_of(Communicator& comm, const std::string& prefix);

/// The files and data of one output phase on a rank.
struct OutputPhase {
  enum class Files {
    whole,    ///< written under temporary names; they get their names when the phase is complete
    named,    ///< created under their names
    of_rank,  ///< created under their names; each rank has its own files, and writes them for any `writers` of the
              ///< policy
  };
  Files files = Files::whole;
  std::vector<std::string> paths = {};  ///< file i of `plan` is paths[i]; for Files::whole only rank 0's are used
  AccessPlan plan = {};                 ///< the data that this rank writes
  PlanOfRank plan_of_rank = {};         ///< see Mover::write; given on all ranks or on none
  std::function<void()> begun = {};     ///< Local. Called on each rank when all ranks have prepared the phase without
                                        ///< error
  std::function<void()> closed = {};    ///< Local. Called on each rank that has closed its files
  std::function<void()> accept = {};    ///< Local. Called on rank 0 when all ranks have closed their files, before they
                                        ///< get their names
  std::function<void()> publish = {};   ///< Local. Called on rank 0 when the files have their names
  std::shared_ptr<void> holds = {};     ///< exists until the phase has ended; for example the plan's encoders
};

/// Writes phase after phase with the policy that the resources have when each begins (Mover::use); with Policy::async
/// in the background. A phase that is like the previous one, or has a plan in closed form, needs four collectives: at
/// its beginning, when rank 0 names its files, when its requests end, and when it is published. Phases that are
/// unfinished when the writer is destroyed leave their targets unchanged.
class PhaseWriter {
 public:
  /// Collective. Prepares the writer. `resources` outlive it. `prefix` is the beginning of the file names; it
  /// determines the file system, whose striping is read. `memory_bytes` is the buffer memory of this rank. `open` opens
  /// the files. `max_open` is the maximum number of open handles of a rank, shared by the phases in flight; 0: as many
  /// as the limits of the process allow. Errors: as the constructor of Mover.
  PhaseWriter(const Resources& resources, const std::string& prefix, std::int64_t memory_bytes, Opener open = {},
              std::int64_t max_open = 0);

  /// Values on which ranks must agree, such as the time step.
  struct Common {
    std::int64_t value = 0;
    std::function<Error(std::int64_t min, std::int64_t max)> unequal;  ///< returns the error to throw if `value`
                                                                       ///< differs between ranks
    /// Local. Called when the phase is prepared; may be empty. If it returns false on any rank, `changed` is called on
    /// all ranks before files are opened.
    std::function<bool()> is_unchanged = {};
    std::function<void()> changed = {};  ///< Collective. May throw the same error on all ranks
  };

  /// Collective. Writes the phase that `prepare` (Local) returns. `prepare` is called once on every rank, and may
  /// throw. The kind of files is the same on all ranks. At most Policy::async phases are unfinished when the call
  /// returns; an error of one phase does not affect other phases. `call` counts the phase. Errors: any error that
  /// `prepare` throws; as Mover::write_phase; io. Errors of earlier phases are thrown after this phase has begun.
  void write(OutputCall& call, const Common& common, const std::function<OutputPhase()>& prepare,
             Memory memory = Memory::copied);

  /// Collective. Finishes all phases. Errors: the first error, after all phases have ended.
  void wait();

 private:
  struct Whole;

  [[nodiscard]] std::shared_ptr<Whole> make_part_files(const OutputPhase& phase) const;
  // Collective. Throws an error of all ranks after rank 0 has removed part files: then a rank may end the program.
  [[noreturn]] void leave(const Error& error) const;

  [[nodiscard]] MoverLimits limits() const { return {memory_bytes_, resources_.threads()}; }

  const Resources& resources_;
  std::int64_t memory_bytes_;
  std::optional<Mover> mover_;
};

}  // namespace sill
