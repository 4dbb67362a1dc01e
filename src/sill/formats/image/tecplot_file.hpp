// Tecplot's binary files (.plt): the grid and all variables of one step.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/image/image_file.hpp"
#include "sill/plan/extent.hpp"

namespace sill::image {

/// The minimum and maximum of elements; NaN is ignored.
struct ValueRange {
  double min = std::numeric_limits<double>::infinity();
  double max = -std::numeric_limits<double>::infinity();

  /// Local. Extends the range by another range.
  void add(const ValueRange& other) {
    min = std::min(min, other.min);
    max = std::max(max, other.max);
  }
};

/// The values in a file that its header states.
struct TecplotValues {
  std::vector<ValueRange> ranges = {};  ///< ranges of the values of each variable of the description
  double time = 0;                      ///< solution time, for datasets without a variable that states it
};

/// Coordinates of the points of a regular grid, for formats without regular grids.
struct PointCoordinates {
  std::vector<std::size_t> made = {};  ///< generated coordinates: 2 for X, 1 for Y, 0 for Z
  ElementType type = ElementType::f8;
  ImageGrid grid;

  [[nodiscard]] std::int64_t points() const { return grid.shape[0] * grid.shape[1] * grid.shape[2]; }
  /// Local. Returns the number of elements of all generated coordinates together.
  [[nodiscard]] std::int64_t elements() const { return points() * static_cast<std::int64_t>(made.size()); }
};

/// Encodes generated coordinates, starting at element `first`.
class CoordinateEncoder final : public Encoder {
 public:
  CoordinateEncoder(PointCoordinates of, std::int64_t first) : of_(std::move(of)), first_(first) {}
  void fill(ByteRange range, std::span<std::byte> bytes) const override;
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  PointCoordinates of_;
  std::int64_t first_;
};

/// A Tecplot file: the header, generated coordinates, variables.
struct TecplotFile {
  ImageFile file;                ///< its only text is the header
  PointCoordinates coordinates;  ///< directly after the header
  std::int64_t end = 0;
};

/// Local. Returns the layout of the file of one step, or of the only file of a dataset without steps: one zone with all
/// variables, each stored as a block. Variables are values at the points of the grid (grid_of), in an ordered zone.
/// With `connectivity`, an i4 variable of shape (elements, 8) with node numbers from 0, the other variables are values
/// at the nodes of bricks. Variables named X, Y and Z, or x, y and z, are the coordinates. Missing coordinates of a
/// grid are generated from its origin and spacing, as f4 if that represents them exactly. The variable with the name of
/// the unlimited dimension is the solution time. `values` does not affect positions. Errors: usage for variables that
/// are not at points or nodes, for variables with components, or with types that Tecplot lacks; bricks without
/// coordinates; more than 2^31 - 1 points in a direction; otherwise as ncml_of, grid_of, end_of. Source: Tecplot Data
/// Format Guide, Binary Data File Format, version 112.
[[nodiscard]] TecplotFile tecplot_file_of(const DatasetDescription& description, const TecplotValues& values = {});

/// Local. Returns the index of the variable that lists the nodes of elements; nullopt if there is none. The values of
/// this variable must be node numbers; `require_nodes` verifies them.
[[nodiscard]] std::optional<std::size_t> connectivity_of(const DatasetDescription& description);

/// Local. Throws if the nodes of elements are not nodes of the grid. Errors: usage.
void require_nodes(const DatasetDescription& description, std::span<const ValueRange> ranges);

/// Local. Returns the contents of a file whose first bytes are `first_bytes`, or nullopt if `first_bytes` do not
/// contain the complete header. Errors: input unless the file was written by Sill and is complete.
[[nodiscard]] std::optional<ImageContents> parse_tecplot(std::span<const std::byte> first_bytes,
                                                         std::int64_t file_bytes, const std::string& path);

/// Local. Returns true if a file begins as Tecplot files do.
[[nodiscard]] bool is_tecplot(std::span<const std::byte> first_bytes);

}  // namespace sill::image
