#include "sill/formats/image/vti_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <pugixml.hpp>
#include <string_view>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/image/found_arrays.hpp"
#include "sill/formats/image/ncml.hpp"
#include "sill/formats/image/type_names.hpp"

namespace sill::image {
namespace {

constexpr const char* vti_clause = "VTK XML File Formats";
constexpr std::int64_t size_bytes = 8;  // of the size before each array
constexpr std::array<std::string_view, 3> kind_names{"ImageData", "RectilinearGrid", "StructuredGrid"};  // of VtkKind

// Returns the coordinates of a structured grid as a file stores them, without their place.
Interleaved points_of(const DatasetDescription& description, const VtkGrid& grid) {
  Interleaved points{.variables = {grid.coordinates.rbegin(), grid.coordinates.rend()}};
  for (const auto& each : grid.coordinates) {
    if (each) points.element_bytes = bytes_of(description.variables[*each].type);
  }
  points.points = grid.shape[0] * grid.shape[1] * grid.shape[2];
  return points;
}

std::string_view vtk_name(const Variable& variable) {
  const std::string_view name = names_of(variable.type).vtk;
  if (!name.empty()) return name;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("variable {} is text, but VTK files cannot store arrays of text", variable.name),
               .action = "omit it, or write netCDF"});
}

std::string size_word(std::int64_t bytes) {
  std::string word(size_bytes, '\0');
  store(reinterpret_cast<std::byte*>(word.data()), static_cast<std::uint64_t>(bytes), ByteOrder::little);
  return word;
}

class VtiParser {
 public:
  VtiParser(std::int64_t file_bytes, const std::string& path)
      : file_bytes_(file_bytes), path_(path), found_(path_, vti_clause) {}

  [[nodiscard]] ImageContents parse(const std::string& text, std::int64_t arrays_begin) {
    pugi::xml_document document;
    if (!document.load_string((text + "</VTKFile>").c_str())) refuse("its XML is damaged");
    const pugi::xml_node file = document.child("VTKFile");
    const std::string type = file.attribute("type").value();
    const auto kind = std::ranges::find(kind_names, type);
    if (kind == kind_names.end()) {
      refuse(fmt::format("it is a VTK file of type {:?}", echoed(type, 40)),
             "give a file of type ImageData, RectilinearGrid or StructuredGrid");
    }
    contents_.kind = static_cast<VtkKind>(kind - kind_names.begin());
    const std::string ncml = ncml_in(text);
    if (contents_.kind != VtkKind::image && ncml.empty()) {
      refuse(fmt::format("it is a VTK file of type {} that Sill did not write", type), "give a file of type ImageData");
    }
    if (file.attribute("compressor")) refuse("its arrays are compressed", "write them without compression");
    const std::string_view size_type = file.attribute("header_type").as_string("UInt32");
    if (size_type != "UInt32" && size_type != "UInt64") refuse("header_type is neither UInt32 nor UInt64");
    arrays_begin_ = arrays_begin + (size_type == "UInt32" ? 4 : 8);  // after the size that precedes an array
    const std::string_view order = file.attribute("byte_order").value();
    contents_.order = order == "BigEndian" ? ByteOrder::big : ByteOrder::little;
    const pugi::xml_node data = file.child(type.c_str());
    const pugi::xml_node piece = data.child("Piece");
    if (!piece || piece.next_sibling("Piece"))
      refuse("it does not have exactly one piece", "give a file with one piece");
    if (!ncml.empty()) found_.describe(ncml);
    take_extent(data, piece);
    take_arrays(piece.child("PointData"), "", 0);
    take_arrays(piece.child("CellData"), "cells_", 1);
    take_fields(data.child("FieldData"));
    for (const pugi::xml_node array : piece.child("Coordinates").children("DataArray")) {
      if (array.attribute("Name")) take(array, {});  // others are those of missing dimensions
    }
    if (contents_.kind == VtkKind::structured) take_points(piece.child("Points").child("DataArray"));
    if (!found_.is_described() && piece.child("PointData").child("DataArray")) {
      found_.set_grid(doubles_in(data.attribute("Origin").value()), doubles_in(data.attribute("Spacing").value()));
    }
    contents_.description = found_.checked_description();
    contents_.is_described = found_.is_described();
    contents_.begins.resize(contents_.description.variables.size());
    return std::move(contents_);
  }

 private:
  [[noreturn]] void refuse(std::string problem, std::string action = "get an intact copy of the file") const {
    refuse_image(path_, vti_clause, std::move(problem), std::move(action));
  }

