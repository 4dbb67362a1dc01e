#include "sill/formats/image/raw_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <pugixml.hpp>
#include <string_view>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/image/ncml.hpp"
#include "sill/formats/image/type_names.hpp"

namespace sill::image {
namespace {

void require_type(const Variable& variable) {
  if (variable.type != ElementType::u8) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("variable {} is of type u8, which readers of XDMF take for u4", variable.name),
               .action = "make it i8, or write netCDF or .vti"});
}

// Slowest first, or with the fastest first.
template <class Numbers>
std::string reversed(const Numbers& numbers, std::size_t count) {
  return fmt::format("{}", fmt::join(numbers.rbegin(), numbers.rbegin() + static_cast<std::ptrdiff_t>(count), " "));
}

std::string attribute_xml(const DatasetDescription& description, const Variable& variable, const ImageGrid& grid,
                          const std::string& file, std::int64_t begin, ByteOrder order) {
  const auto components = components_of(description, variable, grid);
  Index shape = description.shape_of(variable);
  if (components) {
    shape.assign(grid.shape.begin(), grid.shape.end());
    if (*components > 1) shape.push_back(*components);
  }
  if (shape.empty()) shape.push_back(1);
  const char* const kind = !components || *components == 1 ? "Scalar" : *components == 3 ? "Vector" : "Matrix";
  return fmt::format(
      "<Attribute Name=\"{}\" AttributeType=\"{}\" Center=\"{}\"><DataItem Dimensions=\"{}\" NumberType=\"{}\" "
      "Precision=\"{}\" Format=\"Binary\" Endian=\"{}\" Seek=\"{}\">{}</DataItem></Attribute>\n",
      xml_text(variable.name), kind, components ? "Node" : "Grid", fmt::join(shape, " "),
      names_of(variable.type).xdmf, bytes_of(variable.type), order == ByteOrder::big ? "Big" : "Little", begin,
      xml_text(file));
}

class XdmfParser {
 public:
  explicit XdmfParser(const std::string& path) : path_(path) {}

  [[noreturn]] void refuse(std::string problem, std::string action = "give a text like those of sill arrays") const {
    throw Error({.code = ErrorCode::input,
                 .problem = std::move(problem),
                 .where = {.file = path_},
                 .clause = "XDMF Model and Format",
                 .action = std::move(action)});
  }

  [[nodiscard]] RawContents parse(const std::string& text) {
    pugi::xml_document document;
    const bool is_xml = static_cast<bool>(document.load_string(text.c_str()));
    const pugi::xml_node domain = document.child("Xdmf").child("Domain");
    const pugi::xml_node grid = domain.child("Grid");
    if (!is_xml || !grid) refuse("it is no XDMF text with a grid");
    if (const pugi::xml_node described = domain.child("Information").child("netcdf")) {
      try {
        contents_.description = description_in(described);
      } catch (const Error& error) {
        throw_at(error, {.file = path_});
      }
      is_described_ = true;
    }
    contents_.places.emplace_back();
    const bool is_collection = std::string_view(grid.attribute("GridType").value()) == "Collection";
    const bool has_steps = is_described_ ? contents_.description.has_steps() : is_collection;
    if (!is_described_ && has_steps) contents_.description.dimensions.push_back({"time", unlimited});
    if (!is_collection) {
      if (has_steps) ++contents_.steps;
      take_grid(grid, has_steps, true);
    }
    for (const pugi::xml_node step : is_collection ? grid.children("Grid") : pugi::xml_node().children("Grid")) {
      if (has_steps) ++contents_.steps;
      take_grid(step, has_steps, step == grid.child("Grid"));
    }
    if (!is_described_) {
      try {
        require_possible(contents_.description);
      } catch (const Error& error) {
        refuse(error.parts().problem);
      }
    }
    for (auto& of_step : contents_.places) of_step.resize(contents_.description.variables.size());
    return std::move(contents_);
  }

