// The triangle of a local problem and its refined mesh, as text: the files of a problem in addition to its solutions.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "sill/layout/range.hpp"

namespace sill::solution {

/// The element of the coarse mesh on which a problem is solved: the corners A, B, C of a triangle, with x, y, z each.
using Element = std::array<std::array<double, 3>, 3>;

/// A coordinate as text, "%12.5e" and a newline: 12 characters for any coordinate that `require_element` accepts.
inline constexpr std::int64_t coordinate_bytes = 13;
/// A triangle as text, "%10d%10d%10d" and a newline.
inline constexpr std::int64_t triangle_bytes = 31;
/// An element as text: nine numbers, separated by blanks, and a newline. "%24.16e" loses no bit of a number.
inline constexpr std::int64_t element_bytes = 225;

/// Local. Throws if a coordinate is not a number, or is 10^98 or larger. `problem`, from 0, is for the message. Errors:
/// usage.
void require_element(const Element& element, std::int64_t problem);

/// Local. Returns an element as a line of `element_bytes` bytes: x, y, z of A, then of B, then of C.
[[nodiscard]] std::string element_line(const Element& element);
/// Local. Returns the element in `line`, which has the form that `element_line` writes. `path` and `line_number` (from
/// 1) are for messages. Errors: input if the line has another form.
[[nodiscard]] Element parse_element(std::string_view line, const std::string& path, std::int64_t line_number);

/// The nodes of a triangle whose edges are divided into `sub_elements` segments, numbered from A along AB, then row by
/// row to C. Its sub_elements^2 triangles are also numbered row by row. Sill defines this order: the paper on MSLIO (F.
/// Z. Boito et al. 2022) does not state the order of its points.
class LocalMesh {
 public:
  /// Local. Creates the mesh. Precondition: 1 <= sub_elements <= 60,000.
  explicit LocalMesh(std::int64_t sub_elements) : sub_elements_(sub_elements) {}

  [[nodiscard]] std::int64_t nodes() const { return (sub_elements_ + 1) * (sub_elements_ + 2) / 2; }
  [[nodiscard]] std::int64_t triangles() const { return sub_elements_ * sub_elements_; }

  /// Local. Writes bytes `range` of the text of coordinate `axis` (0: x) of all nodes. Precondition: bytes.size() ==
  /// range.length.
  void write_coordinates(const Element& element, std::size_t axis, ByteRange range, std::span<std::byte> bytes) const;
  /// Local. Writes bytes `range` of the text of all triangles; node 0 has the number `first_node`. Precondition:
  /// bytes.size() == range.length.
  void write_triangles(std::int64_t first_node, ByteRange range, std::span<std::byte> bytes) const;

  /// Local. Returns the complete text, as in a part of an EnSight Gold geometry: "coordinates", the number of nodes, x
  /// of all nodes, y of all nodes, z of all nodes; "tria3", the number of triangles, and the numbers (from 1) of their
  /// nodes.
  [[nodiscard]] std::string text(const Element& element) const;

 private:
  std::int64_t sub_elements_;
};

}  // namespace sill::solution
