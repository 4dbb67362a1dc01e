#include "sill/formats/image/ncml.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cstdint>
#include <optional>
#include <pugixml.hpp>
#include <string_view>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/array/element_conversion.hpp"
#include "sill/formats/image/image_file.hpp"
#include "sill/formats/image/type_names.hpp"

namespace sill::image {
namespace {

[[noreturn]] void refuse_written(std::string problem) {
  throw Error({.code = ErrorCode::usage,
               .problem = std::move(problem),
               .action = "use other text, or a netCDF file, which can store it"});
}

[[noreturn]] void refuse_read(std::string problem) {
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("the description of arrays: {}", problem),
               .clause = "NcML 2.2",
               .action = "get an intact copy of the file"});
}

// Returns true if `text` is valid in XML 1.0: UTF-8 without control characters except these.
bool is_xml(std::string text) {
  for (char& c : text) {
    if (c == '\n' || c == '\t' || c == '\r') c = ' ';
  }
  return echoed(text, text.size() + 3) == text;
}

std::string checked_name(const std::string& name) {
  if (name.find(' ') != std::string::npos || !is_xml(name)) {
    refuse_written(fmt::format("the name {:?} contains a blank or invalid text, which VTK and XDMF files cannot store",
                               echoed(name)));
  }
  return xml_text(name);
}

std::string checked_text(const Attribute& attribute) {
  const std::string text = attribute.text();
  if (!is_xml(text)) {
    refuse_written(
        fmt::format("attribute {} contains control characters or invalid UTF-8, which VTK and XDMF files cannot store",
                    attribute.name));
  }
  return xml_text(text);
}

ElementType type_in(pugi::xml_node node) {
  const std::string name = node.attribute("type").value();
  if (const auto type = type_named(&TypeNames::ncml, name)) return *type;
  refuse_read(fmt::format("type {:?} of {:?}", echoed(name, 40), echoed(node.attribute("name").value(), 80)));
}

template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> parts_of(std::string_view text, std::string_view between) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t at = text.find(between);
    if (at != 0) parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) break;
    text.remove_prefix(at + between.size());
  }
  return parts;
}

// Returns the attribute from a text that `Attribute::text` made.
std::optional<Attribute> attribute_of(const std::string& name, ElementType type, std::string_view value) {
  if (type == ElementType::text) return Attribute(name, value);
  return visit_type(type, [&](auto of_type) -> std::optional<Attribute> {
    using T = decltype(of_type);
    std::vector<T> numbers;
    for (const std::string_view part : parts_of(value, ", ")) {
      if constexpr (!std::is_same_v<T, char>) {
        const std::optional<T> number = number_in<T>(part);
        if (!number) return std::nullopt;
        numbers.push_back(*number);
      }
    }
    return Attribute(name, std::span<const T>(numbers));
  });
}

void add_attributes(std::string& xml, const std::vector<Attribute>& attributes) {
  for (const Attribute& each : attributes) {
    // A NaN with unusual bits cannot be represented as text.
    if (attribute_of(each.name, each.type, each.text()) != each) {
      refuse_written(fmt::format("attribute {} contains a NaN with unusual bits, which VTK and XDMF files cannot store",
                                 each.name));
    }
    xml += fmt::format(R"(<attribute name="{}" type="{}" value="{}"/>)", checked_name(each.name),
                       names_of(each.type).ncml, checked_text(each));
  }
}

std::vector<Attribute> attributes_in(pugi::xml_node of) {
  std::vector<Attribute> attributes;
  for (const pugi::xml_node node : of.children("attribute")) {
    const std::string name = node.attribute("name").value();
    const std::string_view value = node.attribute("value").value();
    const ElementType type = type_in(node);
    const std::optional<Attribute> attribute = attribute_of(name, type, value);
    if (!attribute) refuse_read(fmt::format("attribute {:?} has the numbers {:?}", echoed(name, 80), echoed(value)));
    attributes.push_back(*attribute);
  }
  return attributes;
}

}  // namespace

std::string ncml_of(const DatasetDescription& description) {
  std::string xml = R"(<netcdf xmlns="http://www.unidata.ucar.edu/namespaces/netcdf/ncml-2.2">)";
  for (const Dimension& each : description.dimensions) {
    const bool grows = each.length == unlimited;
    xml += fmt::format(R"(<dimension name="{}" length="{}"{}/>)", checked_name(each.name), grows ? 0 : each.length,
                       grows ? R"( isUnlimited="true")" : "");
  }
  add_attributes(xml, description.attributes);
  for (const Variable& each : description.variables) {
    std::vector<std::string> shape;
    for (const std::string& name : each.dimensions) shape.push_back(checked_name(name));
    xml += fmt::format(R"(<variable name="{}" type="{}" shape="{}">)", checked_name(each.name),
                       names_of(each.type).ncml, fmt::join(shape, " "));
    add_attributes(xml, each.attributes);
    xml += "</variable>";
  }
  return xml + "</netcdf>";
}

void require_file_name(const std::string& name) {
  if (is_xml(name) && trimmed(name) == name) return;
  refuse_written(fmt::format("the file name {:?} cannot be written into VTK and XDMF files", echoed(name)));
}

std::string ncml_in(const std::string& text) {
  constexpr std::string_view end_tag = "</netcdf>";
  const std::size_t begin = text.find("<netcdf");
  const std::size_t end = begin == std::string::npos ? begin : text.find(end_tag, begin);
  return end == std::string::npos ? std::string() : text.substr(begin, end + end_tag.size() - begin);
}

DatasetDescription description_in(const std::string& ncml) {
  pugi::xml_document document;
  const bool is_xml = static_cast<bool>(document.load_string(ncml.c_str()));
  const pugi::xml_node netcdf = document.child("netcdf");
  if (!is_xml || !netcdf) refuse_read("it is not NcML");
  DatasetDescription description;
  for (const pugi::xml_node node : netcdf.children("dimension")) {
    const auto length = number_in<std::int64_t>(node.attribute("length").value());
    const bool grows = node.attribute("isUnlimited").as_bool();
    if (length && !grows && *length < 1) {
      refuse_read(fmt::format("dimension {:?} has length {}", echoed(node.attribute("name").value(), 80), *length));
    }
    if (!length) refuse_read(fmt::format("the length of dimension {:?}", echoed(node.attribute("name").value(), 80)));
    description.dimensions.push_back({node.attribute("name").value(), grows ? unlimited : *length});
  }
  description.attributes = attributes_in(netcdf);
  for (const pugi::xml_node node : netcdf.children("variable")) {
    Variable& variable = description.variables.emplace_back();
    variable.name = node.attribute("name").value();
    variable.type = type_in(node);
    for (const std::string_view name : parts_of(node.attribute("shape").value(), " ")) {
      variable.dimensions.emplace_back(name);
    }
    variable.attributes = attributes_in(node);
  }
  try {
    require_possible(description);
  } catch (const Error& error) {
    refuse_read(echoed(error.parts().problem, 500));
  }
  return description;
}

}  // namespace sill::image
