#include "sill/formats/image/tecplot_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/image/found_arrays.hpp"
#include "sill/formats/image/ncml.hpp"

namespace sill::image {
namespace {

constexpr std::string_view magic = "#!TDV112";
constexpr const char* tecplot_clause = "Tecplot Data Format Guide, version 112";
constexpr std::string_view ncml_name = "sill_ncml";
constexpr const char* nodes_name = "connectivity";
constexpr std::int64_t nodes_of_brick = 8;
constexpr float zone_marker = 299;
constexpr float auxiliary_marker = 799;
constexpr float header_end_marker = 357;
constexpr std::array<std::string_view, 3> coordinate_names{"Z", "Y", "X"};

[[noreturn]] void refuse_tecplot(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

// Collects the words of a header.
class Words {
 public:
  template <class T>
  void add(T value) {
    bytes_.resize(bytes_.size() + sizeof(T));
    store(reinterpret_cast<std::byte*>(bytes_.data() + bytes_.size() - sizeof(T)), value, ByteOrder::little);
  }
  void numbers(std::initializer_list<std::int64_t> values) {
    for (const std::int64_t each : values) add(static_cast<std::int32_t>(each));
  }
  void text(std::string_view text) {
    for (const char each : text) add(std::int32_t{static_cast<unsigned char>(each)});
    add(std::int32_t{0});
  }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(bytes_.size()); }
  [[nodiscard]] std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_{magic};
};

std::int64_t format_of(const Variable& variable) {
  switch (variable.type) {
    case ElementType::f4: return 1;
    case ElementType::f8: return 2;
    case ElementType::i4: return 3;
    case ElementType::i2: return 4;
    case ElementType::u1: return 5;
    default: break;
  }
  refuse_tecplot(fmt::format("variable {} is of type {}, which Tecplot lacks", variable.name, name_of(variable.type)),
                 "give f4, f8, i4, i2 or u1, or write netCDF");
}

// The contents of a file, by index in the description.
struct Zone {
  ImageGrid grid;
  std::optional<std::size_t> time;
  std::optional<std::size_t> connectivity;
  std::vector<std::size_t> variables;  // at points
  PointCoordinates coordinates;
};

// Returns f4 if that represents all coordinates exactly, else f8.
ElementType type_of(const ImageGrid& grid, const std::vector<std::size_t>& made) {
  for (const std::size_t d : made) {
    for (std::int64_t i = 0; i < grid.shape[d]; ++i) {
      const double value = grid.origin[d] + static_cast<double>(i) * grid.spacing[d];
      if (double{static_cast<float>(value)} != value) return ElementType::f8;
    }
  }
  return ElementType::f4;
}

Zone zone_of(const DatasetDescription& description) {
  Zone zone;
  zone.time = time_variable(description);
  zone.connectivity = connectivity_of(description);
  DatasetDescription at_points = description;
  if (zone.connectivity)
    at_points.variables.erase(at_points.variables.begin() + static_cast<std::ptrdiff_t>(*zone.connectivity));
  zone.grid = grid_of(at_points);
  constexpr std::int64_t max = std::numeric_limits<std::int32_t>::max();
  if (zone.grid.dimensions.empty() || std::ranges::max(zone.grid.shape) > max) {
    refuse_tecplot(zone.grid.dimensions.empty() ? "no variable is at points, but a Tecplot file consists of points"
                                                : fmt::format("Tecplot supports at most {} points per direction", max),
                   "write netCDF");
  }
  std::vector<bool> is_variable(coordinate_names.size());
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    const Variable& variable = description.variables[v];
    (void)format_of(variable);
    if (v == zone.time) {
      if (variable.type == ElementType::f8) continue;
      refuse_tecplot(
          fmt::format("variable {}, the solution time, is of type {}", variable.name, name_of(variable.type)),
          "use type f8");
    }
    if (v == zone.connectivity) continue;
    const auto components = components_of(description, variable, zone.grid);
    if (components != 1 && components) {
      refuse_tecplot(
          fmt::format("variable {} has {} components", variable.name, *components),
          "describe each component as a variable; a part with strides selects a component from their common array");
    }
    if (!components) {
      refuse_tecplot(fmt::format("variable {} does not have the points of the grid, {}", variable.name,
                                 fmt::join(zone.grid.dimensions, " x ")),
                     "omit it, or write netCDF, which stores it unchanged");
    }
    for (std::size_t d = 0; d < coordinate_names.size(); ++d) {
      const char upper = coordinate_names[d].front();
      if (variable.name.size() == 1 && (variable.name[0] & ~0x20) == upper) is_variable[d] = true;
    }
    zone.variables.push_back(v);
  }
  zone.coordinates.grid = zone.grid;
  const std::size_t dimensions = zone.connectivity ? coordinate_names.size() : zone.grid.dimensions.size();
  for (std::size_t d = coordinate_names.size(); d-- > coordinate_names.size() - dimensions;) {
    if (!is_variable[d]) zone.coordinates.made.push_back(d);
  }
  if (zone.connectivity && !zone.coordinates.made.empty()) {
    refuse_tecplot(fmt::format("the variable {} with the coordinates of nodes is missing",
                               coordinate_names[zone.coordinates.made.front()]),
                   "write X, Y and Z, with the dimension of the nodes");
  }
  zone.coordinates.type = type_of(zone.grid, zone.coordinates.made);
  return zone;
}

// The positions of the solution time and the ranges in the header.
struct HeaderPlaces {
  std::int64_t time = 0;
  std::int64_t ranges = 0;
};

std::string header_of(const DatasetDescription& description, const Zone& zone, const TecplotValues& values,
                      HeaderPlaces& places) {
  const auto range_of = [&](std::size_t v) { return v < values.ranges.size() ? values.ranges[v] : ValueRange(); };
  const auto shape_of_elements = [&] { return description.shape_of(description.variables[*zone.connectivity]); };
  const auto count = static_cast<std::int64_t>(zone.coordinates.made.size() + zone.variables.size());
  const auto title = std::ranges::find(description.attributes, "title", &Attribute::name);
  Words words;
  words.numbers({1, 0});  // the byte order; grid and solution
  words.text(title == description.attributes.end() ? std::string() : title->text());
  words.numbers({count});
  for (const std::size_t d : zone.coordinates.made) words.text(coordinate_names[d]);
  for (const std::size_t v : zone.variables) words.text(description.variables[v].name);
  words.add(zone_marker);
  words.text("grid");
  words.numbers({-1, description.has_steps() ? 1 : -1});  // no parent; the strand
  places.time = words.size();
  words.add(zone.time ? range_of(*zone.time).min : values.time);
  words.numbers({-1, zone.connectivity ? 5 : 0, 0, 0, 0});  // color; bricks or ordered; at nodes; no neighbours
  if (zone.connectivity) {
    words.numbers({zone.coordinates.points(), shape_of_elements()[0], 0, 0, 0});
  } else {
    words.numbers({zone.grid.shape[2], zone.grid.shape[1], zone.grid.shape[0]});
  }
  words.numbers({0});  // no auxiliary data of the zone
  words.add(auxiliary_marker);
  words.text(ncml_name);
  words.numbers({0});
  words.text(ncml_of(description));
  words.add(header_end_marker);
  words.add(zone_marker);
  for (std::size_t i = 0; i < zone.coordinates.made.size(); ++i)
    words.numbers({zone.coordinates.type == ElementType::f4 ? 1 : 2});
  for (const std::size_t v : zone.variables) words.numbers({format_of(description.variables[v])});
  words.numbers({0, 0, -1});  // none is passive, and none is shared with another zone
  places.ranges = words.size();
  const auto add_range = [&](const ValueRange& range) {
    const bool has_values = range.min <= range.max;
    words.add(has_values ? range.min : 0.0);
    words.add(has_values ? range.max : 0.0);
  };
  for (const std::size_t d : zone.coordinates.made) {
    const double first = zone.grid.origin[d];
    add_range({first, first + static_cast<double>(zone.grid.shape[d] - 1) * zone.grid.spacing[d]});
  }
  for (const std::size_t v : zone.variables) add_range(range_of(v));
  return words.take();
}

TecplotFile lay_out(const DatasetDescription& description, const TecplotValues& values, HeaderPlaces& places) {
  const Zone zone = zone_of(description);
  TecplotFile made;
  made.coordinates = zone.coordinates;
  made.file.begins.resize(description.variables.size());
  made.file.texts.push_back({0, header_of(description, zone, values, places)});
  const std::int64_t header_bytes = std::ssize(made.file.texts.front().bytes);
  const std::int64_t coordinates = zone.coordinates.elements() * bytes_of(zone.coordinates.type);
  made.end = end_of(header_bytes, coordinates);
  const auto place = [&](std::size_t v) {
    made.file.begins[v] = made.end;
    made.end = end_of(made.end, description.element_bytes(description.variables[v]));
  };
  for (const std::size_t v : zone.variables) place(v);
  if (zone.connectivity) place(*zone.connectivity);
  if (zone.time) made.file.begins[*zone.time] = places.time;
  return made;
}

// Returns the characters of a header, which are stored as one int32 each.
std::string characters_of(std::span<const std::byte> bytes) {
  std::string characters;
  for (std::size_t at = magic.size(); at + 4 <= bytes.size(); at += 4) {
    const auto word = load<std::uint32_t>(bytes.data() + at, ByteOrder::little);
    characters += word < 256 ? static_cast<char>(word) : '\0';
  }
  return characters;
}

}  // namespace

