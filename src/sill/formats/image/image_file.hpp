// Functions shared by the formats of regular grids for visualization programs: the grid, and the positions of
// variables.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/element_conversion.hpp"
#include "sill/plan/subarray.hpp"

namespace sill::image {

/// Local. Returns the form of elements in written files.
[[nodiscard]] constexpr ElementForm file_form(ElementType type) { return {type, ByteOrder::little}; }

/// The grid of a dataset: the first dimensions, at most 3, of the variable with the most dimensions, without the
/// unlimited one. Values at its points are shown as an image; a dimension after the dimensions of the grid is the
/// dimension of components.
struct ImageGrid {
  std::vector<std::string> dimensions;         ///< slowest first
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< lengths of z, y, x; 1 for missing dimensions
  std::array<double, 3> origin{};              ///< coordinates of the first point in z, y, x
  std::array<double, 3> spacing{1, 1, 1};
};

/// Local. Returns the grid of a dataset. Its global attributes `origin` and `spacing`, if present, state a number for
/// each dimension of the grid, slowest first. Errors: usage if an attribute does not state one number per dimension, or
/// if the numbers do not define a grid.
[[nodiscard]] ImageGrid grid_of(const DatasetDescription& description);

/// Local. Returns the number of components of a variable at each point of the grid; nullopt if the values of the
/// variable are not at points of the grid.
[[nodiscard]] std::optional<std::int64_t> components_of(const DatasetDescription& description, const Variable& variable,
                                                        const ImageGrid& grid);

/// Local. Sets the position of a grid with `count` dimensions from the global attributes `origin` and `spacing`, if
/// there are any. Errors: as grid_of.
void take_position(const DatasetDescription& description, std::size_t count, std::array<double, 3>& origin,
                   std::array<double, 3>& spacing);

/// Local. Returns the index of the variable that holds the time of a step, by the convention of netCDF: this variable
/// has the name of the unlimited dimension. Returns nullopt if there is none.
[[nodiscard]] std::optional<std::size_t> time_variable(const DatasetDescription& description);

/// The coordinates of a grid of VTK: an origin and spacings (.vti), numbers for each dimension (.vtr), or positions of
/// all points (.vts).
enum class VtkKind { image, rectilinear, structured };

/// Interleaved coordinates of points: x, y and z of one point, then those of the next.
struct Interleaved {
  std::int64_t begin = 0;
  std::int64_t points = 0;                                 ///< 0: there are none
  std::int64_t element_bytes = 0;                          ///< of each coordinate
  std::vector<std::optional<std::size_t>> variables = {};  ///< of x, y and z; nullopt: zeros

  /// Local. Returns the bytes from an element of a variable to the next one; nullopt if it is not interleaved.
  [[nodiscard]] std::optional<std::int64_t> stride_of(std::size_t variable) const;
};

/// Local. Returns the array of a variable whose elements begin at `begin`, `stride_bytes` apart if that is given.
[[nodiscard]] FileArray array_at(int file, std::int64_t begin, const DatasetDescription& description,
                                 std::size_t variable, std::optional<std::int64_t> stride_bytes);

/// One file: its texts, and the arrays of its variables.
struct ImageFile {
  struct Text {
    std::int64_t offset_bytes = 0;
    std::string bytes;
  };
  std::vector<Text> texts = {};
  /// For each variable of the description the first byte of its elements, which are row-major; nullopt if this file
  /// does not contain the variable.
  std::vector<std::optional<std::int64_t>> begins = {};
  Interleaved points = {};

  /// Local. Returns the array of a variable. Precondition: the file contains the variable.
  [[nodiscard]] FileArray array_of(const DatasetDescription& description, std::size_t variable) const;
};

/// The contents of a file that was read.
struct ImageContents {
  DatasetDescription description;
  bool is_described = false;  ///< true if the description is the text that Sill writes into files
  VtkKind kind = VtkKind::image;
  std::vector<std::optional<std::int64_t>> begins = {};  ///< as in ImageFile
  Interleaved points = {};                               ///< as in ImageFile
  ByteOrder order = ByteOrder::little;
};

/// Element i is true if the step omits variable i of the description. Empty if the step omits none.
using LeftOut = std::vector<bool>;

/// Local. Returns true if a step omits variable `variable`.
[[nodiscard]] inline bool is_left_out(const LeftOut& left_out, std::size_t variable) {
  return !left_out.empty() && left_out[variable];
}

/// The file of one step.
struct StepFile {
  std::string path;  ///< relative to the folder of the file that names it
  double time = 0;
  std::int64_t begin = 0;             ///< first byte of the variables of the step, in a raw file
  const LeftOut* left_out = nullptr;  ///< variables that the step omits, in a raw file; null: none
};

/// Local. Returns the end of `bytes` bytes of elements that begin at `begin`. Errors: usage if the end is beyond byte
/// 2^63.
[[nodiscard]] std::int64_t end_of(std::int64_t begin, std::int64_t bytes);

/// Local. Returns `offset_bytes` rounded up to a multiple of 8, at which arrays begin. Errors: as end_of.
[[nodiscard]] std::int64_t aligned(std::int64_t offset_bytes);

/// Local. Returns text escaped as the value of an XML attribute.
[[nodiscard]] std::string xml_text(const std::string& text);

}  // namespace sill::image