 private:
  void take_grid(pugi::xml_node grid, bool has_steps, bool is_first) {
    if (has_steps) contents_.places.emplace_back(contents_.description.variables.size());
    for (const pugi::xml_node attribute : grid.children("Attribute")) {
      const std::string name = attribute.attribute("Name").value();
      const pugi::xml_node item = attribute.child("DataItem");
      if (std::string_view(item.attribute("Format").value()) != "Binary" || item.next_sibling("DataItem")) {
        refuse(fmt::format("attribute {:?} is not one DataItem of format Binary", echoed(name, 80)));
      }
      if (!is_described_ && is_first) describe(name, item, has_steps);
      take(name, item);
    }
  }

  [[nodiscard]] ElementType type_in(const std::string& name, pugi::xml_node item) const {
    const std::string_view number = item.attribute("NumberType").as_string("Float");
    const std::int64_t precision = item.attribute("Precision").as_llong(4);
    for (const TypeNames& each : type_names) {
      const bool is_small = each.xdmf.ends_with("Char") || each.xdmf.ends_with("Short");
      if (each.type == ElementType::text || each.xdmf != number) continue;
      if (is_small || bytes_of(each.type) == precision) return each.type;
    }
    refuse(fmt::format("attribute {:?} has NumberType {:?} and Precision {}", echoed(name, 80),
                       echoed(std::string(number), 40), precision));
  }

  void describe(const std::string& name, pugi::xml_node item, bool has_steps) {
    DatasetDescription& description = contents_.description;
    Variable variable{.name = name, .type = type_in(name, item)};
    if (has_steps) variable.dimensions.emplace_back("time");
    std::vector<std::int64_t> shape;
    const std::string_view text = trimmed(item.attribute("Dimensions").value());
    for (const char* at = text.data(); at < text.data() + text.size();) {
      const auto [next, error] = std::from_chars(at, text.data() + text.size(), shape.emplace_back());
      if (error != std::errc()) refuse(fmt::format("attribute {:?} has Dimensions {:?}", echoed(name, 80), echoed(text, 80)));
      at = next;
      while (at < text.data() + text.size() && *at == ' ') ++at;
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      const std::string axis = shape.size() <= 3 ? std::string(1, "zyx"[d + 3 - shape.size()])
                               : d < 3           ? std::string(1, "zyx"[d])
                                                 : fmt::format("components_{}", shape[d]);
      std::string of = axis;
      const auto found = std::find_if(description.dimensions.begin(), description.dimensions.end(),
                                      [&](const Dimension& each) { return each.name == of; });
      if (found != description.dimensions.end() && found->length != shape[d]) of = fmt::format("{}_{}", axis, shape[d]);
      if (std::none_of(description.dimensions.begin(), description.dimensions.end(),
                       [&](const Dimension& each) { return each.name == of; })) {
        description.dimensions.push_back({of, shape[d]});
      }
      variable.dimensions.push_back(of);
    }
    description.variables.push_back(std::move(variable));
  }

  void take(const std::string& name, pugi::xml_node item) {
    const auto& variables = contents_.description.variables;
    const auto found = std::find_if(variables.begin(), variables.end(), [&](const Variable& each) { return each.name == name; });
    if (found == variables.end()) refuse(fmt::format("attribute {:?} is not in all grids", echoed(name, 80)));
    const ElementType type = found->type == ElementType::text ? ElementType::u1 : found->type;
    if (type_in(name, item) != type) refuse(fmt::format("attribute {:?} is of another type than described", echoed(name, 80)));
    const ByteOrder order =
        std::string_view(item.attribute("Endian").value()) == "Big" ? ByteOrder::big : ByteOrder::little;
    if (order_ && *order_ != order) refuse("its attributes have several byte orders");
    order_ = contents_.order = order;
    const std::string file(trimmed(item.child_value()));
    const std::int64_t begin = item.attribute("Seek").as_llong(0);
    if (file.empty() || begin < 0) refuse(fmt::format("attribute {:?} names no bytes of a file", echoed(name, 80)));
    const auto [place, is_new] = files_.try_emplace(file, contents_.files.size());
    if (is_new) contents_.files.push_back(file);
    const bool has_steps = !found->dimensions.empty() && contents_.description.has_steps(*found);
    auto& places = has_steps ? contents_.places.back() : contents_.places.front();
    places.resize(std::max(places.size(), variables.size()));
    places[static_cast<std::size_t>(found - variables.begin())] = {place->second, begin};
  }

