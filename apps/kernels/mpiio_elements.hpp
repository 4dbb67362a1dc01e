// Writes as programs do that pass the position of each single element to MPI-IO.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sill/comm/communicator.hpp"
#include "sill/store/meter_store.hpp"

namespace sill::kernels {

/// Positions in a file, each an entry of a derived datatype (MPI_Type_create_hindexed), written by one collective call
/// (MPI_File_write_at_all) per file. Outputs of Sill never do this: their datatypes are nested vectors
/// (mpiio_types.hpp), and each call is so short that no rank waits after an error of another rank. With this class,
/// ranks may wait after such an error (docs/adr/0013-mpi-io-guarded.md).
class MpiioElements {
 public:
  /// Collective. Creates the datatypes. This rank's elements of `element_bytes` each start at `places_bytes` of a file,
  /// which are in ascending order and may be empty. Precondition: `comm` outlives the object. Errors: usage as
  /// open_mpiio, or if the elements of a rank exceed 2^31 - 1 bytes, the maximum of one call; io.
  MpiioElements(Communicator& comm, std::int64_t element_bytes, std::span<const std::int64_t> places_bytes);
  MpiioElements(const MpiioElements&) = delete;
  MpiioElements& operator=(const MpiioElements&) = delete;
  ~MpiioElements();

  /// Collective. Creates file `path`, replacing an existing one, writes `values`, the elements in the order of their
  /// positions, and closes it. Counts one file and one request on this rank in `meter`. Returns the seconds that such a
  /// program needs for opening, writing and closing, without the additional protection against waiting ranks. Errors:
  /// io, also before anything is written if the file system has too little space; usage if the number of bytes does not
  /// match the positions.
  double write(const std::string& path, std::span<const std::byte> values, Meter& meter);

 private:
  struct Places;
  void write_again(const std::string& path, std::span<const std::byte> values) const;

  Communicator& comm_;
  std::unique_ptr<Places> places_;
};

}  // namespace sill::kernels
