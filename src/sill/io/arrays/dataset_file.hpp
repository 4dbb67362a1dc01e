// Reads the contents of a dataset from its files, the same on all ranks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "sill/formats/array/container.hpp"
#include "sill/io/arrays/dataset_contents.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Returns the status of `path`, without following links. Errors: io.
[[nodiscard]] std::filesystem::file_status status_at(const std::string& path);

/// Local. Checks that `path` does not exist. Errors: usage if it exists; io if that cannot be determined.
void require_nothing_at(const std::string& path);

/// Local. Returns the container that SILL_LAYOUT states for the dataset `path`; without such an entry, the container
/// that the ending of its name selects.
[[nodiscard]] Container container_for(const Resources& resources, const std::string& path);

/// Local. Returns the file to read for a dataset of the name `path`: the list of steps if the dataset has one file per
/// step; otherwise `path`. Errors: io.
[[nodiscard]] std::string dataset_named(const Resources& resources, const std::string& path);

/// Local. Returns what the dataset `path` is, such as "an HDF5 file"; an empty text unless it is Zarr, HDF5 or netCDF.
[[nodiscard]] std::string kind_of_dataset(const Resources& resources, const std::string& path);

/// The maximum length of a list of steps.
inline constexpr std::int64_t max_list_bytes = std::int64_t{1} << 30;

/// The files of a .pvd list to open. `unlike` opens the first, the last, and all whose size differs from the first. The
/// opened files show the contents of the dataset, and which files are truncated or missing; `files` and `places` then
/// contain only the opened files. Of a Zarr folder, `left_out` then also names what its metadata does not describe.
enum class ListedFiles { all, unlike };

/// Collective. Returns the contents of the dataset `path`: a netCDF file of the classic formats, an HDF5 or netCDF-4
/// file, a folder with a group or an array of Zarr, a .vti file, the files that a .pvd file lists, Tecplot files that
/// Sill wrote, or the files that an XDMF text or a MetaImage header describes. The content of the file determines its
/// format. Arrays of HDF5 and Zarr that Sill does not read (other filters, types without an ElementType,
/// attributes of groups) are left out, and the report of the session names them. If a DatasetWriter wrote one file per
/// step, the name passed to it is also accepted: if the ending of the name or SILL_LAYOUT selects such a container, or
/// if no file has the name. Rank 0 reads the headers. For checkpoints use contents_of_dataset. A netCDF file may end
/// before the data that its header counts (`missing`). Errors: io; input for a file of another format, or a damaged
/// one.
[[nodiscard]] DatasetContents read_contents(const Resources& resources, const std::string& path,
                                            ListedFiles listed = ListedFiles::all);

}  // namespace sill
