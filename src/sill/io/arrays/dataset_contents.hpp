// The contents of a dataset that exists: its description, and the positions of its variables.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/comm/packer.hpp"
#include "sill/formats/array/container.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/formats/image/raw_file.hpp"
#include "sill/formats/zarr/zarr_array.hpp"
#include "sill/io/arrays/dataset_parts.hpp"

namespace sill {

/// The contents of a dataset and their position in its files.
struct DatasetContents {
  Container container = Container::netcdf;
  DatasetDescription description = {};
  std::int64_t steps = 0;                      ///< number of complete steps
  std::vector<std::string> files = {};         ///< the files that contain elements of the dataset
  std::optional<cdf::FileLayout> layout = {};  ///< layout of a netCDF file
  /// Places of variables in other containers: places[0][v] for variable v without steps, places[s + 1][v] for
  /// variable v in step s; nullopt if no file contains the variable. v is the index of the variable in the description.
  std::vector<std::vector<std::optional<image::RawContents::Place>>> places = {};
  hdf5::StoredFile hdf5 = {};              ///< of an HDF5 or netCDF-4 file
  std::vector<std::string> left_out = {};  ///< arrays of HDF5 and Zarr that the description lacks, with the reason
  ByteOrder order = ByteOrder::big;
  std::optional<zarr::Dataset> zarr = {};  ///< storage of the arrays of a group of Zarr
  std::int64_t file_bytes = 0;             ///< size of a netCDF file when the file was opened
  std::vector<std::string> missing = {};   ///< as in cdf::FileContents; bytes after `file_bytes` do not exist

  /// Local. Returns true if the files of the dataset contain a variable, in step `step` if it has steps.
  [[nodiscard]] bool holds(std::size_t variable, std::int64_t step) const;
  /// Local. Returns true if a variable is stored as chunks, which `open_chunks` reads as one file.
  [[nodiscard]] bool is_in_chunks(std::size_t variable) const;
  /// Local. Returns the grid of the chunks of a variable. Precondition: is_in_chunks(variable).
  [[nodiscard]] ChunkGrid chunks_of(std::size_t variable) const;
  /// Local. Returns the position of a variable, in step `step` if it has steps: in `files`, or in the file of its
  /// chunks (open_chunks), whose number is that of the variable. Errors: input if no file contains it.
  [[nodiscard]] VariablePlaces places_of(std::size_t variable, std::int64_t step) const;
};

/// Local. Packs and unpacks the contents of a dataset that is neither netCDF of the classic formats nor Zarr.
void exchange(Packer& to, const DatasetContents& contents);
void exchange(Unpacker& from, DatasetContents& contents);

}  // namespace sill
