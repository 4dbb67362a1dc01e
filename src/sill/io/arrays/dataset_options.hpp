// The options of a dataset that is written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "sill/io/session/dataset_layouts.hpp"

namespace sill {

/// The options of a dataset that is written, the same on all ranks.
struct DatasetOptions {
  enum class Existing {
    refuse,   ///< an existing file is an error, unless the file is empty
    replace,  ///< an existing file is removed
    append,   ///< an existing file is continued. If the writer describes arrays, the file must have the same arrays
              ///< (has_same_arrays). If no file exists, or the file has no step, a new file is created
  };
  Existing existing = Existing::refuse;
  /// One file, or Zarr: the dataset appears when it is closed without an error, and then replaces an existing one. With
  /// Existing::refuse, an existing folder is an error; Existing::append is refused.
  bool is_whole = false;
  std::optional<std::int64_t> first_step = {};  ///< with `append`: the first step to overwrite; nullopt: no step is
                                                ///< overwritten
  std::optional<Container> container = {};      ///< nullopt: selected by the ending of the path (container_of)
  cdf::FileForm form = {};                      ///< form of a new netCDF file; HDF5 and netCDF-4 use `align`
  /// Writes fill values to elements of netCDF, HDF5 and Zarr that no rank passes. If false, and in other containers,
  /// which have no fill values, ranks must pass all elements.
  bool fill = true;
  /// Stores variables of a .vti file whose shape differs from the shape of its points as field data, which have no
  /// place in the grid (image::require_places). If false, such a variable is an error.
  bool field_data = false;
  ChunkCodecs codecs = {};          ///< of chunks, in Zarr, HDF5 and netCDF-4
  std::optional<Index> chunk = {};  ///< shape of the chunks of variables with as many dimensions, without steps;
                                    ///< nullopt: default_chunk
  /// By the name of a variable, the maximum lengths of its shards in Zarr, or of its chunks in HDF5 and netCDF-4, in
  /// its first dimensions, without steps.
  std::map<std::string, Index> max_shards = {};
  /// In HDF5 and netCDF-4, without steps: the shape of windows of the first dimensions of the variables in
  /// `max_shards`. Chunks are stored in the order in which windows that are passed one after the other, the last
  /// dimension fastest, complete them, and other variables last; so few parts are copied. Empty: in the order of
  /// variables and chunks.
  Index window = {};
  /// For HDF5 and netCDF-4 without codecs and chunks: the number of steps for which a new file has room. Its arrays are
  /// contiguous and cannot grow; without it, arrays with steps are chunked.
  std::optional<std::int64_t> steps = {};

  /// Local. Takes the settings of a layout, which replace these options.
  void take(const DatasetLayout& layout) {
    if (layout.container) container = layout.container;
    form = layout.over(form);
    field_data = layout.field_data.value_or(field_data);
    codecs.add(layout.codecs);
    if (layout.chunk) chunk = layout.chunk;
    if (layout.steps) steps = layout.steps;
  }
};

}  // namespace sill