void CoordinateEncoder::fill(ByteRange range, std::span<std::byte> bytes) const {
  const auto size = static_cast<std::size_t>(bytes_of(of_.type));
  const std::int64_t points = of_.points();
  const auto& shape = of_.grid.shape;
  std::array<std::byte, 8> element{};
  auto within = static_cast<std::size_t>(range.offset) % size;
  for (std::int64_t e = first_ + range.offset / static_cast<std::int64_t>(size); !bytes.empty(); ++e) {
    const std::size_t d = of_.made[static_cast<std::size_t>(e / points)];
    std::int64_t index = e % points;
    for (std::size_t inner = shape.size(); --inner > d;) index /= shape[inner];
    const double value = of_.grid.origin[d] + static_cast<double>(index % shape[d]) * of_.grid.spacing[d];
    if (of_.type == ElementType::f4) {
      store(element.data(), static_cast<float>(value), ByteOrder::little);
    } else {
      store(element.data(), value, ByteOrder::little);
    }
    const std::size_t count = std::min(size - within, bytes.size());
    std::memcpy(bytes.data(), element.data() + within, count);
    bytes = bytes.subspan(count);
    within = 0;
  }
}

std::optional<std::size_t> connectivity_of(const DatasetDescription& description) {
  const auto found = std::ranges::find(description.variables, nodes_name, &Variable::name);
  if (found == description.variables.end() || found->type != ElementType::i4) return std::nullopt;
  const Index shape = description.shape_of(*found);
  if (shape.size() != 2 || shape[1] != nodes_of_brick) return std::nullopt;
  return static_cast<std::size_t>(found - description.variables.begin());
}

