// What the library finds in a file, and its conversion to the description of a dataset. Private to this folder: empty
// if the build has no hdf5.h.
#pragma once
#ifdef SILL_HDF5_LIBRARY
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/hdf5/hdf5_library.hpp"

namespace sill::hdf5 {

/// What a file says about one dataset.
struct FoundDataset {
  std::string name;
  hobj_ref_t self = 0;
  ElementForm form;
  Index shape;
  std::vector<bool> grows;        // by dimension
  std::int64_t string_bytes = 0;  // of strings with more than one byte, whose bytes are one more dimension
  StoredVariable stored;
  std::vector<Attribute> attributes;
  std::string left_out;  // why it cannot be read; empty if it can
  // Its dimensions: as a scale, by the numbers of netCDF-4, by references to scales, by labels.
  bool is_scale = false;
  std::string dimension;     // of a scale: the name of its dimension
  std::int64_t longest = 0;  // of a scale: the length of its dimension
  bool is_dimension_only = false;
  std::optional<std::int32_t> number;
  std::vector<std::int32_t> numbers;
  std::vector<hobj_ref_t> scales;
  std::vector<std::string> labels;
  std::string steps_of;
};

/// What a file says about its objects.
struct FoundFile {
  std::vector<FoundDataset> datasets = {};
  std::vector<Attribute> attributes = {};  // of the root group
  std::vector<std::string> left_out = {};  // other objects, and why
  bool has_user_block = false;
  bool is_netcdf4 = false;
  std::int64_t complete_steps = 0;           // the value of the dataset for which is_count is true
  std::string vtk_description = {};          // of a file of VTKHDF that Sill wrote
  std::vector<std::int64_t> vtk_steps = {};  // and its number of steps
};

/// Local. Returns why a description is impossible; nullopt if it is possible.
[[nodiscard]] std::optional<std::string> problem_of(const DatasetDescription& description);

/// Local. Returns true for the dataset that counts the complete steps.
[[nodiscard]] bool is_count(const FoundDataset& dataset);

/// Local. Returns the number of chunks of a dataset; leaves the dataset out if there are too many.
[[nodiscard]] std::optional<std::int64_t> chunks_of(FoundDataset& found);

/// Local. Sets FoundDataset::stored to the places of the elements, whose type is `type`, or leaves the dataset out.
/// Throws CallFailed.
void find_elements(DriverFile& file, const Id& dataset, hid_t type, FoundDataset& found);

/// Local. Returns the contents of a file as a dataset. Throws CallFailed if they contradict each other.
[[nodiscard]] FileContents described(FoundFile found);

}  // namespace sill::hdf5
#endif
