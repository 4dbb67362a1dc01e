// What a file of arrays holds, seen by all ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/array/container.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/formats/image/raw_file.hpp"
#include "sill/io/arrays/dataset_parts.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Returns the status of `path`, without following links. Errors: io.
[[nodiscard]] std::filesystem::file_status status_at(const std::string& path);

/// Local. Errors: usage if there is something; io if that cannot be known.
void require_nothing_at(const std::string& path);

/// Local. Returns the container of the dataset `path`: what SILL_LAYOUT says, or else the end of the name.
[[nodiscard]] Container container_for(const Resources& resources, const std::string& path);

/// The maximum length of a list of steps.
inline constexpr std::int64_t max_list_bytes = std::int64_t{1} << 30;

/// What a dataset holds, and where.
struct DatasetContents {
  Container container = Container::netcdf;
  DatasetDescription description = {};
  std::int64_t steps = 0;                      ///< complete ones
  std::vector<std::string> files = {};         ///< that its elements lie in
  std::optional<cdf::FileLayout> layout = {};  ///< of a netCDF file
  /// Of other containers: of variables without steps, by their place in the description; of others in step s at
  /// [s + 1].
  std::vector<std::vector<std::optional<image::RawContents::Place>>> places = {};
  ByteOrder order = ByteOrder::big;
  std::int64_t file_bytes = 0;            ///< of a netCDF file, when it was opened
  std::vector<std::string> missing = {};  ///< as of cdf::FileContents; what lies behind `file_bytes` is not there

  /// Local. Whether a variable is in the files of the dataset, of step `step` if it has steps.
  [[nodiscard]] bool holds(std::size_t variable, std::int64_t step) const;
  /// Local. Returns where a variable lies, of step `step` if it has steps. Errors: input if it is in no file.
  [[nodiscard]] VariablePlaces places_of(std::size_t variable, std::int64_t step) const;
};

/// Which files of a .pvd list are opened: `unlike` is the first, the last, and those of another size than the first,
/// which shows what the dataset is, and what is cut or missing; its `files` and `places` are of these alone.
enum class ListedFiles { all, unlike };

/// Collective. Returns what the dataset `path` holds: a netCDF file of the classic formats, a .vti file, those that a
/// .pvd file lists, Tecplot files that Sill wrote, or what an XDMF text or a MetaImage header describes; the content of
/// the file says which. The name that a DatasetWriter was given stands for what it wrote, also if that is a file for
/// each step, where the end of the name or SILL_LAYOUT says so, or no file has the name. Rank 0 reads the headers. Of
/// checkpoints see contents_of_dataset. A netCDF file may end before what it counts (`missing`). Errors: io; input for
/// a file of another format, or a damaged one.
[[nodiscard]] DatasetContents read_contents(const Resources& resources, const std::string& path,
                                            ListedFiles listed = ListedFiles::all);

}  // namespace sill
