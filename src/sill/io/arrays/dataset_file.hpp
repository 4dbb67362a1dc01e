// The contents of a file of arrays, the same on all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/array/container.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/formats/hdf5/hdf5_file.hpp"
#include "sill/formats/image/raw_file.hpp"
#include "sill/formats/zarr/zarr_array.hpp"
#include "sill/io/arrays/dataset_parts.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Returns the status of `path`, without following links. Errors: io.
[[nodiscard]] std::filesystem::file_status status_at(const std::string& path);

/// Local. Checks that `path` does not exist. Errors: usage if it exists; io if that cannot be determined.
void require_nothing_at(const std::string& path);

/// Local. Returns the container that SILL_LAYOUT states for the dataset `path`; without such an entry, the container
/// that the ending of its name selects.
[[nodiscard]] Container container_for(const Resources& resources, const std::string& path);

/// Local. Returns the file that was written for the name `path` of a dataset: of one file per step, their list; `path`
/// if there is none. Errors: io.
[[nodiscard]] std::string dataset_named(const Resources& resources, const std::string& path);

/// The maximum length of a list of steps.
inline constexpr std::int64_t max_list_bytes = std::int64_t{1} << 30;

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

/// The files of a .pvd list to open. `unlike` opens the first, the last, and all whose size differs from the first. The
/// opened files show the contents of the dataset, and which files are truncated or missing; `files` and `places` then
/// contain only the opened files.
enum class ListedFiles { all, unlike };

/// Collective. Returns the contents of the dataset `path`: a netCDF file of the classic formats, an HDF5 or netCDF-4
/// file, a folder with a group or an array of Zarr, a .vti file, the files that a .pvd file lists, Tecplot files that
/// Sill wrote, or the files that an XDMF text or a MetaImage header describes. The content of the file determines its
/// format. Arrays of HDF5 and Zarr that Sill does not read (compressed HDF5, types without an ElementType, groups'
/// attributes) are left out, and the report of the session names them. If a DatasetWriter wrote one file per step, the
/// name passed to it is also accepted: if the ending of the name or SILL_LAYOUT selects such a container, or if no file
/// has the name. Rank 0 reads the headers. For checkpoints use contents_of_dataset. A netCDF file may end before the
/// data that its header counts (`missing`). Errors: io; input for a file of another format, or a damaged one.
[[nodiscard]] DatasetContents read_contents(const Resources& resources, const std::string& path,
                                            ListedFiles listed = ListedFiles::all);

}  // namespace sill
