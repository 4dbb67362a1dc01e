// What files of regular grids share that programs of visualization read: the grid, and where variables lie.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/element_conversion.hpp"

namespace sill::image {

/// The elements of files that are written.
[[nodiscard]] constexpr ElementForm file_form(ElementType type) { return {type, ByteOrder::little}; }

/// The grid of a dataset: the first dimensions, at most 3, of the variable that has most, without the unlimited one.
/// Values at its points are what is shown as an image; a dimension behind it is that of components.
struct ImageGrid {
  std::vector<std::string> dimensions;         ///< slowest first
  std::array<std::int64_t, 3> shape{1, 1, 1};  ///< of z, y, x: with ones for dimensions that are not there
  std::array<double, 3> origin{};              ///< of z, y, x
  std::array<double, 3> spacing{1, 1, 1};
};

/// Local. Returns the grid of a dataset. Its global attributes `origin` and `spacing`, if there are any, give a number
/// for each of its dimensions, slowest first. Errors: usage if they do not, or the numbers place no grid.
[[nodiscard]] ImageGrid grid_of(const DatasetDescription& description);

/// Local. Returns how many components per variable has at each point of the grid; nothing if it is no variable at
/// points.
[[nodiscard]] std::optional<std::int64_t> components_of(const DatasetDescription& description, const Variable& variable,
                                                        const ImageGrid& grid);

/// Local. Returns the names of variables that have a shape, and not that of points of the grid: coordinates, variables
/// of cells or of another, staggered grid. Errors: as grid_of.
[[nodiscard]] std::vector<std::string> variables_beside(const DatasetDescription& description);

/// Local. Returns the place of the variable that holds the time of a step, by the convention of netCDF: its name is
/// that of the unlimited dimension.
[[nodiscard]] std::optional<std::size_t> time_variable(const DatasetDescription& description);

/// One file: text, and the arrays of its variables.
struct ImageFile {
  struct Text {
    std::int64_t offset_bytes = 0;
    std::string bytes;
  };
  std::vector<Text> texts = {};
  /// Of each variable of the description: where its elements begin, row-major; nothing: not in this file.
  std::vector<std::optional<std::int64_t>> begins = {};
};

/// What a file was found to hold.
struct ImageContents {
  DatasetDescription description;
  bool is_described = false;  ///< by the description that Sill writes into its files; else what the format says
  std::vector<std::optional<std::int64_t>> begins = {};  ///< as of ImageFile
  ByteOrder order = ByteOrder::little;
};

/// Which variables per step leaves out, by their place in the description; empty: none.
using LeftOut = std::vector<bool>;

/// Local. Whether a step leaves variable `variable` out.
[[nodiscard]] inline bool is_left_out(const LeftOut& left_out, std::size_t variable) {
  return !left_out.empty() && left_out[variable];
}

/// The file of one step.
struct StepFile {
  std::string path;  ///< from the folder of the file that names it
  double time = 0;
  std::int64_t begin = 0;             ///< where its variables begin, of a file of raw bytes
  const LeftOut* left_out = nullptr;  ///< of a file of raw bytes; null: none
};

/// Local. Returns where elements end that begin at `begin`. Errors: usage beyond byte 2^63.
[[nodiscard]] std::int64_t end_of(std::int64_t begin, std::int64_t bytes);

/// Local. Returns the next multiple of 8, where arrays begin. Errors: as end_of.
[[nodiscard]] std::int64_t aligned(std::int64_t offset_bytes);

/// Local. Text as the value of an attribute of XML.
[[nodiscard]] std::string xml_text(const std::string& text);

}  // namespace sill::image
