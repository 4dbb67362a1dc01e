// The solution files of an output phase, and the index that exists when they are complete.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sill/formats/solution/phase_index.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/simulation/phase_writer.hpp"
#include "sill/plan/access_plan.hpp"

namespace sill {

/// Local. The output phase of a step, whose plan is still to be given. A shared file appears under its name when it is
/// complete. Files of problems, of which there are many, are made under their names at once, in the place of those that
/// an earlier run left. A phase is complete if and only if its index exists
/// (docs/adr/0033-solution-files-have-an-index.md): it is removed here, on rank 0, for good where the policy syncs,
/// before any file of the phase is opened; its text is on disk before any other, and it gets its name last.
///
/// `phase` is the same on all ranks and possible; `mine`, of its problems, are those that this rank alone brings. The
/// folder is there, and with Files::each those of the problems. `holds` lives until the phase has ended. A rank that
/// writes the files of its own problems names these alone. Only where the policy gives files to others (writers=root,
/// node or a number, or collective calls, with several ranks) does each name all. Errors: io.
[[nodiscard]] OutputPhase solution_phase(const Resources& resources, const std::string& folder,
                                         const solution::PhaseIndex& phase, ItemRange mine,
                                         std::shared_ptr<void> holds);

/// Collective. What writes such phases. `memory_bytes` are for its buffers on this rank. Errors: as PhaseWriter.
[[nodiscard]] std::unique_ptr<PhaseWriter> solution_phase_writer(const Resources& resources, const std::string& folder,
                                                                 const solution::Form& form, std::int64_t memory_bytes);

/// Local. The extent in such a phase, made by `encoder`, of `problems`, which have one file: with Files::each they are
/// one. The encoder makes chunk after chunk, as solution::write_text does. Precondition: not empty; within `mine`.
[[nodiscard]] Extent solution_extent(const OutputPhase& phase, const solution::Form& form, ItemRange mine,
                                     ItemRange problems, const Encoder& encoder);

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

/// Collective. Removes what an earlier run wrote of the problems beside their solutions (elements, parameters, meshes),
/// for good where the policy syncs: of problems that are `mine` on any rank, and of shared files. Errors: io.
void remove_descriptions(const Resources& resources, const std::string& folder, const solution::Form& form,
                         ItemRange mine);

/// Collective. Makes sure that nothing in `folder`, which exists, describes such problems beside their solutions: what
/// `remove_descriptions` would remove. Errors: io if something does.
void require_no_descriptions(const Resources& resources, const std::string& folder, const solution::Form& form,
                             ItemRange mine);

/// Collective. The index of a phase. Errors: io if there is none; input if the file is no index of that step.
[[nodiscard]] solution::PhaseIndex read_phase_index(const Resources& resources, const std::string& folder,
                                                    std::int64_t step);

}  // namespace sill