  void take_extent(pugi::xml_node data, pugi::xml_node piece) {
    const auto extent = integers_in(data.attribute("WholeExtent").value());
    if (!extent || extent->size() != 6) refuse("WholeExtent is not six numbers");
    if (extent != integers_in(piece.attribute("Extent").value())) {
      refuse("its piece is only a part of the grid", "give a file with the complete grid");
    }
    for (std::size_t d = 0; d < 3; ++d) {
      const std::int64_t first = (*extent)[2 * d];
      const std::int64_t last = (*extent)[2 * d + 1];
      if (first < -farthest_index || last > farthest_index || first > last) refuse("its grid has no points");
      points_[2 - d] = last - first + 1;
    }
  }

  // Returns an attribute that determines the shape of an array of another program.
  [[nodiscard]] std::int64_t count_of(pugi::xml_node array, const char* attribute) const {
    const auto count = integer_of(array.attribute(attribute).as_string(nullptr), 1);
    if (!count || *count < 1) {
      refuse(fmt::format("array {:?} has {} {:?}", echoed(array.attribute("Name").value(), 80), attribute,
                         echoed(array.attribute(attribute).value(), 40)));
    }
    return *count;
  }

  void take(pugi::xml_node array, std::vector<std::pair<std::string, std::int64_t>> shape) {
    const std::string name = array.attribute("Name").value();
    const std::string type_name = array.attribute("type").value();
    const auto type = type_named(&TypeNames::vtk, type_name);
    if (!type) {
      refuse(fmt::format("array {:?} is of type {:?}", echoed(name, 80), echoed(type_name, 40)),
             "give files with arrays of numbers");
    }
    if (!found_.is_described()) {
      const std::int64_t components = count_of(array, "NumberOfComponents");
      if (components > 1) shape.emplace_back("components", components);
      found_.add(name, *type, shape);
    }
    const std::size_t number = found_.find(name, *type);
    const std::string_view format = array.attribute("format").value();
    const auto offset = integer_of(array.attribute("offset").as_string(nullptr), -1);
    if (format != "appended" || !offset || *offset < 0) {
      refuse(fmt::format("array {:?} has format {:?}", echoed(name, 80), echoed(format, 40)),
             "write arrays as appended data in raw encoding");
    }
    std::int64_t begin = 0;
    std::int64_t end = 0;
    const std::int64_t bytes = found_.description().element_bytes(found_.description().variables[number]);
    if (__builtin_add_overflow(arrays_begin_, *offset, &begin) || __builtin_add_overflow(begin, bytes, &end) ||
        end > file_bytes_) {
      refuse(fmt::format("the file ends within array {:?}", echoed(name, 80)));
    }
    contents_.begins.resize(found_.description().variables.size());
    contents_.begins[number] = begin;
  }

  void take_arrays(pugi::xml_node of, const std::string& prefix, std::int64_t fewer) {
    for (const pugi::xml_node array : of.children("DataArray")) {
      std::vector<std::pair<std::string, std::int64_t>> shape;
      for (std::size_t d = 0; d < 3; ++d) {
        shape.emplace_back(prefix + "zyx"[d], std::max<std::int64_t>(1, points_[d] - fewer));
      }
      take(array, std::move(shape));
    }
  }

  // Takes the interleaved coordinates of a file that Sill wrote.
  void take_points(pugi::xml_node array) {
    const DatasetDescription& description = found_.description();
    VtkGrid grid;
    try {
      grid = vtk_grid_of(found_.checked_description(), VtkKind::structured, true);
    } catch (const Error& error) {
      refuse(error.parts().problem);
    }
    const auto offset = integer_of(array.attribute("offset").as_string(nullptr), -1);
    contents_.points = points_of(description, grid);
    Interleaved& points = contents_.points;
    std::int64_t end = 0;
    if (!offset || *offset < 0 || __builtin_add_overflow(arrays_begin_, *offset, &points.begin) ||
        __builtin_mul_overflow(points.points, 3 * points.element_bytes, &end) ||
        __builtin_add_overflow(points.begin, end, &end) || end > file_bytes_) {
      refuse("the file ends within its points");
    }
    contents_.begins.resize(description.variables.size());
    for (std::size_t c = 0; c < points.variables.size(); ++c) {
      if (points.variables[c])
        contents_.begins[*points.variables[c]] = points.begin + static_cast<std::int64_t>(c) * points.element_bytes;
    }
  }

  void take_fields(pugi::xml_node of) {
    for (const pugi::xml_node array : of.children("DataArray")) {
      take(array, {{fmt::format("{}_tuples", array.attribute("Name").value()), count_of(array, "NumberOfTuples")}});
    }
  }

  std::int64_t file_bytes_;
  const std::string& path_;
  FoundArrays found_;
  std::int64_t arrays_begin_ = 0;
  std::array<std::int64_t, 3> points_{};  // of z, y, x
  ImageContents contents_;
};

