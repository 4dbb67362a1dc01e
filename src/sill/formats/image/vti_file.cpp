#include "sill/formats/image/vti_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
    if (type != "ImageData") {
      refuse(fmt::format("it is a VTK file of type {:?}", echoed(type, 40)), "give a file of type ImageData");
    }
    if (file.attribute("compressor")) refuse("its arrays are compressed", "write them without compression");
    const std::string_view size_type = file.attribute("header_type").as_string("UInt32");
    if (size_type != "UInt32" && size_type != "UInt64") refuse("header_type is neither UInt32 nor UInt64");
    arrays_begin_ = arrays_begin + (size_type == "UInt32" ? 4 : 8);  // after the size that precedes an array
    const std::string_view order = file.attribute("byte_order").value();
    contents_.order = order == "BigEndian" ? ByteOrder::big : ByteOrder::little;
    const pugi::xml_node data = file.child("ImageData");
    const pugi::xml_node piece = data.child("Piece");
    if (!piece || piece.next_sibling("Piece"))
      refuse("it does not have exactly one piece", "give a file with one piece");
    if (const std::string ncml = ncml_in(text); !ncml.empty()) found_.describe(ncml);
    take_extent(data, piece);
    take_arrays(piece.child("PointData"), "", 0);
    take_arrays(piece.child("CellData"), "cells_", 1);
    take_fields(data.child("FieldData"));
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

// The text before the arrays, and the offsets of the arrays after the text, each after its size.
struct Laid {
  std::string text = {};
  std::vector<std::optional<std::int64_t>> offsets = {};
  std::int64_t end = 0;
};

Laid lay(const DatasetDescription& description, bool of_steps, const LeftOut& left_out) {
  const ImageGrid grid = grid_of(description);
  Laid laid{.offsets = std::vector<std::optional<std::int64_t>>(description.variables.size())};
  std::string points;
  std::string fields;
  std::size_t left_out_bytes = 0;
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    const Variable& variable = description.variables[v];
    const std::string_view type = vtk_name(variable);
    if (description.has_steps(variable) != of_steps) continue;
    const std::int64_t bytes = description.element_bytes(variable);
    const auto components = components_of(description, variable, grid);
    const std::string shape = components ? fmt::format(R"(NumberOfComponents="{}")", *components)
                                         : fmt::format(R"(NumberOfTuples="{}")", bytes / bytes_of(variable.type));
    const std::string array = fmt::format("\n<DataArray type=\"{}\" Name=\"{}\" {} format=\"appended\" offset=\"{}\"/>",
                                          type, xml_text(variable.name), shape, laid.end);
    if (is_left_out(left_out, v)) {
      left_out_bytes += array.size();
    } else {
      (components ? points : fields) += array;
    }
    laid.offsets[v] = laid.end;
    laid.end = aligned(end_of(laid.end, end_of(bytes, size_bytes)));
  }
  const auto& [z, y, x] = grid.shape;
  const std::string extent = fmt::format("0 {} 0 {} 0 {}", x - 1, y - 1, z - 1);
  laid.text = fmt::format(
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
  const auto bytes = static_cast<std::int64_t>(laid.text.size() + left_out_bytes);
  laid.text.resize(static_cast<std::size_t>(aligned(bytes + 1) - 1), ' ');
  laid.text += '_';
  return laid;
}

}  // namespace

ImageFile vti_file_of(const DatasetDescription& description, bool of_steps) {
  Laid laid = lay(description, of_steps, {});
  ImageFile file{.begins = std::vector<std::optional<std::int64_t>>(description.variables.size())};
  const auto begin = static_cast<std::int64_t>(laid.text.size());
  file.texts.push_back({0, std::move(laid.text)});
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    if (!laid.offsets[v]) continue;
    file.begins[v] = end_of(begin, *laid.offsets[v] + size_bytes);
    file.texts.push_back({begin + *laid.offsets[v], size_word(description.element_bytes(description.variables[v]))});
  }
  file.texts.push_back({end_of(begin, laid.end), "\n</AppendedData>\n</VTKFile>\n"});
  return file;
}

std::string vti_text_of_step(const DatasetDescription& description, const LeftOut& left_out) {
  return lay(description, true, left_out).text;
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
