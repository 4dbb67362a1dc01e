// A dataset as VTKHDF stores it: groups, their attributes, and arrays in HDF5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"

namespace sill::hdf5 {

/// The group of VTK, and the group that counts steps.
inline constexpr const char* vtk_group = "VTKHDF";
inline constexpr const char* steps_group = "VTKHDF/Steps";
/// The attribute of `steps_group` that states the number of complete steps, and the dataset with as many times.
inline constexpr const char* vtk_count_name = "NSteps";
inline constexpr std::int64_t vtk_count_mark =
    0x5370'6574'536C'6C69;  ///< stands for the number until its position is found
inline constexpr const char* vtk_times_name = "VTKHDF/Steps/Values";
/// The dataset with the description of the dataset as NcML. VTK does not read it.
inline constexpr const char* vtk_description_name = "sill_description";

struct VtkHdf {
  /// The arrays of the file, without steps: arrays of all steps follow each other along the first dimension.
  DatasetDescription stored = {};
  std::vector<std::size_t> places = {};  ///< for each variable of the dataset its index in `stored`
  /// Elements of an array of `stored` that is no variable of the dataset.
  struct Made {
    std::size_t variable = 0;
    std::vector<std::byte> bytes = {};  ///< little-endian
  };
  std::vector<Made> made = {};
  struct Group {
    std::string name;
    std::vector<Attribute> attributes;
  };
  std::vector<Group> groups = {};
};

/// Local. Returns true if the dataset is an unstructured grid.
[[nodiscard]] bool is_mesh(const DatasetDescription& description);

/// Local. Returns true if an unstructured grid has a variable with a name of VTK's numbers of partitions.
[[nodiscard]] bool has_partitions(const DatasetDescription& description);

/// Local. Returns a dataset as it is stored with room for `steps` steps, if it has steps. With a variable
/// `Connectivity` it is an unstructured grid: `Points` (points, 3), `Connectivity`, `Offsets` (one more than cells) and
/// `Types` (cells), without steps; variables over points and cells. It has one partition, or as many as
/// `NumberOfPoints`, `NumberOfCells` and `NumberOfConnectivityIds` have elements; each numbers its points and offsets
/// from 0, so there is one offset more for each. Otherwise it is an image (image::vtk_grid_of). Numbers without a shape
/// are stored outside the group of VTK. Errors: usage for a dataset that is neither. Source: "VTKHDF file format",
/// version 2.0.
[[nodiscard]] VtkHdf vtkhdf_of(const DatasetDescription& description, std::int64_t steps);

/// Local. Errors: usage for an image whose shape VTK 9.3 reads wrong. Files of such images may exist.
void require_read_by_vtk(const DatasetDescription& description);

}  // namespace sill::hdf5
