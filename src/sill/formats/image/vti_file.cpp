#include "sill/formats/image/vti_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <pugixml.hpp>
#include <string_view>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/image/ncml.hpp"
#include "sill/formats/image/type_names.hpp"

namespace sill::image {
namespace {

constexpr const char* vtk_clause = "VTK XML File Formats";
constexpr std::int64_t size_bytes = 8;  // of the number before each array

std::string_view vtk_name(const Variable& variable) {
  const std::string_view name = names_of(variable.type).vtk;
  if (!name.empty()) return name;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("variable {} is text, of which files of VTK hold no arrays", variable.name),
               .action = "leave it out, or write netCDF"});
}

std::string size_word(std::int64_t bytes) {
  std::string word(size_bytes, '\0');
  store(reinterpret_cast<std::byte*>(word.data()), static_cast<std::uint64_t>(bytes), ByteOrder::little);
  return word;
}

class VtiParser {
 public:
  VtiParser(std::int64_t file_bytes, const std::string& path) : file_bytes_(file_bytes), path_(path) {}

  [[noreturn]] void refuse(std::string problem, std::string action = "get an intact copy of the file") const {
    throw Error({.code = ErrorCode::input,
                 .problem = std::move(problem),
                 .where = {.file = path_},
                 .clause = vtk_clause,
                 .action = std::move(action)});
  }

  [[nodiscard]] ImageContents parse(const std::string& text, std::int64_t arrays_begin) {
    arrays_begin_ = arrays_begin;
    pugi::xml_document document;
    if (!document.load_string((text + "</VTKFile>").c_str(), pugi::parse_default)) refuse("its XML is damaged");
    const pugi::xml_node file = document.child("VTKFile");
    if (std::string_view(file.attribute("type").value()) != "ImageData") {
      refuse(fmt::format("it is a file of VTK of type {:?}", echoed(file.attribute("type").value(), 40)),
             "give one of type ImageData");
    }
    if (file.attribute("compressor")) refuse("its arrays are compressed", "write them without compression");
    const std::string_view size_type = file.attribute("header_type").as_string("UInt32");
    if (size_type != "UInt32" && size_type != "UInt64") refuse("header_type is neither UInt32 nor UInt64");
    size_bytes_ = size_type == "UInt32" ? 4 : 8;
    contents_.order = std::string_view(file.attribute("byte_order").value()) == "BigEndian" ? ByteOrder::big
                                                                                             : ByteOrder::little;
    const pugi::xml_node data = file.child("ImageData");
    const pugi::xml_node piece = data.child("Piece");
    if (!piece || piece.next_sibling("Piece")) refuse("it has not one piece", "give a file with one");
    if (const pugi::xml_node described = file.child("netcdf")) {
      try {
        contents_.description = description_in(described);
      } catch (const Error& error) {
        throw_at(error, {.file = path_});
      }
      contents_.is_described = true;
      contents_.begins.resize(contents_.description.variables.size());
    }
    take_extent(data, piece);
    take_arrays(piece.child("PointData"), 0);
    take_arrays(piece.child("CellData"), 1);
    take_fields(data.child("FieldData"));
    if (!contents_.is_described) {
      try {
        require_possible(contents_.description);
      } catch (const Error& error) {
        refuse(error.parts().problem);
      }
    }
    return std::move(contents_);
  }

 private:
  [[nodiscard]] std::array<std::int64_t, 6> extent_in(pugi::xml_node node, const char* name) const {
    std::array<std::int64_t, 6> extent{};
    const std::string_view text = trimmed(node.attribute(name).value());
    const char* at = text.data();
    const char* const end = text.data() + text.size();
    for (std::int64_t& each : extent) {
      while (at < end && *at == ' ') ++at;
      const auto [next, error] = std::from_chars(at, end, each);
      if (error != std::errc() || each < -farthest_index || each > farthest_index) {
        refuse(fmt::format("{} is {:?} instead of six numbers", name, echoed(text, 80)));
      }
      at = next;
    }
    return extent;
  }

  void take_extent(pugi::xml_node data, pugi::xml_node piece) {
    const auto extent = extent_in(data, "WholeExtent");
    if (extent != extent_in(piece, "Extent")) refuse("its piece is a part of the grid", "give a file with all of it");
    for (std::size_t d = 0; d < 3; ++d) {
      points_[2 - d] = extent[2 * d + 1] - extent[2 * d] + 1;
      if (points_[2 - d] < 1) refuse("its grid has no points");
    }
  }

