#include "sill/formats/image/vtk_grid.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "sill/base/error.hpp"

namespace sill::image {
namespace {

constexpr std::size_t max_axes = 3;
constexpr std::int64_t max_components = 9;  // of a tensor

[[noreturn]] void refuse_grid(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

std::string text_attribute(const Variable& variable, std::string_view name) {
  const auto found = std::ranges::find(variable.attributes, name, &Attribute::name);
  return found == variable.attributes.end() || found->type != ElementType::text ? "" : found->text();
}

// Returns the axis of a coordinate: 0 for z, 1 for y, 2 for x. Source: CF-1.11, 4.
std::optional<std::size_t> axis_of(const Variable& variable) {
  if (const std::string axis = text_attribute(variable, "axis"); axis.size() == 1) {
    const std::size_t found = std::string_view("ZYX").find(axis);
    if (found != std::string_view::npos) return found;
  }
  if (const std::string units = text_attribute(variable, "units"); units.starts_with("degree")) {
    if (units.ends_with("east") || units.ends_with('E')) return 2;
    if (units.ends_with("north") || units.ends_with('N')) return 1;
  }
  if (!text_attribute(variable, "positive").empty()) return 0;
  if (variable.name.starts_with("lon")) return 2;
  if (variable.name.starts_with("lat")) return 1;
  const std::size_t found = std::string_view("zyxZYX").find(variable.name.front());
  return found == std::string_view::npos ? std::nullopt : std::optional(found % 3);
}

// Finds the parts of a grid in a description.
class GridFinder {
 public:
  GridFinder(const DatasetDescription& description, VtkKind kind, bool field_data)
      : all_(description), field_data_(field_data) {
    grid_.kind = kind;
    grid_.centering.assign(all_.variables.size(), Centering::other);
    grid_.components.assign(all_.variables.size(), 1);
  }

  VtkGrid find() {
    listed_ = listed_coordinates();
    if (grid_.kind == VtkKind::structured) {
      take_curvilinear();
    } else {
      take_dimensions();
      if (grid_.kind == VtkKind::rectilinear || !field_data_) take_straight();
    }
    take_shape();
    for (std::size_t v = 0; v < all_.variables.size(); ++v) place(v);
    return std::move(grid_);
  }

 private:
  using Names = std::vector<std::string>;

  [[nodiscard]] std::int64_t length_of(const std::string& dimension) const {
    return all_.dimensions[all_.dimension_named(dimension)].length;
  }

  // Returns the dimensions of a variable without the unlimited one.
  [[nodiscard]] Names names_of(const Variable& variable) const {
    return {variable.dimensions.begin() + (all_.has_steps(variable) ? 1 : 0), variable.dimensions.end()};
  }

  [[nodiscard]] static bool is_at_cells(const Variable& variable) {
    const std::string location = text_attribute(variable, "location");
    return location == "cell" || location == "face" || location == "volume";
  }

  // Returns true if dimensions of cells belong to those of points.
  [[nodiscard]] bool are_cells_of(const Names& cells, const Names& points) const {
    if (cells.size() != points.size()) return false;
    for (std::size_t d = 0; d < cells.size(); ++d) {
      const std::int64_t count = length_of(points[d]);
      if (length_of(cells[d]) != std::max<std::int64_t>(1, count - 1) || (cells[d] == points[d] && count > 1))
        return false;
    }
    return !cells.empty() && cells != points;
  }

  // Returns the variables that the attribute `coordinates` of a variable lists.
  [[nodiscard]] std::vector<std::size_t> listed_coordinates() const {
    for (const Variable& variable : all_.variables) {
      std::string text = text_attribute(variable, "coordinates");
      std::vector<std::size_t> listed;
      for (std::size_t v = 0; v < all_.variables.size(); ++v) {
        const std::string& name = all_.variables[v].name;
        const std::size_t at = (" " + text + " ").find(" " + name + " ");
        if (at != std::string::npos && !names_of(all_.variables[v]).empty()) listed.push_back(v);
      }
      if (!listed.empty()) return listed;
    }
    return {};
  }

  void take_curvilinear() {
    std::optional<std::size_t> first;
    for (const std::size_t v : listed_) {
      const Variable& each = all_.variables[v];
      const Names names = names_of(each);
      if (names.size() < 2) continue;
      const std::optional<std::size_t> axis = axis_of(each);
      if (!axis)
        refuse_grid(fmt::format("coordinate {} does not state its axis", each.name),
                    "give it the attribute axis = X, Y or Z");
      if (points_.empty()) points_ = names;
      if (!first) first = v;
      std::optional<std::size_t>& place = grid_.coordinates[*axis];
      if (place) {
        refuse_grid(fmt::format("{} and {} are coordinates of the same axis", all_.variables[*place].name, each.name),
                    "give them the attributes axis = X, Y or Z");
      }
      place = v;
      const Variable& other = all_.variables[*first];
      if (names != points_ || each.type != other.type || all_.has_steps(each) != all_.has_steps(other)) {
        refuse_grid(fmt::format("coordinates {} and {} differ in type or dimensions", other.name, each.name),
                    "give coordinates of one type at all points");
      }
    }
    const auto& [z, y, x] = grid_.coordinates;
    if (!x || !y || points_.size() > max_axes || (points_.size() == max_axes && !z)) {
      refuse_grid("a .vts file needs coordinates of all points of a grid with 2 or 3 dimensions",
                  "list them in the attribute coordinates of a variable, as in \"lon lat\" or \"x y z\"; or write .vtr "
                  "or .vti");
    }
    grid_.dimensions = points_;
    take_cells();
  }

  void take_cells() {
    for (const Variable& each : all_.variables) {
      if (cells_.empty() && are_cells_of(without_components(each), points_)) cells_ = without_components(each);
    }
  }

  // Returns the dimensions of a variable that are dimensions of the grid, without a last dimension of components.
  [[nodiscard]] Names without_components(const Variable& variable) const {
    Names names = names_of(variable);
    if (names.size() == grid_.dimensions.size() + 1) names.pop_back();
    return names;
  }

  void take_dimensions() {
    const Variable* longest = nullptr;
    for (const Variable& each : all_.variables) {
      if (longest == nullptr || names_of(each).size() > names_of(*longest).size()) longest = &each;
    }
    if (longest == nullptr) return;
    grid_.dimensions = names_of(*longest);
    const bool of_cells = is_at_cells(*longest);
    const bool may_have_components =
        !field_data_ && grid_.dimensions.size() > 1 && length_of(grid_.dimensions.back()) <= max_components;
    const bool is_longer = grid_.dimensions.size() > max_axes;
    grid_.dimensions.resize(std::min(grid_.dimensions.size(), max_axes));
    take_centering(of_cells);
    if (is_longer || !may_have_components || coordinate_of(grid_.dimensions.size() - 1).first) return;
    const Names all = std::exchange(grid_.dimensions, names_of(*longest));
    grid_.dimensions.pop_back();
    take_centering(of_cells);
    for (std::size_t d = 0; d < grid_.dimensions.size(); ++d) {
      if (coordinate_of(d).first) continue;
      grid_.dimensions = all;  // the last dimension is not that of components
      return take_centering(of_cells);
    }
  }

  // Finds the dimensions of points and of cells; one of them is the first dimensions of the variable with the most.
  void take_centering(bool of_cells) {
    points_.clear();
    cells_.clear();
    Names other;
    for (const Variable& each : all_.variables) {
      const Names names = without_components(each);
      if (names.size() != grid_.dimensions.size()) continue;
      if (other.empty() && are_cells_of(grid_.dimensions, names)) {
        other = names;
        of_cells = true;
      }
    }
    (of_cells ? cells_ : points_) = grid_.dimensions;
    if (of_cells) points_ = other;
    take_cells();
    if (!points_.empty()) grid_.dimensions = points_;
  }

  // Returns the coordinate of a dimension of the grid, and whether it states the centers of cells.
  [[nodiscard]] std::pair<std::optional<std::size_t>, bool> coordinate_of(std::size_t d) const {
    const auto named = [&](const std::string& name) -> std::optional<std::size_t> {
      for (std::size_t v = 0; v < all_.variables.size(); ++v) {
        const Variable& each = all_.variables[v];
        if (each.name == name && each.dimensions == Names{name} && each.type != ElementType::text) return v;
      }
      return {};
    };
    if (!points_.empty()) {
      if (const auto found = named(points_[d])) return {found, false};
    }
    if (cells_.empty()) return {};
    for (const std::size_t v : listed_) {
      const Variable& each = all_.variables[v];
      if (each.dimensions.size() != 1 || length_of(each.dimensions[0]) != length_of(cells_[d]) + 1) continue;
      if (axis_of(each) == max_axes - cells_.size() + d) return {v, false};
    }
    const auto found = named(cells_[d]);
    return {found, found.has_value()};
  }

  // Finds the coordinates of each dimension.
  void take_straight() {
    const std::size_t count = grid_.dimensions.size();
    for (const std::size_t v : listed_) {
      const Names names = names_of(all_.variables[v]);
      if (names.size() < 2) continue;
      refuse_grid(fmt::format("coordinate {} has the dimensions {}, but {} has coordinates of single dimensions",
                              all_.variables[v].name, fmt::join(names, " x "),
                              grid_.kind == VtkKind::image ? "an image of VTK" : "a .vtr file"),
                  "write .vts, which has coordinates of all points");
    }
    for (std::size_t d = 0; d < count; ++d) {
      const std::size_t axis = max_axes - count + d;
      std::tie(grid_.coordinates[axis], grid_.is_centers[axis]) = coordinate_of(d);
      if (grid_.kind == VtkKind::image || (grid_.coordinates[axis] && !grid_.is_centers[axis])) continue;
      refuse_grid(fmt::format("a .vtr file needs coordinates of points, but dimension {} has {}", grid_.dimensions[d],
                              grid_.is_centers[axis] ? "those of centers of cells" : "none"),
                  grid_.is_centers[axis] ? "list variables with one more element in the attribute coordinates of a "
                                           "variable of cells"
                                         : "add a variable with the name of the dimension, or write .vti");
    }
    if (count == 0 && grid_.kind == VtkKind::rectilinear) refuse_grid("the dataset has no grid", "write netCDF");
    require_order();
  }

  // Checks that coordinates that state their axes are in the order z, y, x, so that the grid is not mirrored.
  void require_order() const {
    const Variable* before = nullptr;
    for (const auto& coordinate : grid_.coordinates) {
      if (!coordinate || !axis_of(all_.variables[*coordinate])) continue;
      const Variable& each = all_.variables[*coordinate];
      if (before != nullptr && axis_of(*before) >= axis_of(each)) {
        refuse_grid(fmt::format("the dimension of coordinate {} is slower than that of {}, but x is the fastest in VTK",
                                before->name, each.name),
                    "write .vts, which has coordinates of all points; or order dimensions as z, y, x; or state other "
                    "axes by the attribute axis");
      }
      before = &each;
    }
  }

  void take_shape() {
    const std::size_t count = grid_.dimensions.size();
    for (std::size_t d = 0; d < count; ++d) {
      grid_.shape[max_axes - count + d] = length_of(grid_.dimensions[d]) + (points_.empty() ? 1 : 0);
    }
    if (grid_.kind == VtkKind::image) take_position(all_, count, grid_.origin, grid_.spacing);
  }

  void place(std::size_t v) {
    const Variable& variable = all_.variables[v];
    const Names names = names_of(variable);
    const bool is_own_coordinate = variable.dimensions == Names{variable.name};
    Centering& centering = grid_.centering[v];
    if (std::ranges::find(grid_.coordinates, std::optional(v)) != grid_.coordinates.end()) {
      centering = Centering::coordinates;
      return;
    }
    if (names.size() >= grid_.dimensions.size() && names.size() <= grid_.dimensions.size() + 1) {
      const Names of_grid(names.begin(), names.begin() + std::ssize(grid_.dimensions));
      if (!points_.empty() && of_grid == points_ && !is_at_cells(variable)) centering = Centering::points;
      if (!cells_.empty() && of_grid == cells_ && text_attribute(variable, "location") != "node")
        centering = Centering::cells;
      if (grid_.dimensions.empty()) centering = Centering::points;
      if (centering != Centering::other) {
        if (names.size() > of_grid.size()) grid_.components[v] = length_of(names.back());
        return;
      }
      if (is_staggered(of_grid)) centering = Centering::staggered;
    }
    if (names.empty() || field_data_ || (grid_.kind == VtkKind::structured && is_own_coordinate))
      centering = Centering::none;
  }

  [[nodiscard]] bool is_staggered(const Names& names) const {
    std::int64_t differences = 0;
    for (std::size_t d = 0; d < names.size(); ++d) {
      const std::int64_t difference = std::abs(length_of(names[d]) - grid_.shape[max_axes - names.size() + d]);
      if (difference > 1) return false;
      differences += difference;
    }
    return differences > 0;
  }

  const DatasetDescription& all_;
  bool field_data_;
  VtkGrid grid_;
  std::vector<std::size_t> listed_;
  Names points_;
  Names cells_;
};

// Returns the spacing of values; nullopt if they are not evenly spaced.
std::optional<double> spacing_of(const std::vector<double>& values, ElementType type) {
  const auto last = static_cast<double>(values.size() - 1);
  const double spacing = (values.back() - values.front()) / last;
  const double epsilon =
      type == ElementType::f4 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
  const double rounding = 4 * epsilon * std::max(std::abs(values.front()), std::abs(values.back()));
  if (!(spacing > 0) || !std::isfinite(spacing)) return {};
  const double tolerance = std::min(1e-6 * spacing + rounding, 0.01 * spacing);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double even = values.front() + static_cast<double>(i) * spacing;
    if (!(std::abs(values[i] - even) <= tolerance)) return {};
  }
  return spacing;
}

// Errors: usage unless values are finite and strictly ascending or descending.
void require_monotonic(const std::vector<double>& values, const std::string& name) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_next = i == 0 || (values[1] > values[0] ? values[i] > values[i - 1] : values[i] < values[i - 1]);
    if (std::isfinite(values[i]) && is_next) continue;
    refuse_grid(
        fmt::format("coordinate {} has the value {} at index {}{}, but the coordinates of a .vtr file are finite "
                    "and strictly ascending or descending",
                    name, values[i], i, i == 0 ? "" : fmt::format(", after {}", values[i - 1])),
        "correct the values; write .vts for grids with coordinates of all points, or netCDF, HDF5 or Zarr");
  }
}

}  // namespace

