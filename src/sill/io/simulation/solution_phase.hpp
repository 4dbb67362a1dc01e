// The solution files of an output phase, and the index that exists if and only if they are complete.
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

/// Local. Returns the output phase of a step; the caller sets its plan. A shared file appears under its name when it is
/// complete. Files of problems, which are numerous, are created under their names immediately, and replace files of an
/// earlier run. A phase is complete if and only if its index exists (docs/adr/0033-solution-files-have-an-index.md).
/// This function removes the index on rank 0, durably if the policy syncs, before any file of the phase is opened. The
/// text of the new index is written to disk before all other files, and the index gets its name last.
///
/// `phase` is the same on all ranks and possible; only this rank passes the problems `mine`. The folder exists, and
/// with Files::each the folders of the problems do too. `holds` exists until the phase has ended. A rank that writes
/// the files of its own problems names only these. Only if the policy assigns files to other ranks (writers=root, node
/// or a number, or collective calls, with several ranks) does each rank name all files. Errors: io.
[[nodiscard]] OutputPhase solution_phase(const Resources& resources, const std::string& folder,
                                         const solution::PhaseIndex& phase, ItemRange mine,
                                         std::shared_ptr<void> holds);

/// Collective. Returns the writer of the output phases of solutions. `memory_bytes` is the buffer memory of the writer
/// on this rank. Errors: as PhaseWriter.
[[nodiscard]] std::unique_ptr<PhaseWriter> solution_phase_writer(const Resources& resources, const std::string& folder,
                                                                 const solution::Form& form, std::int64_t memory_bytes);

/// Local. Returns the extent of `problems` in `phase`, with the bytes of `encoder`. The problems are in one file: with
/// Files::each, `problems` is a single problem. The encoder produces chunk after chunk, as solution::write_text does.
/// Precondition: `problems` is not empty, and within `mine`.
[[nodiscard]] Extent solution_extent(const OutputPhase& phase, const solution::Form& form, ItemRange mine,
                                     ItemRange problems, const Encoder& encoder);

/// Local. Returns an opener that creates new files for writing. An existing file of the name is unlinked first, so that
/// neither its other names, such as copies by hard links, nor the target of a symbolic link are written to.
[[nodiscard]] Opener in_place_of_old(Opener open);

/// Collective. Creates, with Files::each, the folders of the problems of each rank, in `folder`, which exists. Errors:
/// io.
void make_problem_folders(const Resources& resources, const std::string& folder, const solution::Form& form,
                          ItemRange mine);

/// Local. Returns the output steps for which `folder` contains an index, in ascending order. Errors: io if the folder
/// cannot be read, or is not a folder.
[[nodiscard]] std::vector<std::int64_t> solution_steps(const std::string& folder);

/// Collective. Removes the indexes of all phases in `folder`, which exists, durably if the policy syncs: files of
/// phases remain, but no phase is complete any more. Errors: io.
void remove_phase_indexes(const Resources& resources, const std::string& folder);

/// Collective. Removes the files in which an earlier run described the problems (elements, parameters, meshes), durably
/// if the policy syncs: of problems that are `mine` on any rank, and of shared files. Errors: io.
void remove_descriptions(const Resources& resources, const std::string& folder, const solution::Form& form,
                         ItemRange mine);

/// Collective. Checks that `folder`, which exists, contains none of the files that `remove_descriptions` would remove.
/// Errors: io if it contains such a file.
void require_no_descriptions(const Resources& resources, const std::string& folder, const solution::Form& form,
                             ItemRange mine);

/// Collective. Returns the index of a phase. Errors: io if there is none; input if the file is not an index of that
/// step.
[[nodiscard]] solution::PhaseIndex read_phase_index(const Resources& resources, const std::string& folder,
                                                    std::int64_t step);

}  // namespace sill