  // Of another program's file. The dimensions are named once they are needed.
  void describe(pugi::xml_node array, std::span<const std::pair<std::string, std::int64_t>> shape) {
    DatasetDescription& description = contents_.description;
    Variable variable{.name = array.attribute("Name").value(), .type = type_in(array)};
    for (const auto& [name, length] : shape) {
      variable.dimensions.push_back(name);
      const auto found = std::find_if(description.dimensions.begin(), description.dimensions.end(),
                                      [&](const Dimension& each) { return each.name == name; });
      if (found == description.dimensions.end()) description.dimensions.push_back({name, length});
    }
    description.variables.push_back(std::move(variable));
    contents_.begins.emplace_back();
  }

  [[nodiscard]] ElementType type_in(pugi::xml_node array) const {
    const std::string name = array.attribute("type").value();
    if (const auto type = type_named(&TypeNames::vtk, name)) return *type;
    refuse(fmt::format("array {:?} is of type {:?}", echoed(array.attribute("Name").value(), 80), echoed(name, 40)),
           "give files with arrays of numbers");
  }

  void take(pugi::xml_node array) {
    const std::string name = array.attribute("Name").value();
    const DatasetDescription& description = contents_.description;
    const auto found = std::find_if(description.variables.begin(), description.variables.end(),
                                    [&](const Variable& each) { return each.name == name; });
    if (found == description.variables.end()) refuse(fmt::format("array {:?} is not described", echoed(name, 80)));
    if (type_in(array) != found->type) refuse(fmt::format("array {:?} is of another type than described", echoed(name, 80)));
    const std::string_view format = array.attribute("format").value();
    const std::int64_t offset = array.attribute("offset").as_llong(-1);
    if (format != "appended" || offset < 0) {
      refuse(fmt::format("array {:?} has format {:?}", echoed(name, 80), echoed(format, 40)),
             "write arrays as appended data in raw encoding");
    }
    std::int64_t begin = 0;
    std::int64_t end = 0;
    if (__builtin_add_overflow(arrays_begin_ + size_bytes_, offset, &begin) ||
        __builtin_add_overflow(begin, description.element_bytes(*found), &end) || end > file_bytes_) {
      refuse(fmt::format("the file ends within array {:?}", echoed(name, 80)));
    }
    contents_.begins[static_cast<std::size_t>(found - description.variables.begin())] = begin;
  }

  void take_arrays(pugi::xml_node of, std::int64_t of_cells) {
    for (const pugi::xml_node array : of.children("DataArray")) {
      if (!contents_.is_described) {
        std::vector<std::pair<std::string, std::int64_t>> shape;
        for (std::size_t d = 0; d < 3; ++d) {
          const std::string axis(1, "zyx"[d]);
          shape.emplace_back(of_cells == 0 ? axis : "cells_" + axis, std::max<std::int64_t>(1, points_[d] - of_cells));
        }
        const std::int64_t components = array.attribute("NumberOfComponents").as_llong(1);
        if (components > 1) shape.emplace_back(fmt::format("components_{}", components), components);
        describe(array, shape);
      }
      take(array);
    }
  }

  void take_fields(pugi::xml_node of) {
    for (const pugi::xml_node array : of.children("DataArray")) {
      if (!contents_.is_described) {
        const std::string name = array.attribute("Name").value();
        std::vector<std::pair<std::string, std::int64_t>> shape;
        shape.emplace_back(name + "_tuples", array.attribute("NumberOfTuples").as_llong(1));
        const std::int64_t components = array.attribute("NumberOfComponents").as_llong(1);
        if (components > 1) shape.emplace_back(fmt::format("components_{}", components), components);
        describe(array, shape);
      }
      take(array);
    }
  }

  std::int64_t file_bytes_;
  const std::string& path_;
  std::int64_t arrays_begin_ = 0;
  std::int64_t size_bytes_ = 4;
  std::array<std::int64_t, 3> points_{};  // of z, y, x
  ImageContents contents_;
};

}  // namespace

