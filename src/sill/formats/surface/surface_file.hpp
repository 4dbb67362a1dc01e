// The format of surface files: a plane of a grid with a vector at each point, as a legacy VTK file of structured
// points.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sill/layout/box.hpp"
#include "sill/plan/extent.hpp"

namespace sill::surface {

/// The plane of a grid, and the quantity of its vectors.
enum class Plane { xy, xz, yz };
enum class Quantity { velocity, displacement };

/// Three big-endian floats per point.
inline constexpr std::int64_t components = 3;
inline constexpr std::int64_t point_bytes = components * 4;

/// Local. Returns `<prefix>surface{xy|xz|yz}{vel|disp}<step as %04d>00.vtk`. The prefix is used unchanged, so a folder
/// must end with a slash. Errors: usage for a step below 0. Source: the names of Ondes3D.
[[nodiscard]] std::string file_name(std::string_view prefix, Plane plane, Quantity quantity, std::int64_t step);

/// A plane as a file. Dimensions are x, y, z; the points of a plane are a box of the grid that is one point thick.
struct FileForm {
  Box points;                              ///< points of the grid that are stored in the file
  std::array<double, 3> origin{};          ///< position of point (0, 0, 0) of the grid, in m
  std::array<double, 3> spacing{1, 1, 1};  ///< distances between the points of the grid, in m
};

/// Local. Verifies a form. Errors: usage unless the points are a box of three dimensions that is not empty and is one
/// point thick in at least one of them, all numbers are finite and the spacing is above 0, and the file does not exceed
/// 2^63 - 1 bytes.
void require_possible(const FileForm& form);

/// Local. Returns the bytes before the first vector: version 3.0 of the format, dimensions, origin of the plane's first
/// point, spacing, number of points. Precondition: the form is possible. Source: "VTK File Formats", simple legacy
/// formats; the bytes are the same as in files of Ondes3D.
[[nodiscard]] std::string header_of(const FileForm& form);

/// Local. Returns the size of the file. Precondition: the form is possible.
[[nodiscard]] std::int64_t file_bytes(const FileForm& form);

/// Local. Returns the first byte of the vector of point (x, y, z) of the grid: x varies fastest, then y, then z.
/// Preconditions: the form is possible; the point is in the plane.
[[nodiscard]] std::int64_t byte_of_point(const FileForm& form, const Index& point);

/// Local. Returns the extent that stores the vectors of `part` in file `file`; `encoder` produces their bytes. One
/// extent is sufficient for every shape of `part`. Preconditions: the form is possible; `part` is inside the plane and
/// not empty.
[[nodiscard]] Extent extent_of(int file, const FileForm& form, const Box& part, const Encoder& encoder);

}  // namespace sill::surface
