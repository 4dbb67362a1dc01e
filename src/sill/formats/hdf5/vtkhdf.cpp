#include "sill/formats/hdf5/vtkhdf.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <set>
#include <span>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/image/image_file.hpp"
#include "sill/formats/image/ncml.hpp"
#include "sill/formats/image/vtk_grid.hpp"

namespace sill::hdf5 {
namespace {

constexpr std::int64_t max_steps = 1 << 20;  // the file has numbers for each step and variable

// Of each partition; as variables of the dataset they state more than one.
constexpr std::array part_numbers{"NumberOfPoints", "NumberOfCells", "NumberOfConnectivityIds"};

using Shape = std::vector<std::int64_t>;

[[noreturn]] void refuse_vtkhdf(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

template <class T>
Attribute attribute_of(const char* name, std::initializer_list<T> values) {
  return {name, std::span<const T>(values.begin(), values.size())};
}

class VtkHdfMaker {
 public:
  VtkHdfMaker(const DatasetDescription& all, std::int64_t steps)
      : all_(all), has_steps_(all.has_steps()), steps_(steps), time_(image::time_variable(all)) {
    made_.places.resize(all.variables.size());
  }

  VtkHdf make() {
    const bool is_unstructured = is_mesh(all_);
    made_.groups.push_back({vtk_group, {attribute_of<std::int64_t>("Version", {2, 0})}});
    made_.groups.back().attributes.emplace_back("Type", is_unstructured ? "UnstructuredGrid" : "ImageData");
    if (steps_ > max_steps)
      refuse_vtkhdf(fmt::format("a VTKHDF file with room for {} steps", steps_),
                    fmt::format("give at most {}", max_steps));
    if (has_steps_) add_times();
    is_unstructured ? add_unstructured() : add_image();
    const std::string ncml = image::ncml_of(all_);
    const auto text = std::as_bytes(std::span(ncml));
    add_made(vtk_description_name, ElementType::u1, {std::ssize(ncml)}, {text.begin(), text.end()});
    return std::move(made_);
  }

 private:
  std::size_t add(std::string name, ElementType type, const Shape& shape, std::vector<Attribute> attributes = {}) {
    Variable variable{.name = std::move(name), .type = type, .attributes = std::move(attributes)};
    for (const std::int64_t length : shape) {
      const std::string dimension = fmt::format("n{}", length);
      if (lengths_.insert(length).second) made_.stored.dimensions.push_back({dimension, length});
      variable.dimensions.push_back(dimension);
    }
    made_.stored.variables.push_back(std::move(variable));
    return made_.stored.variables.size() - 1;
  }

  void add_made(std::string name, ElementType type, const Shape& shape, std::vector<std::byte> bytes) {
    const std::size_t place = add(std::move(name), type, shape);
    made_.made.push_back({place, std::move(bytes)});
  }

  void add_integers(const std::string& name, const Shape& shape, const std::vector<std::int64_t>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(std::int64_t));
    for (std::size_t i = 0; i < values.size(); ++i) store(bytes.data() + 8 * i, values[i], ByteOrder::little);
    add_made(name, ElementType::i8, shape, std::move(bytes));
  }

  // Adds an integer for each step: `each` times the number of the step.
  void add_offsets(const std::string& name, std::int64_t each, bool has_column = false) {
    std::vector<std::int64_t> values;
    for (std::int64_t step = 0; step < steps_; ++step) values.push_back(each * step);
    add_integers(fmt::format("{}/{}", steps_group, name), has_column ? Shape{steps_, 1} : Shape{steps_}, values);
  }

  // The times of steps are next to their number, which has the same commit point.
  void add_times() {
    made_.groups.push_back({steps_group, {attribute_of<std::int64_t>(vtk_count_name, {vtk_count_mark})}});
    if (time_) {
      const Variable& variable = all_.variables[*time_];
      made_.places[*time_] = add(vtk_times_name, variable.type, {steps_}, variable.attributes);
      return;
    }
    std::vector<std::byte> bytes(static_cast<std::size_t>(steps_) * sizeof(double));
    for (std::int64_t step = 0; step < steps_; ++step)
      store(bytes.data() + 8 * step, static_cast<double>(step), ByteOrder::little);
    add_made(vtk_times_name, ElementType::f8, {steps_}, std::move(bytes));
  }

  [[nodiscard]] std::int64_t steps_of(const Variable& variable) const { return all_.has_steps(variable) ? steps_ : 1; }

  void add_number(std::size_t v) {
    if (v == time_) return;
    const Variable& variable = all_.variables[v];
    made_.places[v] = add("numbers/" + variable.name, variable.type, all_.has_steps(variable) ? Shape{steps_} : Shape{},
                          variable.attributes);
  }

  // Adds an array of points or cells, which has `step_offset` elements of its first dimension in each step.
  void add_data(std::size_t v, bool is_at_cells, Shape shape, std::int64_t step_offset) {
    const Variable& variable = all_.variables[v];
    const char* const group = is_at_cells ? "CellData" : "PointData";
    if (variable.type == ElementType::text || variable.name.find('/') != std::string::npos)
      refuse_vtkhdf(fmt::format("variable {} is text or in a group, which VTKHDF does not support", variable.name),
                    "omit it, or write HDF5");
    made_.places[v] =
        add(fmt::format("{}/{}/{}", vtk_group, group, variable.name), variable.type, shape, variable.attributes);
    if (has_steps_)
      add_offsets(fmt::format("{}Offsets/{}", group, variable.name), all_.has_steps(variable) ? step_offset : 0);
  }

  void add_image() {
    const image::VtkGrid grid = image::vtk_grid_of(all_, image::VtkKind::image, false);
    if (grid.has_coordinates())
      refuse_vtkhdf("a .vtkhdf file of an image has an origin and spacings, but the dataset has coordinates",
                    "write .vtr (or .vti if they are evenly spaced), or netCDF, HDF5 or Zarr, which store any grid; or "
                    "omit the coordinates, and state the attributes origin and spacing");
    image::require_places(grid, all_, false);
    const auto& [z, y, x] = grid.shape;
    std::vector<Attribute>& attributes = made_.groups.front().attributes;
    attributes.push_back(attribute_of<std::int64_t>("WholeExtent", {0, x - 1, 0, y - 1, 0, z - 1}));
    attributes.push_back(attribute_of("Origin", {grid.origin[2], grid.origin[1], grid.origin[0]}));
    attributes.push_back(attribute_of("Spacing", {grid.spacing[2], grid.spacing[1], grid.spacing[0]}));
    attributes.push_back(attribute_of("Direction", {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}));
    for (std::size_t v = 0; v < all_.variables.size(); ++v) {
      if (grid.centering[v] == image::Centering::none) {
        add_number(v);
        continue;
      }
      const bool is_at_cells = grid.centering[v] == image::Centering::cells;
      // VTK expects no dimensions of one point before the others, and none of time if there is one step.
      Shape shape;
      if (has_steps_ && steps_ > 1) shape.push_back(steps_of(all_.variables[v]));
      for (std::size_t d = z > 1 ? 0 : y > 1 ? 1 : 2; d < grid.shape.size(); ++d)
        shape.push_back(is_at_cells ? grid.shape[d] - 1 : grid.shape[d]);
      if (grid.components[v] > 1) shape.push_back(grid.components[v]);
      add_data(v, is_at_cells, shape, 1);
    }
  }

  // Returns a variable of the mesh. Errors: usage unless it has one of these types and `dimensions` dimensions.
  [[nodiscard]] const Variable& mesh_variable(const char* name, std::size_t dimensions,
                                              std::initializer_list<ElementType> types) const {
    const Variable& found = all_.variables[all_.variable_named(name)];
    if (found.dimensions.size() == dimensions && !all_.has_steps(found) &&
        std::ranges::find(types, found.type) != types.end())
      return found;
    refuse_vtkhdf(
        fmt::format("variable {} is not that of an unstructured grid", name),
        "describe, without steps: Points (points, 3) as f4 or f8, Connectivity and Offsets (cells + 1) as i8, "
        "Types (cells) as u1; for several partitions also NumberOfPoints, NumberOfCells and NumberOfConnectivityIds "
        "(partitions) as i8, and Offsets (cells + partitions)");
  }

  void add_unstructured() {
    const Variable& points = mesh_variable("Points", 2, {ElementType::f4, ElementType::f8});
    const Variable& connectivity = mesh_variable("Connectivity", 1, {ElementType::i8});
    const Variable& offsets = mesh_variable("Offsets", 1, {ElementType::i8});
    const Variable& types = mesh_variable("Types", 1, {ElementType::u1});
    const std::int64_t point_count = all_.shape_of(points)[0];
    const std::int64_t cell_count = all_.shape_of(types)[0];
    const std::int64_t parts = partitions();
    if (all_.shape_of(points)[1] != 3 || all_.shape_of(offsets)[0] != cell_count + parts) {
      refuse_vtkhdf(fmt::format("Points has {} components, and Offsets {} elements for {} cells in {} partitions",
                                all_.shape_of(points)[1], all_.shape_of(offsets)[0], cell_count, parts),
                    "give 3 components, and as many offsets as cells and partitions together");
    }
    if (!has_partitions(all_)) {
      const std::array numbers{point_count, cell_count, all_.shape_of(connectivity)[0]};
      for (std::size_t i = 0; i < numbers.size(); ++i)
        add_integers(fmt::format("{}/{}", vtk_group, part_numbers[i]), {1}, {numbers[i]});
    }
    if (has_steps_) add_partitions(parts);
    for (std::size_t v = 0; v < all_.variables.size(); ++v) {
      const Variable& each = all_.variables[v];
      const Index shape = all_.shape_of(each);
      if (&each == &points || &each == &connectivity || &each == &offsets || &each == &types ||
          (has_partitions(all_) && std::ranges::find(part_numbers, each.name) != part_numbers.end())) {
        made_.places[v] = add(fmt::format("{}/{}", vtk_group, each.name), each.type, Shape(shape.begin(), shape.end()),
                              each.attributes);
      } else if (shape.empty()) {
        add_number(v);
      } else {
        add_mesh_data(v, points.dimensions[0], types.dimensions[0]);
      }
    }
  }

  [[nodiscard]] std::int64_t partitions() const {
    if (!has_partitions(all_)) return 1;
    std::array<std::int64_t, 3> lengths{};
    for (std::size_t i = 0; i < lengths.size(); ++i)
      lengths[i] = all_.shape_of(mesh_variable(part_numbers[i], 1, {ElementType::i8}))[0];
    if (lengths[0] == lengths[1] && lengths[0] == lengths[2]) return lengths[0];
    refuse_vtkhdf(fmt::format("{} have {} elements", fmt::join(part_numbers, ", "), fmt::join(lengths, ", ")),
                  "give one of each for each partition");
  }

  // All steps have the same points and cells, in the same partitions.
  void add_partitions(std::int64_t parts) {
    add_offsets("PartOffsets", 0);
    add_integers(fmt::format("{}/NumberOfParts", steps_group), {steps_},
                 std::vector<std::int64_t>(static_cast<std::size_t>(steps_), parts));
    add_offsets("PointOffsets", 0);
    add_offsets("CellOffsets", 0, true);
    add_offsets("ConnectivityIdOffsets", 0, true);
  }

  void add_mesh_data(std::size_t v, const std::string& points, const std::string& cells) {
    const Variable& variable = all_.variables[v];
    const Index shape = all_.shape_of(variable);
    const std::string& first = variable.dimensions[all_.has_steps(variable) ? 1 : 0];
    if (shape.size() > 2 || (first != points && first != cells)) {
      refuse_vtkhdf(fmt::format("variable {} is neither over the points ({}) nor over the cells ({}) of the grid",
                                variable.name, points, cells),
                    "omit it, or write netCDF, HDF5 or Zarr, which store it unchanged");
    }
    Shape stored{steps_of(variable) * shape[0]};
    if (shape.size() == 2) stored.push_back(shape[1]);
    add_data(v, first != points, stored, shape[0]);
  }

  const DatasetDescription& all_;
  bool has_steps_;
  std::int64_t steps_;
  std::optional<std::size_t> time_;
  std::set<std::int64_t> lengths_;
  VtkHdf made_;
};

}  // namespace

bool is_mesh(const DatasetDescription& description) {
  return std::ranges::find(description.variables, "Connectivity", &Variable::name) != description.variables.end();
}

bool has_partitions(const DatasetDescription& description) {
  return std::ranges::find_first_of(description.variables, part_numbers, {}, &Variable::name) !=
         description.variables.end();
}

void require_read_by_vtk(const DatasetDescription& description) {
  if (is_mesh(description)) return;
  const image::VtkGrid grid = image::vtk_grid_of(description, image::VtkKind::image, false);
  const auto& [z, y, x] = grid.shape;
  const bool has_cells = std::ranges::find(grid.centering, image::Centering::cells) != grid.centering.end();
  if ((y > 1 || z == 1) && (x > 1 || !has_cells)) return;
  refuse_vtkhdf(
      fmt::format("an image of {} x {} x {} points in z, y, x: VTK reads .vtkhdf images wrong that have one point in y "
                  "and several in z, or cells and one point in x",
                  z, y, x),
      "write .vti; or describe the dimensions that have several points last");
}

VtkHdf vtkhdf_of(const DatasetDescription& description, std::int64_t steps) {
  return VtkHdfMaker(description, steps).make();
}

}  // namespace sill::hdf5
