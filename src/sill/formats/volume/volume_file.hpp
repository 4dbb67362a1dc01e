// The format of volume files: samples of one component at a regular subset of the points of a grid, without a header.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "sill/layout/box.hpp"
#include "sill/layout/range.hpp"
#include "sill/plan/extent.hpp"

namespace sill::volume {

/// Bytes of a value: one native float per point and sample.
inline constexpr std::int64_t value_bytes = 4;

/// Local. Returns `<prefix>S{X|Y|Z}<step as %07d>`. The prefix is used unchanged, so a folder must end with a slash.
/// `step` is the step of the file's last sample. Errors: usage for another component, or a step below 0. Source: the
/// names of AWP-ODC.
[[nodiscard]] std::string file_name(std::string_view prefix, char component, std::int64_t step);

/// The selected points of a dimension: every `skip`-th point starting at `first`, up to `last`, counted from 0.
/// AWP-ODC's NBG, NED and NSKP are first + 1, last + 1 and skip.
struct Kept {
  std::int64_t first = 0;
  std::int64_t last = 0;
  std::int64_t skip = 1;

  /// Local. Returns the number of selected points. Precondition: first <= last, and skip >= 1.
  [[nodiscard]] std::int64_t count() const { return (last - first) / skip + 1; }
};

/// The selected points in x, y, z; z counts from the surface down.
using KeptPoints = std::array<Kept, 3>;

/// A file: time varies slowest, then z, from the surface down, then y, then x.
struct FileForm {
  KeptPoints kept = {};
  std::int64_t samples = 1;
};

/// Local. Verifies a form. Errors: usage unless the points are inside a grid of `shape` (x, y, z), there is at least
/// one sample, and the file has at most 2^63 - 1 bytes.
void require_possible(const FileForm& form, const Index& shape);

/// Local. Returns the number of selected points in x, y, z. Precondition: the form is possible.
[[nodiscard]] Index shape_of(const KeptPoints& kept);

/// Local. Returns the size of the file. Precondition: the form is possible.
[[nodiscard]] std::int64_t file_bytes(const FileForm& form);

/// Local. Returns the position in the file of the value of a point; samples and selected points (x, y, z) are counted
/// from 0. Preconditions: the form is possible; sample and point are in the file.
[[nodiscard]] std::int64_t byte_of(const FileForm& form, std::int64_t sample, const Index& kept_point);

/// Local. Returns the selected points, counted from 0 in x, y, z, among the points `box` of the grid (z from the
/// surface down); may be empty. Precondition: `box` is inside the grid and has three dimensions; first and skip are as
/// in require_possible.
[[nodiscard]] Box kept_within(const KeptPoints& kept, const Box& box);

/// The distances between values in memory, in floats; each may be negative.
struct ValueStrides {
  Index point;  ///< between selected points in x, y, z
  std::int64_t sample = 0;
};

/// Local. Returns one extent for the selected points `part` of the samples `samples` in file `file`, for any shape of
/// `part`. The first value is at `memory`. Precondition: the form is possible; `part` and `samples` are inside the file
/// and not empty.
[[nodiscard]] Extent extent_of(int file, const FileForm& form, ItemRange samples, const Box& part, const float* memory,
                               const ValueStrides& strides);

}  // namespace sill::volume
