// A dataset as another file: other variables, types and layout, in one pass.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/array/container.hpp"
#include "sill/formats/array/element_type.hpp"
#include "sill/formats/cdf/cdf_file.hpp"
#include "sill/io/arrays/dataset_reader.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

struct CopyDatasetOptions {
  bool replaces = false;                          ///< whether files of a series that is there are replaced
  std::vector<std::string> variables = {};        ///< in the order of the file; empty: all
  std::map<std::string, ElementType> types = {};  ///< of variables that change theirs
  std::int64_t first_step = 0;
  std::optional<std::int64_t> steps = {};   ///< nothing: to the last
  std::optional<Container> container = {};  ///< of the copy; nothing: what the end of its name stands for
  cdf::FileForm form = {};                  ///< of a copy that is a netCDF file
  bool field_data = false;                  ///< as of DatasetOptions
  Missing missing = Missing::fill;
};

struct CopiedDataset {
  std::int64_t steps = 0;
  std::int64_t variables = 0;
  std::int64_t bytes = 0;  ///< of elements that were read
};

/// Collective. Copies the dataset `from` to `to` in pieces that fit the memory of `resources`. A netCDF file appears
/// when it is complete, in other containers each step. Dimensions stay, also those of variables that are left out; a
/// new type is that of the variable's
/// `_FillValue`, too. Errors: usage for variables and steps that are not there, for values that a new type does not
/// hold, for PnetCDF, if a file of the copy is one that is read, and if there are files of a series `to` that are not
/// to be replaced; one file replaces what has its name; input; io.
CopiedDataset copy_dataset(const Resources& resources, const std::string& from, const std::string& to,
                           const CopyDatasetOptions& options);

}  // namespace sill
