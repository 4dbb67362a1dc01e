// A file opened by MPI-IO, guarded against what MPI-IO does wrong (docs/adr/0013-mpi-io-guarded.md).
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

/// Local. Errors: usage if MPI-IO of this process would not report a full disk (tried once, on /dev/full), or if the
/// calling thread is not the one that started MPI.
void require_sound_mpiio();

/// Local. Errors: usage for hints that mean nothing.
void require_sensible(const MpiioHints& hints);

/// Local. How many files and groups of ranks this process has open in MPI; kept by those that open and close them.
/// MPICH ends the program when its 2,048 communicators are used up, so files are refused in time.
[[nodiscard]] int& open_mpi_handles();

/// Local. Errors: io if so many are open that no more should be.
void require_mpi_handles();

/// An open file of MPI-IO. What moves bytes says whether all were moved; the caller finds out what is wrong.
class MpiFile {
 public:
  /// Collective over `comm`. The file exists. Errors: io if MPI cannot open it, or has too many files open.
  MpiFile(MPI_Comm comm, const std::string& path, bool writable, const MpiioHints& hints);
  MpiFile(const MpiFile&) = delete;
  MpiFile& operator=(const MpiFile&) = delete;
  /// Local. Closes a file of one rank. One of several that was not closed stays open in MPI until that ends, for
  /// closing is collective.
  ~MpiFile();

  /// Local. What MPI reports of the hints that it was given.
  [[nodiscard]] MpiioHintsInEffect hints() const;

  /// Collective. False if MPI failed to.
  [[nodiscard]] bool close();

  /// Local; for files of one rank. `bytes` of the file from or to consecutive memory.
  [[nodiscard]] bool move(Operation operation, ByteRange bytes, std::byte* memory);
  /// Local; for files of one rank. The places `type`, counted from `base`, from or to consecutive memory. `sieve`: a
  /// read may read over gaps.
  [[nodiscard]] bool move(Operation operation, const MpiType& type, std::int64_t base, std::span<std::byte> packed,
                          bool sieve);
  /// Collective. Writes the places of all ranks; a rank without bytes brings any type. Preconditions: together the
  /// ranks write a range without gaps, no longer than the hint `buffer_bytes`.
  [[nodiscard]] bool write_together(const MpiType& type, std::int64_t base, std::span<const std::byte> packed);

 private:
  MPI_File file_ = MPI_FILE_NULL;
  std::vector<MpiioHint> asked_;
  bool alone_ = true;
  bool viewed_ = false;
};

}  // namespace sill
