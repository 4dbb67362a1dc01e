// Copying of a dataset to another file, with other variables, types and layout, in one pass.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/array/chunk_codec.hpp"
#include "sill/formats/array/container.hpp"
#include "sill/formats/array/element_type.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

struct CopyDatasetOptions {
  bool replaces = false;                          ///< replaces the files of an existing series
  std::vector<std::string> variables = {};        ///< variables to copy, in the order of the file; empty: all
  std::map<std::string, ElementType> types = {};  ///< new types of variables
  std::int64_t first_step = 0;
  std::optional<std::int64_t> steps = {};   ///< nullopt: all steps to the last
  std::optional<Container> container = {};  ///< container of the copy; nullopt: selected by the ending of the copy's
                                            ///< name
  cdf::FileForm form = {};                  ///< form of a copy that is a netCDF file
  bool field_data = false;                  ///< as in DatasetOptions, also the next two
  ChunkCodecs codecs = {};
  std::optional<Index> chunk = {};
  Missing missing = Missing::fill;
};

struct CopiedDataset {
  std::int64_t steps = 0;
  std::int64_t variables = 0;
  std::int64_t bytes = 0;  ///< bytes of the elements read
};

/// Collective. Copies the dataset `from` to `to` in pieces that fit the memory of `resources`. A netCDF file appears
/// when it is complete; in other containers, the file of each step appears when the step is complete. Dimensions
/// remain, including dimensions of omitted variables. A new type also applies to the variable's `_FillValue`. An
/// existing single file of the same name is replaced. Errors: usage for variables and steps that do not exist, for
/// values outside the range of a new type, for PnetCDF, if a file of the copy is also an input, and if files of a
/// series `to` exist that must not be replaced; input; io.
CopiedDataset copy_dataset(const Resources& resources, const std::string& from, const std::string& to,
                           const CopyDatasetOptions& options);

}  // namespace sill