  const std::string& path_;
  bool is_described_ = false;
  std::optional<ByteOrder> order_;
  std::map<std::string, std::size_t> files_;
  RawContents contents_;
};

}  // namespace

ImageFile raw_file_of(const DatasetDescription& description, bool of_steps) {
  ImageFile file;
  file.begins.resize(description.variables.size());
  std::int64_t end = 0;
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    const Variable& variable = description.variables[v];
    require_type(variable);
    if (description.has_steps(variable) != of_steps) continue;
    file.begins[v] = aligned(end);
    end = end_of(*file.begins[v], description.element_bytes(variable));
  }
  return file;
}

std::string xdmf_text(const DatasetDescription& description, const RawFiles& files) {
  const ImageGrid grid = grid_of(description);
  std::string text = "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n";
  text += fmt::format("<Information Name=\"netcdf\">{}</Information>\n", ncml_of(description));
  const std::string geometry = fmt::format(
      "<Topology TopologyType=\"3DCoRectMesh\" Dimensions=\"{}\"/>\n"
      "<Geometry GeometryType=\"ORIGIN_DXDYDZ\"><DataItem Dimensions=\"3\" Format=\"XML\">{}</DataItem>"
      "<DataItem Dimensions=\"3\" Format=\"XML\">{}</DataItem></Geometry>\n",
      fmt::join(grid.shape, " "), fmt::join(grid.origin, " "), fmt::join(grid.spacing, " "));
  const auto attributes_of = [&](bool of_steps, const std::string& name, std::int64_t begin) {
    const ImageFile file = raw_file_of(description, of_steps);
    std::string made;
    for (std::size_t v = 0; v < file.begins.size(); ++v) {
      if (!file.begins[v]) continue;
      made += attribute_xml(description, description.variables[v], grid, name, begin + *file.begins[v],
                            files.order);
    }
    return made;
  };
  const std::string constant = files.constant.empty() ? "" : attributes_of(false, files.constant, files.constant_begin);
  const bool has_steps = description.has_steps();
  if (has_steps) text += "<Grid Name=\"steps\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  for (std::size_t s = 0; s < (has_steps ? files.steps.size() : 1); ++s) {
    text += fmt::format("<Grid Name=\"{}\" GridType=\"Uniform\">\n", has_steps ? fmt::format("step {}", s) : "arrays");
    if (has_steps) text += fmt::format("<Time Value=\"{}\"/>\n", files.steps[s].time);
    text += geometry + constant;
    if (has_steps) text += attributes_of(true, files.steps[s].path, files.steps[s].begin);
    text += "</Grid>\n";
  }
  if (has_steps) text += "</Grid>\n";
  return text + "</Domain>\n</Xdmf>\n";
}

std::string mhd_text(const DatasetDescription& description, const Variable& variable, const std::string& raw_name,
                     std::int64_t begin) {
  const ImageGrid grid = grid_of(description);
  const std::size_t count = std::max<std::size_t>(1, grid.dimensions.size());
  const auto components = components_of(description, variable, grid);
  if (!components) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("variable {} is not one of the grid of the dataset", variable.name),
                 .action = "describe it by XDMF"});
  }
  return fmt::format(
      "ObjectType = Image\nNDims = {}\nBinaryData = True\nBinaryDataByteOrderMSB = False\nCompressedData = False\n"
      "Offset = {}\nElementSpacing = {}\nDimSize = {}\n{}HeaderSize = {}\nElementType = {}\nElementDataFile = {}\n",
      count, reversed(grid.origin, count), reversed(grid.spacing, count), reversed(grid.shape, count),
      *components == 1 ? "" : fmt::format("ElementNumberOfChannels = {}\n", *components), begin,
      names_of(variable.type).meta, raw_name);
}

