#include "sill/formats/surface/surface_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sill/base/error.hpp"
#include "sill/plan/subarray.hpp"

namespace sill::surface {
namespace {

constexpr std::string_view clause = "VTK File Formats, simple legacy formats, structured points";

// Longer than any header: six numbers of up to 317 characters, and some words.
constexpr std::int64_t header_bound_bytes = 4096;

std::string_view text_of(Plane plane) {
  switch (plane) {
    case Plane::xy: return "xy";
    case Plane::xz: return "xz";
    case Plane::yz: return "yz";
  }
  return "xy";
}

std::string_view text_of(Quantity quantity) { return quantity == Quantity::velocity ? "vel" : "disp"; }

[[noreturn]] void refuse(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage,
               .problem = "a surface file: " + std::move(problem),
               .clause = std::string(clause),
               .action = std::move(action)});
}

// Returns an index in file order.
Index transformed(const Index& index) { return {index[2], index[1], index[0]}; }

}  // namespace

std::string file_name(std::string_view prefix, Plane plane, Quantity quantity, std::int64_t step) {
  if (step < 0) refuse(fmt::format("its step is {}", step), "count steps from 0");
  return fmt::format("{}surface{}{}{:04d}00.vtk", prefix, text_of(plane), text_of(quantity), step);
}

void require_possible(const FileForm& form) {
  const Box& points = form.points;
  if (points.first.size() != 3 || points.count.size() != 3) {
    refuse(fmt::format("its points have {} dimensions", points.dimensions()), "give x, y and z");
  }
  const auto [min, max] = std::minmax_element(points.count.begin(), points.count.end());
  if (*min != 1) {
    refuse(
        fmt::format("a box of {} x {} x {} points is not a plane", points.count[0], points.count[1], points.count[2]),
        "give a box that is one point thick");
  }
  std::int64_t room = std::numeric_limits<std::int64_t>::max() / point_bytes - header_bound_bytes;
  for (const std::int64_t count : points.count) room /= count;
  if (room == 0) refuse(fmt::format("a plane of up to {} points per side is too large", *max), "make it smaller");
  for (std::size_t d = 0; d < 3; ++d) {
    if (!std::isfinite(form.origin[d]) || !std::isfinite(form.spacing[d]) || form.spacing[d] <= 0) {
      refuse(fmt::format("origin {} and spacing {} in dimension {}", form.origin[d], form.spacing[d], "xyz"[d]),
             "give finite numbers, the spacing above 0");
    }
  }
}

std::string header_of(const FileForm& form) {
  std::array<double, 3> origin = form.origin;
  for (std::size_t d = 0; d < 3; ++d) origin[d] += static_cast<double>(form.points.first[d]) * form.spacing[d];
  const Index& count = form.points.count;
  return fmt::format(
      "# vtk DataFile Version 3.0\nV\nBINARY\nDATASET STRUCTURED_POINTS\n"
      "DIMENSIONS {} {} {}\nORIGIN {:f} {:f} {:f}\nSPACING {:f} {:f} {:f}\n"
      "POINT_DATA {}\nSCALARS V float 3\nLOOKUP_TABLE default\n",
      count[0], count[1], count[2], origin[0], origin[1], origin[2], form.spacing[0], form.spacing[1], form.spacing[2],
      form.points.items());
}

std::int64_t file_bytes(const FileForm& form) {
  return static_cast<std::int64_t>(header_of(form).size()) + form.points.items() * point_bytes;
}

std::int64_t byte_of_point(const FileForm& form, const Index& point) {
  const Box& points = form.points;
  const std::int64_t z = point[2] - points.first[2];
  const std::int64_t y = point[1] - points.first[1];
  const std::int64_t x = point[0] - points.first[0];
  const std::int64_t before = (z * points.count[1] + y) * points.count[0] + x;
  return static_cast<std::int64_t>(header_of(form).size()) + before * point_bytes;
}

Extent extent_of(int file, const FileForm& form, const Box& part, const Encoder& encoder) {
  FileArray vectors = row_major(file, 0, transformed(form.points.count), point_bytes);
  vectors.first_byte = byte_of_point(form, part.first);
  const Box from_there{Index(3, 0), transformed(part.count)};
  Extent extent = subarray(vectors, from_there, nullptr, Index(3, 0));
  extent.encoder = &encoder;
  return extent;
}

}  // namespace sill::surface
