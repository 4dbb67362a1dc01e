// The grid of a dataset in files of VTK: its kind, its coordinates, and the positions of the values of variables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/image/image_file.hpp"

namespace sill::image {

/// Where the values of a variable are.
enum class Centering {
  points,
  cells,
  coordinates,  ///< the variable is a coordinate of the grid
  none,         ///< numbers without positions: times, coordinates that the kind of grid does not use
  staggered,    ///< on faces or edges: in some dimensions at points, in others at cells
  other,
};

struct VtkGrid {
  VtkKind kind = VtkKind::image;
  std::vector<std::string> dimensions = {};    ///< slowest first; of the cells, if no variable is at points
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< numbers of points in z, y, x; 1 for missing dimensions
  std::array<double, 3> origin{};              ///< of an image: the first point in z, y, x
  std::array<double, 3> spacing{1, 1, 1};
  std::vector<Centering> centering = {};      ///< of each variable
  std::vector<std::int64_t> components = {};  ///< of each variable at points or cells: values at each of them
  std::array<std::optional<std::size_t>, 3> coordinates = {};  ///< variables that are the coordinates of z, y, x
  std::array<bool, 3> is_centers{};  ///< of an image: the coordinates are those of the centers of cells

  /// Local. Returns true if each file contains all variables of its step, because it contains the coordinates.
  [[nodiscard]] bool has_coordinates() const;
  /// Local. Returns true if the values of coordinates are needed before a file is written: of images for their origin
  /// and spacing, of rectilinear grids for `set_coordinates`.
  [[nodiscard]] bool needs_values() const { return kind != VtkKind::structured && has_coordinates(); }
};

/// Local. Returns the grid of a dataset. The dimensions of the variable with the most dimensions, at most 3, are those
/// of points, or of cells if its attribute `location` is "cell" or if each of them is one shorter than a dimension of
/// another variable. Coordinates are variables with the name of a dimension (CF), or those that the attribute
/// `coordinates` of a variable lists: of structured grids variables of points with 2 or 3 dimensions. A dimension of at
/// most 9 without a coordinate after dimensions with coordinates is that of components. With `field_data`, an image has
/// no coordinates but `origin` and `spacing`, and a variable without a place on the grid is `none`. Errors: usage if
/// the kind of grid cannot store the coordinates of the dataset, with the kind that can; as grid_of.
[[nodiscard]] VtkGrid vtk_grid_of(const DatasetDescription& description, VtkKind kind, bool field_data);

/// Local. Sets origin and spacing of an image from the coordinates of z, y and x; empty for those without a variable.
/// Errors: usage if the values of a coordinate of an image are not evenly spaced and ascending, or those of a
/// rectilinear grid are not finite and strictly monotonic.
void set_coordinates(VtkGrid& grid, const DatasetDescription& description,
                     const std::array<std::vector<double>, 3>& values);

/// Local. Throws unless all variables have a place in the files. Errors: usage, with the names of the others; if
/// `may_be_fields`, with the option that stores them as field data.
void require_places(const VtkGrid& grid, const DatasetDescription& description, bool may_be_fields);

}  // namespace sill::image