// Makes the text before the arrays, and finds the offsets of the arrays after the text, each after its size.
class Layout {
 public:
  Layout(const DatasetDescription& all, const VtkGrid& grid, bool of_steps, const LeftOut& left_out)
      : all_(all), grid_(grid), of_steps_(of_steps), left_out_(left_out) {
    file.begins.resize(all.variables.size());
    for (std::size_t v = 0; v < all.variables.size(); ++v) add(v);
    const bool has_arrays = all.has_steps() == of_steps;
    if (grid.kind == VtkKind::rectilinear && has_arrays) add_coordinates();
    if (grid.kind == VtkKind::structured && has_arrays) add_points();
    finish();
  }

  ImageFile file = {};  // `texts` are those after the first one; places are offsets
  std::string text = {};

 private:
  [[nodiscard]] bool is_in(const Variable& variable) const {
    return (grid_.has_coordinates() ? all_.has_steps() : all_.has_steps(variable)) == of_steps_;
  }

  [[nodiscard]] std::string array(std::string_view type, const std::string& name, const std::string& shape) const {
    return fmt::format("\n<DataArray type=\"{}\"{} {} format=\"appended\" offset=\"{}\"/>", type,
                       name.empty() ? "" : fmt::format(" Name=\"{}\"", xml_text(name)), shape, end_);
  }

  // Adds an array of `bytes` bytes; returns its offset.
  std::int64_t add_bytes(std::int64_t bytes) {
    file.texts.push_back({end_, size_word(bytes)});
    const std::int64_t begin = end_ + size_bytes;
    end_ = aligned(end_of(begin, bytes));
    return begin;
  }

  void add(std::size_t v) {
    const Variable& variable = all_.variables[v];
    const std::string_view type = vtk_name(variable);
    const Centering centering = grid_.centering[v];
    if (!is_in(variable) || (centering == Centering::coordinates && grid_.kind != VtkKind::image)) return;
    const bool is_on_grid = centering == Centering::points || centering == Centering::cells;
    const std::int64_t bytes = all_.element_bytes(variable);
    const std::string made = array(type, variable.name,
                                   is_on_grid ? fmt::format(R"(NumberOfComponents="{}")", grid_.components[v])
                                              : fmt::format(R"(NumberOfTuples="{}")", bytes / bytes_of(variable.type)));
    if (is_left_out(left_out_, v)) {
      left_out_bytes_ += made.size();
    } else {
      (!is_on_grid ? fields_ : centering == Centering::points ? points_ : cells_) += made;
    }
    file.begins[v] = add_bytes(bytes);
  }

  // Adds the coordinates of x, y and z. A missing dimension has one.
  void add_coordinates() {
    geometry_ = "<Coordinates>";
    for (std::size_t axis = 3; axis-- > 0;) {
      const std::optional<std::size_t> v = grid_.coordinates[axis];
      const std::int64_t bytes = v ? all_.element_bytes(all_.variables[*v]) : 8;
      geometry_ += v ? array(vtk_name(all_.variables[*v]), all_.variables[*v].name, R"(NumberOfComponents="1")")
                     : array("Float64", "", R"(NumberOfComponents="1")");
      const std::int64_t begin = add_bytes(bytes);
      if (v) {
        file.begins[*v] = begin;
      } else {
        file.texts.push_back({begin, std::string(8, '\0')});
      }
    }
    geometry_ += "\n</Coordinates>\n";
  }

  void add_points() {
    file.points = points_of(all_, grid_);
    Interleaved& points = file.points;
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(points.points, 3 * points.element_bytes, &bytes))
      (void)end_of(std::numeric_limits<std::int64_t>::max(), 1);
    geometry_ = fmt::format("<Points>{}\n</Points>\n", array(vtk_name(all_.variables[*points.variables[0]]), "Points",
                                                             R"(NumberOfComponents="3")"));
    points.begin = add_bytes(bytes);
    for (std::size_t c = 0; c < points.variables.size(); ++c) {
      if (points.variables[c])
        file.begins[*points.variables[c]] = points.begin + static_cast<std::int64_t>(c) * points.element_bytes;
    }
  }

  void finish() {
    const auto& [z, y, x] = grid_.shape;
    const std::string extent = fmt::format("0 {} 0 {} 0 {}", x - 1, y - 1, z - 1);
    std::string position;
    if (grid_.kind == VtkKind::image) {
      position = fmt::format(" Origin=\"{} {} {}\" Spacing=\"{} {} {}\"", grid_.origin[2], grid_.origin[1],
                             grid_.origin[0], grid_.spacing[2], grid_.spacing[1], grid_.spacing[0]);
      constexpr std::size_t max_position = 200;  // the length does not depend on the values
      if (grid_.kind == VtkKind::image && grid_.has_coordinates()) position.resize(max_position, ' ');
    }
    const std::string_view kind = kind_names[static_cast<std::size_t>(grid_.kind)];
    text = fmt::format(
        "<?xml version=\"1.0\"?>\n"
        "<VTKFile type=\"{0}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
        "{1}\n"
        "<{0} WholeExtent=\"{2}\"{3}>\n"
        "<FieldData>{4}\n</FieldData>\n"
        "<Piece Extent=\"{2}\">\n"
        "<PointData>{5}\n</PointData>\n<CellData>{6}\n</CellData>\n{7}"
        "</Piece>\n</{0}>\n<AppendedData encoding=\"raw\">\n",
        kind, ncml_of(all_), extent, position, fields_, points_, cells_, geometry_);
    const auto bytes = static_cast<std::int64_t>(text.size() + left_out_bytes_);
    text.resize(static_cast<std::size_t>(aligned(bytes + 1) - 1), ' ');
    text += '_';
    file.texts.push_back({end_, "\n</AppendedData>\n</VTKFile>\n"});
  }

  const DatasetDescription& all_;
  const VtkGrid& grid_;
  bool of_steps_;
  const LeftOut& left_out_;
  std::string fields_;
  std::string points_;
  std::string cells_;
  std::string geometry_;
  std::size_t left_out_bytes_ = 0;
  std::int64_t end_ = 0;
};

}  // namespace