ImageFile vti_file_of(const DatasetDescription& description, bool of_steps) {
  const ImageGrid grid = grid_of(description);
  ImageFile file;
  file.begins.resize(description.variables.size());
  std::vector<std::int64_t> offsets(description.variables.size());
  std::string points;
  std::string fields;
  std::int64_t offset = 0;
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    const Variable& variable = description.variables[v];
    const std::string_view type = vtk_name(variable);
    if (description.has_steps(variable) != of_steps) continue;
    const std::int64_t bytes = description.element_bytes(variable);
    const auto components = components_of(description, variable, grid);
    const std::string shape = components ? fmt::format(R"(NumberOfComponents="{}")", *components)
                                         : fmt::format(R"(NumberOfTuples="{}")", bytes / bytes_of(variable.type));
    (components ? points : fields) +=
        fmt::format("\n<DataArray type=\"{}\" Name=\"{}\" {} format=\"appended\" offset=\"{}\"/>", type,
                    xml_text(variable.name), shape, offset);
    offsets[v] = offset;
    file.begins[v] = offset + size_bytes;
    offset = aligned(end_of(offset, end_of(bytes, size_bytes)));
  }
  const auto& [z, y, x] = grid.shape;
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", x - 1, y - 1, z - 1);
  std::string text = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n"
      "{}\n"
      "<ImageData WholeExtent=\"{}\" Origin=\"{} {} {}\" Spacing=\"{} {} {}\">\n"
      "<FieldData>{}\n</FieldData>\n"
      "<Piece Extent=\"{}\">\n"
      "<PointData>{}\n</PointData>\n<CellData>\n</CellData>\n"
      "</Piece>\n</ImageData>\n<AppendedData encoding=\"raw\">\n",
      ncml_of(description), extent, grid.origin[2], grid.origin[1], grid.origin[0], grid.spacing[2], grid.spacing[1],
      grid.spacing[0], fields, extent, points);
  text.resize(static_cast<std::size_t>(aligned(static_cast<std::int64_t>(text.size()) + 1) - 1), ' ');
  text += '_';
  const auto begin = static_cast<std::int64_t>(text.size());
  file.texts.push_back({0, std::move(text)});
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    if (!file.begins[v]) continue;
    file.begins[v] = end_of(begin, *file.begins[v]);
    file.texts.push_back({begin + offsets[v], size_word(description.element_bytes(description.variables[v]))});
  }
  file.texts.push_back({end_of(begin, offset), "\n</AppendedData>\n</VTKFile>\n"});
  return file;
}

std::optional<ImageContents> parse_vti(std::span<const std::byte> first_bytes, std::int64_t file_bytes,
                                       const std::string& path) {
  VtiParser parser(file_bytes, path);
  const std::string_view text(reinterpret_cast<const char*>(first_bytes.data()), first_bytes.size());
  const std::size_t appended = text.find("<AppendedData");
  const std::size_t end = appended == std::string_view::npos ? appended : text.find('>', appended);
  const std::size_t mark = end == std::string_view::npos ? end : text.find('_', end);
  if (mark == std::string_view::npos) {
    if (static_cast<std::int64_t>(text.size()) < file_bytes) return std::nullopt;
    parser.refuse("it has no appended data, or ends before that", "write arrays as appended data in raw encoding");
  }
  if (text.substr(appended, end - appended).find("raw") == std::string_view::npos) {
    parser.refuse("its appended data are not in raw encoding", "write them so");
  }
  return parser.parse(std::string(text.substr(0, appended)), static_cast<std::int64_t>(mark) + 1);
}

std::string pvd_text(std::span<const StepFile> steps) {
  std::string text =
      "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n";
  for (const StepFile& each : steps) {
    text += fmt::format("<DataSet timestep=\"{}\" file=\"{}\"/>\n", each.time, xml_text(each.path));
  }
  return text + "</Collection>\n</VTKFile>\n";
}

std::vector<StepFile> parse_pvd(const std::string& text, const std::string& path) {
  const VtiParser parser(static_cast<std::int64_t>(text.size()), path);
  pugi::xml_document document;
  const pugi::xml_node collection =
      document.load_string(text.c_str()) ? document.child("VTKFile").child("Collection") : pugi::xml_node();
  if (!collection) parser.refuse("it is no collection of VTK files");
  std::vector<StepFile> steps;
  for (const pugi::xml_node node : collection.children("DataSet")) {
    const std::string file = node.attribute("file").value();
    if (file.empty()) parser.refuse("a DataSet names no file");
    steps.push_back({file, node.attribute("timestep").as_double()});
  }
  return steps;
}

}  // namespace sill::image
