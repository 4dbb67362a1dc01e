// A file opened by MPI-IO, guarded against defects of MPI-IO (docs/adr/0013-mpi-io-guarded.md).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "sill/plan/access_plan.hpp"
#include "sill/store/mpiio/mpiio_hint_report.hpp"
#include "sill/store/mpiio/mpiio_hints.hpp"
#include "sill/store/mpiio/mpiio_types.hpp"

namespace sill {

/// Local. Starts MPI if it was not started, and verifies that MPI-IO can be used. Errors: usage if MPI-IO in this
/// process would not report a full disk (tested once, on /dev/full), or if the calling thread is not the one that
/// started MPI.
void require_sound_mpiio();

/// Local. Verifies that the values of the hints are valid. Errors: usage if a value is invalid.
void require_sensible(const MpiioHints& hints);

/// Local. Returns a reference to the number of files and groups of ranks that this process has open in MPI. The code
/// that opens or closes a file or group updates this number. MPICH ends the program when its 2,048 communicators are
/// used up, so further files are refused before that.
[[nodiscard]] int& open_mpi_handles();

/// Local. Throws if too many files and groups of ranks are open in MPI. Errors: io.
void require_mpi_handles();

/// An open file of MPI-IO. The functions that move bytes return true if all bytes were moved; the caller determines the
/// cause of a failure.
class MpiFile {
 public:
  /// Collective over `comm`. Opens an existing file. Errors: io if MPI cannot open it, for example because too many
  /// files are open.
  MpiFile(MPI_Comm comm, const std::string& path, bool writable, const MpiioHints& hints);
  MpiFile(const MpiFile&) = delete;
  MpiFile& operator=(const MpiFile&) = delete;
  /// Local. Closes the file if only one rank has it open. A file of several ranks that was not closed stays open until
  /// MPI ends, because closing it is collective.
  ~MpiFile();

  /// Local. Returns the hints in effect, as MPI reports them.
  [[nodiscard]] MpiioHintsInEffect hints() const;

  /// Collective. Closes the file; returns false if MPI failed to close it.
  [[nodiscard]] bool close();

  /// Local, for files of one rank. Moves the range `bytes` of the file from or to consecutive memory.
  [[nodiscard]] bool move(Operation operation, ByteRange bytes, std::byte* memory);
  /// Local, for files of one rank. Moves the positions described by `type`, relative to `base`, from or to consecutive
  /// memory. `sieve`: a read may also read the gaps.
  [[nodiscard]] bool move(Operation operation, const MpiType& type, std::int64_t base, std::span<std::byte> packed,
                          bool sieve);
  /// Collective. Writes the bytes of all ranks to the positions of their types; a rank without bytes passes any type.
  /// Preconditions: together the ranks write a range without gaps that is at most as long as the hint `buffer_bytes`.
  [[nodiscard]] bool write_together(const MpiType& type, std::int64_t base, std::span<const std::byte> packed);

 private:
  MPI_File file_ = MPI_FILE_NULL;
  std::vector<MpiioHint> asked_;
  bool alone_ = true;
  bool viewed_ = false;
};

}  // namespace sill
