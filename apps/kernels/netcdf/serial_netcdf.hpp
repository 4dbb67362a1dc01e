// The serial netCDF library, as called by programs that write all output on rank 0.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/store/meter_store.hpp"

namespace sill::kernels {

/// A netCDF file that the library writes. The library is loaded when the first object is constructed, so a program that
/// constructs no object runs without the library.
class SerialNetcdf {
 public:
  /// Local. Creates a file in the 64-bit offset format (CDF-2), defines the dimensions and variables of `description`,
  /// whose types are f8, and ends define mode, with the first variable at a multiple of 512 as in PnetCDF. Counts this
  /// and `close` in `meter`. Errors: usage if the library is not available; io, with the library's message.
  SerialNetcdf(const std::string& path, const DatasetDescription& description, Meter& meter);
  SerialNetcdf(const SerialNetcdf&) = delete;
  SerialNetcdf& operator=(const SerialNetcdf&) = delete;
  /// Closes the file; errors are lost.
  ~SerialNetcdf();

  /// Local. Writes a box of an f8 variable with nc_put_vara_double. Errors: io.
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
  Meter& meter_;
  int file_ = -1;
};

}  // namespace sill::kernels
