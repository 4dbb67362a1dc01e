#include "sill/formats/image/raw_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
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

void require_type(const Variable& variable) {
  if (variable.type != ElementType::u8) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("variable {} is of type u8, which readers of XDMF treat as u4", variable.name),
               .action = "make it i8, or write netCDF or .vti"});
}

// Returns the last `count` numbers in reverse order, as text.
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
      xml_text(variable.name), kind, components ? "Node" : "Grid", fmt::join(shape, " "), names_of(variable.type).xdmf,
      bytes_of(variable.type), order == ByteOrder::big ? "Big" : "Little", begin, xml_text(file));
}

constexpr const char* xdmf_clause = "XDMF Model and Format";
constexpr const char* meta_clause = "MetaImage";

class XdmfParser {
 public:
  explicit XdmfParser(const std::string& path) : path_(path), found_(path_, xdmf_clause) {}

  [[nodiscard]] RawContents parse(const std::string& text) {
    pugi::xml_document document;
    const bool is_xml = static_cast<bool>(document.load_string(text.c_str()));
    const pugi::xml_node domain = document.child("Xdmf").child("Domain");
    const pugi::xml_node grid = domain.child("Grid");
    if (!is_xml || !grid) refuse("it is not XDMF text with a grid");
    if (grid.next_sibling("Grid")) refuse("it has several grids that are not steps");
    if (const std::string ncml = ncml_in(text); !ncml.empty()) found_.describe(ncml);
    const bool is_collection = kind_of(grid) == "Collection";
    if (is_collection && std::string_view(grid.attribute("CollectionType").value()) != "Temporal") {
      refuse("its grids are not steps: it is not a temporal collection");
    }
    if (is_collection && !found_.is_described()) found_.add_steps();
    has_steps_ = is_collection;  // even for a dataset without steps yet
    contents_.places.emplace_back();
    if (is_collection) {
      for (const pugi::xml_node step : grid.children("Grid")) take_grid(step, step == grid.child("Grid"));
    } else {
      take_grid(grid, true);
    }
    contents_.description = found_.checked_description();
    for (auto& of_step : contents_.places) of_step.resize(contents_.description.variables.size());
    return std::move(contents_);
  }

 private:
  [[noreturn]] void refuse(std::string problem) const {
    refuse_image(path_, xdmf_clause, std::move(problem), "docs/arrays.md lists the supported files");
  }

  static std::string_view kind_of(pugi::xml_node grid) { return grid.attribute("GridType").as_string("Uniform"); }

  void take_grid(pugi::xml_node grid, bool is_first) {
    if (kind_of(grid) != "Uniform" || grid.child("Grid")) refuse("a grid is not uniform");
    if (has_steps_) contents_.places.emplace_back();
    std::size_t taken = 0;  // variables with steps found so far
    for (const pugi::xml_node attribute : grid.children("Attribute")) {
      const std::string name = attribute.attribute("Name").value();
      const pugi::xml_node item = attribute.child("DataItem");
      if (std::string_view(item.attribute("Format").value()) != "Binary" || item.next_sibling("DataItem")) {
        refuse(fmt::format("attribute {:?} is not one DataItem of format Binary", echoed(name, 80)));
      }
      if (!found_.is_described() && is_first) describe(name, item);
      taken += take(name, item);
    }
    if (!found_.is_described() && is_first) take_geometry(grid.child("Geometry"));
    if (!has_steps_) return;
    ++contents_.steps;
    if (is_first) {
      for (std::size_t v = 0; v < found_.description().variables.size(); ++v)
        if (found_.has_steps(v)) ++of_step_;
    }
    const bool may_lack = found_.is_described();  // Sill writes steps that omit variables
    if ((taken != of_step_ && !may_lack) || taken == 0)
      refuse(fmt::format("step {} lacks some variables", contents_.steps - 1));
  }

  void take_geometry(pugi::xml_node geometry) {
    if (std::string_view(geometry.attribute("GeometryType").value()) != "ORIGIN_DXDYDZ") return;
    const pugi::xml_node first = geometry.child("DataItem");
    auto origin = doubles_in(first.child_value());
    auto spacing = doubles_in(first.next_sibling("DataItem").child_value());
    for (auto* const each : {&origin, &spacing}) {
      if (*each) std::reverse((*each)->begin(), (*each)->end());
    }
    found_.set_grid(origin, spacing);
  }

