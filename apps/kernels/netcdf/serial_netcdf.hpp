// The serial netCDF library, as programs call it whose output rank 0 writes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"

namespace sill::kernels {

/// A netCDF file that the library writes. It is loaded when the first is made, so that the program needs it for this
/// alone, and starts without it.
class SerialNetcdf {
 public:
  /// Local. Creates a file of the 64-bit offset format (CDF-2), defines what `description` says, whose types
  /// are f8, and ends define mode, with the first variable at a multiple of 512 as PnetCDF has it. Errors: usage if the
  /// library is not there; io, with what the library says.
  SerialNetcdf(const std::string& path, const DatasetDescription& description);
  SerialNetcdf(const SerialNetcdf&) = delete;
  SerialNetcdf& operator=(const SerialNetcdf&) = delete;
  /// Closes; errors are lost.
  ~SerialNetcdf();

  /// Local. Writes the box of a variable of f8 by nc_put_vara_double. Errors: io.
  void put(std::size_t variable, std::span<const std::size_t> first, std::span<const std::size_t> count,
           const double* values);
  /// Local. Calls nc_sync. Errors: io.
  void sync();
  /// Local. Closes the file. Errors: io.
  void close();

 private:
  struct Library;
  static const Library& library();
  void require(int status, const char* call) const;

  std::string path_;
  int file_ = -1;
};

}  // namespace sill::kernels
