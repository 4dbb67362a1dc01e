// Files of the operating system, accessed through MPI-IO.
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

/// Local. Opens a regular file by MPI-IO for this rank only. Only the thread that started MPI may use the store. Starts
/// MPI if it was not started, in a process that was not launched as one of several. Errors: as open_posix; usage on
/// another thread, and if MPI-IO cannot be trusted here (docs/adr/0013-mpi-io-guarded.md); io if too many files are
/// open.
[[nodiscard]] std::unique_ptr<Store> open_mpiio(const std::string& path, OpenMode mode);

/// Local. Returns an opener that works as open_mpiio. `report` receives the hints that MPI reports; it may be null.
/// Precondition: `report` outlives the stores.
[[nodiscard]] Opener mpiio_opener(MpiioHintReport* report);

/// Collective over `ranks` of `comm`, which ascend and contain this rank. Opens a regular file for all of them; the
/// store `is_collective`, and its `close` is collective as well. If opening fails on a rank, that rank throws and the
/// others get null: agree afterwards. Only `submit_collective` makes collective writes, and only of ranges that the
/// ranks write interleaved and without gaps. Each rank performs all reads and other writes on its own, because MPI
/// would write back gaps and hang on errors. `report`: as mpiio_opener; the first of `ranks` reports. Errors: as
/// open_mpiio; usage for invalid hints.
[[nodiscard]] std::unique_ptr<Store> open_mpiio_together(Communicator& comm, std::span<const int> ranks,
                                                         const std::string& path, OpenMode mode,
                                                         const MpiioHints& hints = {},
                                                         MpiioHintReport* report = nullptr);

/// Local. Returns how many files may safely be open at once through MPI-IO; at least 1, at most 170. Each file uses up
/// to three descriptors and three of MPICH's 2,048 communicators.
[[nodiscard]] std::size_t safe_open_mpiio_files();

}  // namespace sill
