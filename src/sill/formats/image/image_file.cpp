#include "sill/formats/image/image_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sill/base/error.hpp"

namespace sill::image {
namespace {

constexpr std::size_t max_grid_dimensions = 3;

// Returns the dimensions of a variable without the unlimited one.
std::vector<std::string> space_dimensions(const DatasetDescription& description, const Variable& variable) {
  std::vector<std::string> names = variable.dimensions;
  if (description.has_steps(variable)) names.erase(names.begin());
  return names;
}

void take_numbers(const DatasetDescription& description, const char* name, std::size_t count,
                  std::array<double, 3>& numbers) {
  const auto found = std::find_if(description.attributes.begin(), description.attributes.end(),
                                  [&](const Attribute& each) { return each.name == name; });
  if (found == description.attributes.end()) return;
  if (found->type == ElementType::text || found->count() != static_cast<std::int64_t>(count)) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the attribute {} of a dataset with a grid of {} dimensions is {:?}", name,
                                        count, found->text()),
                 .action = "give a number for each dimension, slowest first"});
  }
  const std::int64_t size = bytes_of(found->type);
  (void)convert_elements(found->values.data(), {size, {found->type}},
                         reinterpret_cast<std::byte*>(numbers.data() + (numbers.size() - count)),
                         {8, {ElementType::f8}}, found->count());
}

}  // namespace

ImageGrid grid_of(const DatasetDescription& description) {
  ImageGrid grid;
  for (const Variable& variable : description.variables) {
    std::vector<std::string> names = space_dimensions(description, variable);
    if (names.size() > grid.dimensions.size()) grid.dimensions = std::move(names);
  }
  grid.dimensions.resize(std::min(grid.dimensions.size(), max_grid_dimensions));
  const std::size_t count = grid.dimensions.size();
  for (std::size_t d = 0; d < count; ++d) {
    grid.shape[grid.shape.size() - count + d] =
        description.dimensions[description.dimension_named(grid.dimensions[d])].length;
  }
  take_position(description, count, grid.origin, grid.spacing);
  return grid;
}

void take_position(const DatasetDescription& description, std::size_t count, std::array<double, 3>& origin,
                   std::array<double, 3>& spacing) {
  take_numbers(description, "origin", count, origin);
  take_numbers(description, "spacing", count, spacing);
  const bool is_finite = std::ranges::all_of(origin, [](double each) { return std::isfinite(each); });
  if (!is_finite || !std::ranges::all_of(spacing, [](double each) { return each > 0 && std::isfinite(each); })) {
    throw Error({.code = ErrorCode::usage,
                 .problem = "the attributes origin and spacing of a dataset do not describe a grid",
                 .action = "give finite numbers, and spacings above 0"});
  }
}

std::optional<std::int64_t> components_of(const DatasetDescription& description, const Variable& variable,
                                          const ImageGrid& grid) {
  const std::vector<std::string> names = space_dimensions(description, variable);
  const std::size_t count = grid.dimensions.size();
  if (names.size() < count || names.size() > count + 1) return std::nullopt;
  if (!std::equal(grid.dimensions.begin(), grid.dimensions.end(), names.begin())) return std::nullopt;
  return names.size() == count ? 1 : description.dimensions[description.dimension_named(names.back())].length;
}

std::optional<std::int64_t> Interleaved::stride_of(std::size_t variable) const {
  const bool is_one = std::ranges::find(variables, std::optional(variable)) != variables.end();
  return is_one ? std::optional(element_bytes * std::ssize(variables)) : std::nullopt;
}

FileArray array_at(int file, std::int64_t begin, const DatasetDescription& description, std::size_t variable,
                   std::optional<std::int64_t> stride_bytes) {
  const Variable& of = description.variables[variable];
  const std::int64_t size = bytes_of(of.type);
  FileArray array = row_major(file, begin, description.shape_of(of), size);
  for (std::int64_t& each : array.strides_bytes) each = each / size * stride_bytes.value_or(size);
  return array;
}

FileArray ImageFile::array_of(const DatasetDescription& description, std::size_t variable) const {
  return array_at(0, *begins[variable], description, variable, points.stride_of(variable));
}

std::optional<std::size_t> time_variable(const DatasetDescription& description) {
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    const Variable& each = description.variables[v];
    if (each.dimensions.size() == 1 && each.dimensions[0] == each.name && description.has_steps(each) &&
        each.type != ElementType::text) {
      return v;
    }
  }
  return std::nullopt;
}

std::int64_t end_of(std::int64_t begin, std::int64_t bytes) {
  std::int64_t end = 0;
  if (!__builtin_add_overflow(begin, bytes, &end)) return end;
  throw Error({.code = ErrorCode::usage,
               .problem = "a file of the dataset would end beyond byte 2^63",
               .action = "write fewer variables, or smaller ones"});
}

std::int64_t aligned(std::int64_t offset_bytes) { return end_of(offset_bytes, 7) / 8 * 8; }

std::string xml_text(const std::string& text) {
  std::string made;
  for (const char c : text) {
    switch (c) {
      case '&': made += "&amp;"; break;
      case '<': made += "&lt;"; break;
      case '>': made += "&gt;"; break;
      case '"': made += "&quot;"; break;
      case '\n': made += "&#10;"; break;
      case '\r': made += "&#13;"; break;
      case '\t': made += "&#9;"; break;
      default: made += c;
    }
  }
  return made;
}

}  // namespace sill::image
