// The solution files of one output phase, written by all ranks, and the index that tells that they are complete.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/solution/phase_index.hpp"
#include "sill/io/output_set.hpp"
#include "sill/io/resources.hpp"
#include "sill/move/mover.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// A shared file appears under its name when it is complete. Files of problems, of which there are many, are made under
/// their names at once, and one that an earlier run left is overwritten; so complete is what the phase's index tells of
/// (docs/adr/0033-solution-files-have-an-index.md): it is removed first and made last. Requests may outlast `write`
/// (Policy::async). Destroyed before `finish`, it leaves no index, and of a shared file nothing.
class SolutionPhase {
 public:
  /// Collective. Removes the phase's index if there is one, for good where the policy syncs, before any file of the
  /// phase is opened. `phase` is the same on all ranks and possible. The folder is there, and with Files::each those of
  /// the problems. `resources` outlive it; `memory_bytes` are for its buffers on this rank. Errors: io.
  SolutionPhase(const Resources& resources, std::string folder, const solution::PhaseIndex& phase,
                std::int64_t memory_bytes);

  /// Local. The extent, made by `encoder`, of `problems`, which have one file: with Files::each they are one. The
  /// encoder makes chunk after chunk, as solution::write_text does. Precondition: not empty.
  [[nodiscard]] Extent extent_of(ItemRange problems, const Encoder& encoder) const;

  /// Collective. Every rank writes its extents, as the policy says; called once. Encoders are not asked afterwards.
  /// Errors: usage if extents overlap; io; what an encoder throws.
  void write(const AccessPlan& mine);

  /// Collective. Waits, closes the files on all ranks, after syncing them if the policy says so, and makes the index.
  /// Errors: io; then there is no index.
  void finish();

 private:
  const Resources& resources_;
  std::string folder_;
  solution::PhaseIndex phase_;
  std::optional<OutputSet> shared_;
  std::optional<Mover> each_;
};

/// Collective. Makes the folder and, with Files::each, those of the problems that each rank has. Errors: io.
void make_solution_folders(const Resources& resources, const std::string& folder, const solution::Form& form,
                           ItemRange mine);

/// Local. The output steps of which `folder` holds an index, ascending. Errors: io if it cannot be read, or is none.
[[nodiscard]] std::vector<std::int64_t> solution_steps(const std::string& folder);

/// Collective. Removes the indexes of all phases in `folder`, which is there, for good where the policy syncs: files of
/// phases stay, and none is complete any more. Errors: io.
void remove_phase_indexes(const Resources& resources, const std::string& folder);

/// Collective. The index of a phase. Errors: io if there is none; input if the file is no index of that step.
[[nodiscard]] solution::PhaseIndex read_phase_index(const Resources& resources, const std::string& folder,
                                                    std::int64_t step);

}  // namespace sill
