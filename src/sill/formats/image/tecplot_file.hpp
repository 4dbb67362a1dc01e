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

/// The least and the greatest value of elements; NaN does not count.
struct ValueRange {
  double least = std::numeric_limits<double>::infinity();
  double greatest = -std::numeric_limits<double>::infinity();

  /// Local. Adds the values of another range.
  void add(const ValueRange& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
  }
};

/// What the header of a file says of the values in it.
struct TecplotValues {
  std::vector<ValueRange> ranges = {};  ///< of each variable of the description
  double time = 0;                      ///< of a dataset whose variables do not give it
};

/// Coordinates of the points of a regular grid, for files whose format has no other grids.
struct PointCoordinates {
  std::vector<std::size_t> made = {};  ///< 2, 1, 0 for X, Y, Z that are no variables of the dataset
  ElementType type = ElementType::f8;
  ImageGrid grid;

  [[nodiscard]] std::int64_t points() const { return grid.shape[0] * grid.shape[1] * grid.shape[2]; }
  /// Of all that are made together, one after another.
  [[nodiscard]] std::int64_t elements() const { return points() * static_cast<std::int64_t>(made.size()); }
};

/// Makes coordinates from element `first` on.
class CoordinateEncoder final : public Encoder {
 public:
  CoordinateEncoder(PointCoordinates of, std::int64_t first) : of_(std::move(of)), first_(first) {}
  void fill(ByteRange range, std::span<std::byte> bytes) const override;
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  PointCoordinates of_;
  std::int64_t first_;
};

/// A file of Tecplot: the header, coordinates that are made, variables.
struct TecplotFile {
  ImageFile file;                ///< its one text is the header
  PointCoordinates coordinates;  ///< from the end of the header on
  std::int64_t end = 0;
};

/// Local. Returns the file of one step, or of a dataset without steps, of which it is the only one: one zone with all
/// variables, each a block. Variables are values at the points of the grid (grid_of), an ordered zone; or at nodes,
/// with `connectivity`, i4 of shape (elements, 8) that counts nodes from 0: bricks. Those that are named X, Y and Z, or
/// x, y and z, are the coordinates; of a grid those that are not there are made of its origin and spacing, as f4 if
/// that holds them exactly. The variable that has the name of the unlimited dimension is the solution time. `values`
/// changes no place. Errors: usage for variables elsewhere, with components, or of types that Tecplot has not; bricks
/// without coordinates; more points than 2^31 - 1 in a direction; as ncml_of, grid_of, end_of. Source: Tecplot Data
/// Format Guide, Binary Data File Format, version 112.
[[nodiscard]] TecplotFile tecplot_file_of(const DatasetDescription& description, const TecplotValues& values = {});

/// Local. Returns the place of the variable that lists the nodes of elements, if there is one. Its range is that of
/// nodes: require_nodes.
[[nodiscard]] std::optional<std::size_t> connectivity_of(const DatasetDescription& description);

/// Local. Errors: usage if the nodes of elements are none of the grid.
void require_nodes(const DatasetDescription& description, std::span<const ValueRange> ranges);

/// Local. Returns what a file is whose first bytes are `first_bytes`, or nothing if its header has more bytes. Errors:
/// input unless it is a file that Sill wrote, and whole.
[[nodiscard]] std::optional<ImageContents> parse_tecplot(std::span<const std::byte> first_bytes,
                                                         std::int64_t file_bytes, const std::string& path);

/// Local. Whether a file begins as those of Tecplot do.
[[nodiscard]] bool is_tecplot(std::span<const std::byte> first_bytes);

}  // namespace sill::image