ImageFile vtk_file_of(const DatasetDescription& description, const VtkGrid& grid, bool of_steps) {
  const LeftOut none;
  Layout made(description, grid, of_steps, none);
  ImageFile file = std::move(made.file);
  const std::int64_t begin = std::ssize(made.text);
  for (ImageFile::Text& each : file.texts) each.offset_bytes = end_of(begin, each.offset_bytes);
  for (auto& each : file.begins) {
    if (each) each = end_of(begin, *each);
  }
  file.points.begin += begin;
  file.texts.insert(file.texts.begin(), {0, std::move(made.text)});
  return file;
}

ImageFile vti_file_of(const DatasetDescription& description, bool of_steps) {
  return vtk_file_of(description, vtk_grid_of(description, VtkKind::image, true), of_steps);
}

std::string vtk_text_of_step(const DatasetDescription& description, const VtkGrid& grid, const LeftOut& left_out) {
  const bool of_steps = description.has_steps() || !grid.has_coordinates();
  return Layout(description, grid, of_steps, left_out).text;
}

std::optional<ImageContents> parse_vti(std::span<const std::byte> first_bytes, std::int64_t file_bytes,
                                       const std::string& path) {
  const auto refuse = [&](std::string problem) {
    refuse_image(path, vti_clause, std::move(problem), "write arrays as appended data in raw encoding");
  };
  const std::string_view text(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
  const std::size_t appended = text.find("<AppendedData");
  const std::size_t end = appended == std::string_view::npos ? appended : text.find('>', appended);
  const std::size_t mark = end == std::string_view::npos ? end : text.find('_', end);
  if (mark == std::string_view::npos) {
    if (static_cast<std::int64_t>(text.size()) < file_bytes) return std::nullopt;
    refuse("it has no appended data, or ends before them");
  }
  const std::string tag(text.substr(appended, end - appended));
  if (tag.find("encoding=\"raw\"") == std::string::npos && tag.find("encoding='raw'") == std::string::npos) {
    refuse("its appended data are not in raw encoding");
  }
  return VtiParser(file_bytes, path).parse(std::string(text.substr(0, appended)), static_cast<std::int64_t>(mark) + 1);
}

std::string pvd_text(std::span<const StepFile> steps) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" "
      "byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const StepFile& each : steps) {
    text += fmt::format("<DataSet timestep=\"{}\" file=\"{}\"/>\n", each.time, xml_text(each.path));
  }
  return text + "</Collection>\n</VTKFile>\n";
}

std::vector<StepFile> parse_pvd(const std::string& text, const std::string& path) {
  const auto refuse = [&](std::string problem) { refuse_image(path, vti_clause, std::move(problem)); };
  pugi::xml_document document;
  const pugi::xml_node collection =
      document.load_string(text.c_str()) ? document.child("VTKFile").child("Collection") : pugi::xml_node();
  if (!collection) refuse("it is not a collection of VTK files");
  std::vector<StepFile> steps;
  for (const pugi::xml_node node : collection.children("DataSet")) {
    const std::string file = node.attribute("file").value();
    const auto time = doubles_in(node.attribute("timestep").as_string("0"));
    if (file.empty() || !time || time->size() != 1) refuse("a DataSet lacks a file or a time");
    if (integer_of(node.attribute("part").as_string(nullptr), 0) != 0) refuse("a step consists of several files");
    steps.push_back({.path = file, .time = time->front()});
  }
  return steps;
}

}  // namespace sill::image
