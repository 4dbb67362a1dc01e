// The user's settings for the files of datasets: SILL_LAYOUT.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "sill/formats/array/chunk_codec.hpp"
#include "sill/formats/array/chunk_grid.hpp"
#include "sill/formats/array/container.hpp"
#include "sill/formats/cdf/cdf_file.hpp"

namespace sill {

/// Settings that override the options of the program. Settings that are not set leave the program's options unchanged.
struct DatasetLayout {
  std::optional<Container> container = {};
  std::optional<int> version = {};  ///< version of netCDF files. This member and the next three apply only to netCDF
                                    ///< files: cdf::FileForm
  std::optional<std::int64_t> align = {};
  std::optional<std::int64_t> variable_align = {};
  std::optional<std::int64_t> record_align = {};
  std::optional<bool> field_data = {};     ///< for .vti files: DatasetOptions::field_data
  std::optional<std::int64_t> steps = {};  ///< for HDF5 and netCDF-4 files: DatasetOptions::steps
  ChunkCodecs codecs = {};  ///< for Zarr, HDF5 and netCDF-4: DatasetOptions::codecs, DatasetOptions::chunk
  std::optional<Index> chunk = {};

  /// Local. Returns `form` with these settings.
  [[nodiscard]] cdf::FileForm over(cdf::FileForm form) const;

  friend bool operator==(const DatasetLayout&, const DatasetLayout&) = default;
};

/// Layouts by dataset name. The name is the file name without its folder and without everything from the first dot.
/// Text form: entries separated by `;`. An entry is a list of settings, `container=vti,align=64K`, optionally preceded
/// by a dataset name: `fields:container=vti`. An entry without a name applies to all datasets; settings of a named
/// entry override it.
class DatasetLayouts {
 public:
  /// Local. Parses the text form. Errors: usage if `text` is not valid.
  [[nodiscard]] static DatasetLayouts parse(std::string_view text);
  /// Local. Returns `before` with its settings replaced by the settings of `text`. Errors: as `parse`.
  [[nodiscard]] static DatasetLayouts parse_over(std::string_view text, DatasetLayouts before);
  /// Local. Returns the text form: `parse` of it returns an equal object.
  [[nodiscard]] std::string text() const;

  /// Local. Returns the settings for the dataset to which a program refers as `path`.
  [[nodiscard]] DatasetLayout of(const std::string& path) const;

  friend bool operator==(const DatasetLayouts&, const DatasetLayouts&) = default;

 private:
  std::map<std::string, DatasetLayout, std::less<>> layouts_;  // key "": all datasets
};

/// Local. Returns the shape of chunks that a text such as "64x64x512" states. Errors: usage.
[[nodiscard]] Index parse_chunk(std::string_view text);

/// Local. Returns the grammar of the text form.
[[nodiscard]] std::string layout_grammar();

}  // namespace sill