RawContents parse_xdmf(const std::string& text, const std::string& path) { return XdmfParser(path).parse(text); }

RawContents parse_mhd(const std::string& text, const std::string& path) {
  const auto refuse = [&](std::string problem, std::string action) {
    throw Error({.code = ErrorCode::input,
                 .problem = std::move(problem),
                 .where = {.file = path},
                 .clause = "MetaImage",
                 .action = std::move(action)});
  };
  std::map<std::string, std::string, std::less<>> tags;
  std::size_t at = 0;
  while (at < text.size() && !tags.contains("ElementDataFile")) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line(text.data() + at, end - at);
    at = end + 1;
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    tags[std::string(trimmed(line.substr(0, equals)))] = trimmed(line.substr(equals + 1));
  }
  const auto numbers_of = [&](const char* tag) {
    std::vector<std::int64_t> numbers;
    const std::string& of = tags[tag];
    for (const char* first = of.data(); first < of.data() + of.size();) {
      const auto [next, error] = std::from_chars(first, of.data() + of.size(), numbers.emplace_back());
      if (error != std::errc()) refuse(fmt::format("{} is {:?}", tag, echoed(of)), "get an intact copy of the file");
      first = next;
      while (first < of.data() + of.size() && *first == ' ') ++first;
    }
    return numbers;
  };
  const auto is_true = [&](const char* tag) { return tags[tag] == "True" || tags[tag] == "true" || tags[tag] == "1"; };
  const std::string& data = tags["ElementDataFile"];
  if (data.empty() || tags["DimSize"].empty()) refuse("it is no MetaImage", "give a file of arrays");
  if (is_true("CompressedData")) refuse("its elements are compressed", "write them without compression");
  if (data == "LIST" || data.find('%') != std::string::npos) {
    refuse("its elements lie in a list of files", "give one that names one file");
  }
  RawContents contents;
  const auto type = type_named(&TypeNames::meta, tags["ElementType"]);
  if (!type) refuse(fmt::format("ElementType is {:?}", echoed(tags["ElementType"])), "see docs/arrays.md");
  Variable& variable = contents.description.variables.emplace_back();
  variable.name = std::filesystem::path(path).stem().string();
  variable.type = *type;
  std::vector<std::int64_t> shape = numbers_of("DimSize");
  std::reverse(shape.begin(), shape.end());
  if (shape.size() > 3) refuse(fmt::format("it has {} dimensions", shape.size()), "give one of at most 3");
  for (std::size_t d = 0; d < shape.size(); ++d) {
    contents.description.dimensions.push_back({std::string(1, "zyx"[d + 3 - shape.size()]), shape[d]});
  }
  if (!tags["ElementNumberOfChannels"].empty()) {
    const std::vector<std::int64_t> channels = numbers_of("ElementNumberOfChannels");
    if (channels.front() > 1) contents.description.dimensions.push_back({"components", channels.front()});
  }
  for (const Dimension& each : contents.description.dimensions) variable.dimensions.push_back(each.name);
  try {
    require_possible(contents.description);
  } catch (const Error& error) {
    refuse(error.parts().problem, "get an intact copy of the file");
  }
  const bool is_local = data == "LOCAL";
  std::int64_t begin = is_local ? static_cast<std::int64_t>(at) : 0;
  if (!tags["HeaderSize"].empty()) begin = numbers_of("HeaderSize").front();
  if (begin < 0) refuse("HeaderSize is counted from the end", "give it from the beginning");
  contents.files.push_back(is_local ? std::filesystem::path(path).filename().string() : data);
  contents.places.push_back({RawContents::Place{0, begin}});
  contents.order = is_true("BinaryDataByteOrderMSB") || is_true("ElementByteOrderMSB") ? ByteOrder::big : ByteOrder::little;
  return contents;
}

}  // namespace sill::image