  [[nodiscard]] ElementType type_in(const std::string& name, pugi::xml_node item) const {
    const std::string_view number = item.attribute("NumberType").as_string("Float");
    const std::int64_t precision = integer_of(item.attribute("Precision").as_string(nullptr), 4).value_or(0);
    for (const TypeNames& each : type_names) {
      const bool is_small = each.xdmf.ends_with("Char") || each.xdmf.ends_with("Short");
      if (each.type == ElementType::text || each.xdmf != number) continue;
      if (is_small || bytes_of(each.type) == precision) return each.type;
    }
    refuse(fmt::format("attribute {:?} has NumberType {:?} and Precision {}", echoed(name, 80),
                       echoed(std::string(number), 40), precision));
  }

  void describe(const std::string& name, pugi::xml_node item) {
    const std::string text = item.attribute("Dimensions").value();
    const auto shape = integers_in(text);
    if (!shape || shape->size() > 4) {
      refuse(fmt::format("attribute {:?} has Dimensions {:?}", echoed(name, 80), echoed(text, 80)));
    }
    found_.add(name, type_in(name, item), named_shape(*shape));
  }

  // Stores the position of a variable; returns 1 if the variable has steps, else 0.
  std::size_t take(const std::string& name, pugi::xml_node item) {
    const std::size_t number = found_.find(name, type_in(name, item));
    const ByteOrder order =
        std::string_view(item.attribute("Endian").value()) == "Big" ? ByteOrder::big : ByteOrder::little;
    if (order_ && *order_ != order) refuse("its attributes have different byte orders");
    order_ = contents_.order = order;
    const std::string file(trimmed(item.child_value()));
    const auto begin = integer_of(item.attribute("Seek").as_string(nullptr), 0);
    if (file.empty() || !begin || *begin < 0) {
      refuse(fmt::format("attribute {:?} does not name bytes of a file", echoed(name, 80)));
    }
    const auto [place, is_new] = files_.try_emplace(file, contents_.files.size());
    if (is_new) contents_.files.push_back(file);
    const bool has_steps = found_.has_steps(number);
    auto& places = has_steps ? contents_.places.back() : contents_.places.front();
    places.resize(std::max(places.size(), number + 1));
    places[number] = {place->second, *begin};
    return has_steps ? 1 : 0;
  }

  const std::string& path_;
  FoundArrays found_;
  bool has_steps_ = false;
  std::size_t of_step_ = 0;  // variables with steps
  std::optional<ByteOrder> order_;
  std::map<std::string, std::size_t> files_;
  RawContents contents_;
};

// The tags of a MetaImage header.
class MetaHeader {
 public:
  MetaHeader(const std::string& text, const std::string& path) : path_(path) {
    while (end_ < text.size() && !tags_.contains("ElementDataFile")) {
      const std::size_t end = std::min(text.find('\n', end_), text.size());
      const std::string_view line(text.data() + end_, end - end_);
      end_ = end + 1;
      const std::size_t equals = line.find('=');
      if (equals == std::string_view::npos) continue;
      tags_[std::string(trimmed(line.substr(0, equals)))] = trimmed(line.substr(equals + 1));
    }
  }

  // Returns the end of the header: the byte after the line that names the data.
  [[nodiscard]] std::int64_t end_byte() const { return static_cast<std::int64_t>(end_); }

  // Returns the value of a tag; empty if the header lacks it.
  [[nodiscard]] const std::string& operator[](std::string_view tag) const {
    static const std::string none;
    const auto found = tags_.find(tag);
    return found == tags_.end() ? none : found->second;
  }

