// What a volume file is: samples of one component at every few points of a grid, without a header.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sill/layout/box.hpp"
#include "sill/layout/range.hpp"
#include "sill/plan/extent.hpp"

namespace sill::volume {

/// One native float a point and sample.
inline constexpr std::int64_t value_bytes = 4;

/// Local. `<prefix>S{X|Y|Z}<step as %07d>`: the prefix as it is, so that of a folder ends with a slash; the step is
/// that of the file's last sample. Errors: usage for another component, or a step below 0. Source: the names of
/// AWP-ODC.
[[nodiscard]] std::string file_name(std::string_view prefix, char component, std::int64_t step);

/// Which points of a dimension are kept: every `skip`-th from `first` to `last` at most, counted from 0. AWP-ODC's NBG,
/// NED and NSKP are first + 1, last + 1 and skip.
struct Kept {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t skip = 1;

  /// Local. How many they are. Precondition: as require_possible.
  [[nodiscard]] std::int64_t count() const { return (last - first) / skip + 1; }
};

/// In x, y, z; z counts from the surface down.
using KeptPoints = std::array<Kept, 3>;

/// A file: time varies slowest, then z, from the surface down, then y, then x.
struct FileForm {
  KeptPoints kept = {};
  std::int64_t samples = 1;
};

/// Local. Errors: usage unless the points are some of a grid of `shape` (x, y, z), the samples one at least, and the
/// file has no more than 2^63 - 1 bytes.
void require_possible(const FileForm& form, const Index& shape);

/// Local. How many points are kept in x, y, z. Precondition: the form is possible.
[[nodiscard]] Index shape_of(const KeptPoints& kept);

/// Local. The size of the file. Precondition: the form is possible.
[[nodiscard]] std::int64_t file_bytes(const FileForm& form);

/// Local. Where in the file the value of a point lies; samples and kept points (x, y, z) are counted from 0.
/// Precondition: the form is possible; they are in the file.
[[nodiscard]] std::int64_t byte_of(const FileForm& form, std::int64_t sample, const Index& kept_point);

/// Local. The kept points, counted from 0 in x, y, z, among the points `box` of the grid (z from the surface down):
/// maybe none. Precondition: box within the grid, three dimensions; first and skip as require_possible.
[[nodiscard]] Box kept_within(const KeptPoints& kept, const Box& box);

/// How values lie in memory, in floats from one to the next; any of them may be negative.
struct ValueStrides {
  Index point;  ///< from kept point to kept point in x, y, z
  std::int64_t sample = 0;
};

/// Local. The kept points `part` of some samples in file `file`, of which the first lies at `memory`: one extent,
/// whatever its shape, never an entry a point. Precondition: the form is possible; part and samples are in the file and
/// not empty.
[[nodiscard]] Extent extent_of(int file, const FileForm& form, ItemRange samples, const Box& part, const float* memory,
                               const ValueStrides& strides);

}  // namespace sill::volume