void require_nodes(const DatasetDescription& description, std::span<const ValueRange> ranges) {
  const auto v = connectivity_of(description);
  if (!v) return;
  const auto nodes = static_cast<double>(zone_of(description).coordinates.points());
  if (ranges[*v].min >= 0 && ranges[*v].max < nodes) return;
  refuse_tecplot(
      fmt::format("variable {} names nodes {} to {}, of {}", nodes_name, ranges[*v].min, ranges[*v].max, nodes),
      "count nodes from 0");
}

TecplotFile tecplot_file_of(const DatasetDescription& description, const TecplotValues& values) {
  HeaderPlaces places;
  return lay_out(description, values, places);
}

bool is_tecplot(std::span<const std::byte> first_bytes) {
  return first_bytes.size() >= magic.size() && std::memcmp(first_bytes.data(), magic.data(), magic.size()) == 0;
}

std::optional<ImageContents> parse_tecplot(std::span<const std::byte> first_bytes, std::int64_t file_bytes,
                                           const std::string& path) {
  const bool is_all = std::ssize(first_bytes) >= file_bytes;
  const std::string ncml = ncml_in(characters_of(first_bytes));
  if (ncml.empty()) {
    if (!is_all) return std::nullopt;
    refuse_image(path, tecplot_clause, "it has no description by Sill; Sill reads only Tecplot files that it wrote",
                 "give a file that Sill wrote");
  }
  ImageContents contents{.description = description_in(ncml), .is_described = true};
  HeaderPlaces places;
  TecplotFile file = lay_out(contents.description, {}, places);
  std::string& header = file.file.texts.front().bytes;
  if (first_bytes.size() < header.size() && !is_all) return std::nullopt;
  if (file.end != file_bytes) {
    refuse_image(path, tecplot_clause, fmt::format("it has {} of {} bytes", file_bytes, file.end));
  }
  // Fields that depend on values are copied from the file.
  const auto copy_value = [&](std::int64_t at, std::size_t count) {
    std::memcpy(header.data() + at, first_bytes.data() + at, count);
  };
  copy_value(places.time, 8);
  copy_value(places.ranges, header.size() - static_cast<std::size_t>(places.ranges));
  if (std::memcmp(header.data(), first_bytes.data(), header.size()) != 0) {
    refuse_image(path, tecplot_clause, "its header is damaged");
  }
  contents.begins = std::move(file.file.begins);
  return contents;
}

}  // namespace sill::image
