// The solution files of one output phase, written by all ranks, and the index that tells that they are complete.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/solution/phase_index.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/output_set.hpp"
#include "sill/io/simulation/whole_text_file.hpp"
#include "sill/move/mover.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// A shared file appears under its name when it is complete. Files of problems, of which there are many, are made under
/// their names at once, in the place of those that an earlier run left; so complete is what the phase's index tells of
/// (docs/adr/0033-solution-files-have-an-index.md): it is removed first, its text is on disk before any other, and it
/// gets its name last. Requests may outlast `write` (Policy::async). Destroyed before `finish`, it leaves no index, and
/// of a shared file nothing.
///
/// A rank that writes the files of its own problems keeps names and handles of these alone. Only where the policy gives
/// files to others (writers=root, node or a number, or collective calls, with several ranks) does each keep all names.
class SolutionPhase {
 public:
  /// Collective. Removes the phase's index if there is one, for good where the policy syncs, before any file of the
  /// phase is opened. `phase` is the same on all ranks and possible; `mine`, of its problems, are those that this rank
  /// alone brings. The folder is there, and with Files::each those of the problems. `resources` outlive it;
  /// `memory_bytes` are for its buffers on this rank; `background` is as of MoverLimits. Errors: io.
  SolutionPhase(const Resources& resources, const std::string& folder, const solution::PhaseIndex& phase,
                ItemRange mine, std::int64_t memory_bytes, IoThreads* background = nullptr);

  /// Local. The extent, made by `encoder`, of `problems`, which have one file: with Files::each they are one. The
  /// encoder makes chunk after chunk, as solution::write_text does. Precondition: not empty; within `mine`.
  [[nodiscard]] Extent extent_of(ItemRange problems, const Encoder& encoder) const;

  /// Collective. Every rank writes its extents, as the policy says; called once. Encoders are not asked afterwards,
  /// unless memory is lent (Policy::async): then they stay as they are until `finish`. Errors: usage if extents
  /// overlap; io; what an encoder throws.
  void write(const AccessPlan& mine, Memory memory = Memory::copied);

  /// Local. Whether all requests of this rank are done, syncing included.
  [[nodiscard]] bool is_done() const { return shared_ ? shared_->is_done() : each_->is_done(); }

  /// Collective. Waits, closes the files on all ranks, after syncing them if the policy says so, and makes the index.
  /// Errors: io; then there is no index.
  void finish();

 private:
  void begin_index();
  void sync_names() const;
  [[nodiscard]] MoverFiles files_of(ItemRange problems, bool is_only_mine) const;

  const Resources& resources_;
  std::string folder_;
  solution::PhaseIndex phase_;
  ItemRange mine_;
  std::optional<WholeTextFile> index_;  // on rank 0
  std::optional<OutputSet> shared_;
  std::unique_ptr<Communicator> alone_;  // where each rank writes the files of its own problems
  std::int64_t first_problem_ = 0;       // which file 0 is of
  std::optional<Mover> each_;
};

/// Local. Opens for writing what is not there: a file that has the name loses it first, so that neither other names
/// that it has, as copies by hard links do, nor what a symbolic link points to are written to.
[[nodiscard]] Opener in_place_of_old(Opener open);

/// Collective. With Files::each makes the folders of the problems that each rank has, in `folder`, which is there.
/// Errors: io.
void make_problem_folders(const Resources& resources, const std::string& folder, const solution::Form& form,
                          ItemRange mine);

/// Local. The output steps of which `folder` holds an index, ascending. Errors: io if it cannot be read, or is none.
[[nodiscard]] std::vector<std::int64_t> solution_steps(const std::string& folder);

/// Collective. Removes the indexes of all phases in `folder`, which is there, for good where the policy syncs: files of
/// phases stay, and none is complete any more. Errors: io.
void remove_phase_indexes(const Resources& resources, const std::string& folder);

/// Collective. Removes what an earlier run told of the problems beside their solutions (elements, parameters, meshes),
/// for good where the policy syncs: of problems that are `mine` on any rank, and of shared files. Errors: io.
void remove_descriptions(const Resources& resources, const std::string& folder, const solution::Form& form,
                         ItemRange mine);

/// Collective. Makes sure that nothing in `folder`, which is there, tells of such problems beside their solutions: what
/// `remove_descriptions` would remove. Errors: io if something does.
void require_no_descriptions(const Resources& resources, const std::string& folder, const solution::Form& form,
                             ItemRange mine);

/// Collective. The index of a phase. Errors: io if there is none; input if the file is no index of that step.
[[nodiscard]] solution::PhaseIndex read_phase_index(const Resources& resources, const std::string& folder,
                                                    std::int64_t step);

}  // namespace sill