  // Returns true if MetaIO reads the tag as true.
  [[nodiscard]] bool is_true(std::string_view tag) const {
    const std::string& value = (*this)[tag];
    return !value.empty() && (value[0] == 'T' || value[0] == 't' || value[0] == '1');
  }

  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view tag) const {
    const std::string& value = (*this)[tag];
    const auto numbers = integers_in(value);
    if (!numbers || numbers->empty()) refuse(fmt::format("{} is {:?}", tag, echoed(value)));
    return *numbers;
  }
  [[nodiscard]] std::int64_t integer_or(std::string_view tag, std::int64_t otherwise) const {
    return (*this)[tag].empty() ? otherwise : integers(tag).front();
  }

  // Returns the numbers of the first of these tags that has `count` numbers.
  [[nodiscard]] std::optional<std::vector<double>> doubles(std::initializer_list<const char*> names,
                                                           std::size_t count) const {
    for (const char* const name : names) {
      if (auto numbers = doubles_in((*this)[name]); numbers && numbers->size() == count) return numbers;
    }
    return {};
  }

  // Refuses elements that are not stored in one file, byte for byte.
  void require_readable() const {
    const std::string& data = (*this)["ElementDataFile"];
    if (data.empty()) refuse("it does not name elements", "give a file of arrays");
    if (is_true("CompressedData")) refuse("its elements are compressed", "write them without compression");
    if (!(*this)["BinaryData"].empty() && !is_true("BinaryData"))
      refuse("its elements are text", "write them as bytes");
    if (data.starts_with("LIST") || data.find('%') != std::string::npos)
      refuse("its elements are in a list of files", "give a description that names one file");
  }

  [[noreturn]] void refuse(std::string problem, std::string action = "get an intact copy of the file") const {
    refuse_image(path_, meta_clause, std::move(problem), std::move(action));
  }

 private:
  const std::string& path_;
  std::map<std::string, std::string, std::less<>> tags_;
  std::size_t end_ = 0;
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
  const auto attributes_of = [&](const ImageFile& file, const std::string& name, std::int64_t begin,
                                 const LeftOut& left_out) {
    std::string made;
    for (std::size_t v = 0; v < file.begins.size(); ++v) {
      if (!file.begins[v] || is_left_out(left_out, v)) continue;
      made += attribute_xml(description, description.variables[v], grid, name, begin + *file.begins[v], files.order);
    }
    return made;
  };
  const std::string constant =
      files.constant.empty() ? ""
                             : attributes_of(raw_file_of(description, false), files.constant, files.constant_begin, {});
  const ImageFile of_step = raw_file_of(description, true);
  const bool lists_steps = description.has_steps() && !files.steps.empty();
  if (lists_steps) text += "<Grid Name=\"steps\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
  for (std::size_t s = 0; s < (lists_steps ? files.steps.size() : 1); ++s) {
    text +=
        fmt::format("<Grid Name=\"{}\" GridType=\"Uniform\">\n", lists_steps ? fmt::format("step {}", s) : "arrays");
    if (lists_steps) text += fmt::format("<Time Value=\"{}\"/>\n", files.steps[s].time);
    text += geometry + constant;
    if (lists_steps) {
      const StepFile& step = files.steps[s];
      text += attributes_of(of_step, step.path, step.begin, step.left_out == nullptr ? LeftOut() : *step.left_out);
    }
    text += "</Grid>\n";
  }
  if (lists_steps) text += "</Grid>\n";
  return text + "</Domain>\n</Xdmf>\n";
}

std::string mhd_text(const DatasetDescription& description, const Variable& variable, const std::string& raw_name,
                     std::int64_t begin) {
  const ImageGrid grid = grid_of(description);
  const std::size_t count = std::max<std::size_t>(1, grid.dimensions.size());
  const auto components = components_of(description, variable, grid);
  if (!components) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("variable {} is not on the grid of the dataset", variable.name),
                 .action = "describe it with XDMF"});
  }
  if (raw_name.find('%') != std::string::npos) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("in a MetaImage header, the name {:?} would mean several files", raw_name),
                 .action = "use no % in names"});
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
  const MetaHeader header(text, path);
  std::vector<std::int64_t> shape = header.integers("DimSize");
  header.require_readable();
  if (header.integers("NDims").front() != static_cast<std::int64_t>(shape.size()) || shape.size() > 3) {
    header.refuse(fmt::format("NDims is {:?}, with {} numbers in DimSize", echoed(header["NDims"], 40), shape.size()),
                  "give a file of at most 3 dimensions");
  }
  const auto type = type_named(&TypeNames::meta, header["ElementType"]);
  if (!type) header.refuse(fmt::format("ElementType is {:?}", echoed(header["ElementType"])), "see docs/arrays.md");
  std::reverse(shape.begin(), shape.end());
  auto named = named_shape(shape);
  const std::int64_t components = header.integer_or("ElementNumberOfChannels", 1);
  if (components != 1) named.emplace_back("components", components);
  FoundArrays found(path, meta_clause);
  found.add(std::filesystem::path(path).stem().string(), *type, named);
  found.set_grid(header.doubles({"Offset", "Origin", "Position"}, shape.size()),
                 header.doubles({"ElementSpacing"}, shape.size()));
  RawContents contents;
  contents.description = found.checked_description();
  const bool is_local = header["ElementDataFile"] == "LOCAL";
  const std::int64_t stated = header.integer_or("HeaderSize", 0);
  if (stated < 0)
    header.refuse("HeaderSize is counted from the end", "give a HeaderSize that is counted from the beginning");
  const std::int64_t begin = stated > 0 ? stated : is_local ? header.end_byte() : 0;
  contents.files.push_back(is_local ? std::filesystem::path(path).filename().string() : header["ElementDataFile"]);
  contents.places.push_back({RawContents::Place{0, begin}});
  contents.order = header.is_true("BinaryDataByteOrderMSB") || header.is_true("ElementByteOrderMSB")
                       ? ByteOrder::big
                       : ByteOrder::little;
  return contents;
}

}  // namespace sill::image