bool VtkGrid::has_coordinates() const {
  return std::ranges::any_of(coordinates, [](const auto& each) { return each.has_value(); });
}

VtkGrid vtk_grid_of(const DatasetDescription& description, VtkKind kind, bool field_data) {
  return GridFinder(description, kind, field_data).find();
}

void set_coordinates(VtkGrid& grid, const DatasetDescription& description,
                     const std::array<std::vector<double>, 3>& values) {
  for (std::size_t axis = 0; axis < max_axes; ++axis) {
    if (!grid.coordinates[axis]) continue;
    const Variable& variable = description.variables[*grid.coordinates[axis]];
    const std::vector<double>& all = values[axis];
    if (grid.kind == VtkKind::rectilinear) {
      require_monotonic(all, variable.name);
      continue;
    }
    const std::optional<double> spacing = all.size() < 2 ? grid.spacing[axis] : spacing_of(all, variable.type);
    if (!spacing || !std::isfinite(all.front())) {
      refuse_grid(
          fmt::format(
              "the values of coordinate {} are not evenly spaced in ascending order, which a .vti file requires",
              variable.name),
          "write .vtr, which has a coordinate for each point, or omit the variable");
    }
    grid.spacing[axis] = *spacing;
    grid.origin[axis] = all.front() - (grid.is_centers[axis] ? *spacing / 2 : 0);
  }
}

void require_places(const VtkGrid& grid, const DatasetDescription& description, bool may_be_fields) {
  std::vector<std::string> beside;
  bool has_staggered = false;
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    if (grid.centering[v] != Centering::staggered && grid.centering[v] != Centering::other) continue;
    beside.push_back(description.variables[v].name);
    has_staggered = has_staggered || grid.centering[v] == Centering::staggered;
  }
  if (beside.empty()) return;
  refuse_grid(
      fmt::format("files of VTK can only store values at the points and cells of one grid, {}; {} {} on other "
                  "dimensions{}",
                  fmt::join(grid.dimensions, " x "), fmt::join(beside, ", "), beside.size() == 1 ? "is" : "are",
                  has_staggered ? " (staggered: one longer or shorter)" : ""),
      fmt::format("write netCDF, HDF5 or Zarr, which store these variables unchanged, or omit them{}",
                  may_be_fields ? "; `field_data` (--field-data) stores them as arrays without positions" : ""));
}

}  // namespace sill::image
