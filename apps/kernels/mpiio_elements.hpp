// Writing as programs do that give MPI-IO the place of each single element.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "sill/comm/communicator.hpp"
#include "sill/store/meter_store.hpp"

namespace sill::kernels {

/// Places of a file, each an entry of a derived datatype (MPI_Type_create_hindexed), written by one collective call
/// (MPI_File_write_at_all) a file. Outputs of Sill never do so: their datatypes are nested vectors (mpiio_types.hpp),
/// and one call is short enough for its errors to leave no rank waiting, which here they may.
/// (docs/adr/0013-mpi-io-guarded.md)
class MpiioElements {
 public:
  /// Collective. This rank's elements of `element_bytes` each begin at `places_bytes` of a file; they ascend, and may
  /// be none. `comm` outlives it. Errors: usage as open_mpiio, or if the elements of a rank exceed 2^31 - 1 bytes, the
  /// count of one call; io.
  MpiioElements(Communicator& comm, std::int64_t element_bytes, std::span<const std::int64_t> places_bytes);
  MpiioElements(const MpiioElements&) = delete;
  MpiioElements& operator=(const MpiioElements&) = delete;
  ~MpiioElements();

  /// Collective. Makes file `path` anew, writes `values`, the elements in the order of their places, and closes it;
  /// on this rank a file and a request, counted in `meter`. Returns the seconds of what such a program does: opening,
  /// writing and closing, without what guards it here against leaving ranks waiting. Errors: io, also before anything
  /// is written if the file system has not the room; usage for another number of bytes than the places have.
  double write(const std::string& path, std::span<const std::byte> values, Meter& meter);

 private:
  struct Places;
  void write_again(const std::string& path, std::span<const std::byte> values) const;

  Communicator& comm_;
  std::unique_ptr<Places> places_;
};

}  // namespace sill::kernels
