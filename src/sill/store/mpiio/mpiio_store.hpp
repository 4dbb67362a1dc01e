// Files of the operating system, through MPI-IO.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "sill/comm/communicator.hpp"
#include "sill/store/mpiio/mpiio_hint_report.hpp"
#include "sill/store/mpiio/mpiio_hints.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// Local. Opens a regular file by MPI-IO for this rank alone. Only the thread that started MPI may use it; MPI is
/// started if nobody has, for a process that was not launched as one of several. Errors: as open_posix; usage on
/// another thread and if MPI-IO cannot be trusted here (docs/adr/0013-mpi-io-guarded.md), io if too many are open.
[[nodiscard]] std::unique_ptr<Store> open_mpiio(const std::string& path, OpenMode mode);

/// Local. Opens as open_mpiio. `report`, which may be null and else outlives the stores, receives what MPI says of
/// hints.
[[nodiscard]] Opener mpiio_opener(MpiioHintReport* report);

/// Collective over `ranks` of `comm`, which ascend and hold this rank. Opens a regular file for all of them; the store
/// `is_collective`, and its `close` is collective as well. Where it fails on one rank, that rank throws and the others
/// get null: agree afterwards. Only `submit_collective` writes by collective calls, and only ranges that the ranks
/// write without gaps and interleaved; the rest, and what is read, each rank moves on its own, because MPI would write
/// back gaps and hang on errors. `report`: as mpiio_opener; of a file opened together the first of `ranks` reports it.
/// Errors: as open_mpiio; usage for hints that mean nothing.
[[nodiscard]] std::unique_ptr<Store> open_mpiio_together(Communicator& comm, std::span<const int> ranks,
                                                         const std::string& path, OpenMode mode,
                                                         const MpiioHints& hints = {},
                                                         MpiioHintReport* report = nullptr);

/// Local. How many files may safely be open at once through MPI-IO, of which each takes up to three descriptors and
/// three of MPICH's 2,048 communicators; at least 1, at most 170.
[[nodiscard]] std::size_t safe_open_mpiio_files();

}  // namespace sill
