#include "sill/formats/array/dataset_description.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <functional>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/array/element_conversion.hpp"

namespace sill {
namespace {

constexpr std::size_t max_dimensions = 16;

[[noreturn]] void refuse(std::string problem, std::string action) {
  throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
}

// Source: "NetCDF Classic Format Specification", names.
void require_name(const char* what, const std::string& name) {
  const auto is_control = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; };
  const bool begins_well = !name.empty() && (std::isalnum(static_cast<unsigned char>(name.front())) != 0 ||
                                             name.front() == '_' || (name.front() & 0x80) != 0);
  if (begins_well && name.back() != ' ' && name.size() <= 256 && name.find('/') == std::string::npos &&
      std::none_of(name.begin(), name.end(), is_control)) {
    return;
  }
  refuse(fmt::format("the name {:?} of {} is not a valid netCDF name", echoed(name), what),
         "begin with a letter, a digit or _, use no /, and at most 256 bytes");
}

// A combining mark, and the ASCII letters that NFC composes with it. Source: Unicode 15, UnicodeData.txt.
struct Composed {
  unsigned mark;
  std::string_view letters;
};
constexpr std::array composed_letters{Composed{0x300, "AEINOUWYaeinouwy"},
                                      Composed{0x301, "ACEGIKLMNOPRSUWYZacegiklmnoprsuwyz"},
                                      Composed{0x302, "ACEGHIJOSUWYZaceghijosuwyz"},
                                      Composed{0x303, "AEINOUVYaeinouvy"},
                                      Composed{0x304, "AEGIOUYaegiouy"},
                                      Composed{0x306, "AEGIOUaegiou"},
                                      Composed{0x307, "ABCDEFGHIMNOPRSTWXYZabcdefghmnoprstwxyz"},
                                      Composed{0x308, "AEHIOUWXYaehiotuwxy"},
                                      Composed{0x309, "AEIOUYaeiouy"},
                                      Composed{0x30a, "AUauwy"},
                                      Composed{0x30b, "OUou"},
                                      Composed{0x30c, "ACDEGHIKLNORSTUZacdeghijklnorstuz"},
                                      Composed{0x30f, "AEIORUaeioru"},
                                      Composed{0x311, "AEIORUaeioru"},
                                      Composed{0x31b, "OUou"},
                                      Composed{0x323, "ABDEHIKLMNORSTUVWYZabdehiklmnorstuvwyz"},
                                      Composed{0x324, "Uu"},
                                      Composed{0x325, "Aa"},
                                      Composed{0x326, "STst"},
                                      Composed{0x327, "CDEGHKLNRSTcdeghklnrst"},
                                      Composed{0x328, "AEIOUaeiou"},
                                      Composed{0x32d, "DELNTUdelntu"},
                                      Composed{0x32e, "Hh"},
                                      Composed{0x330, "EIUeiu"},
                                      Composed{0x331, "BDKLNRTZbdhklnrtz"}};

// Errors: usage if NFC would compose a letter and the mark after it.
void require_composed(const std::string& name) {
  for (std::size_t i = 0; i + 2 < name.size(); ++i) {
    const auto byte = [&](std::size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(name[at])); };
    if ((byte(i + 1) & 0xe0U) != 0xc0U) continue;  // of two bytes of UTF-8
    const unsigned mark = (byte(i + 1) & 0x1fU) << 6U | (byte(i + 2) & 0x3fU);
    const auto* const found = std::ranges::find(composed_letters, mark, &Composed::mark);
    if (found == composed_letters.end() || found->letters.find(name[i]) == std::string_view::npos) continue;
    refuse(fmt::format("the name {} has a letter and a combining mark (U+{:04X}) in place of one character",
                       echoed(name), mark),
           "normalize the name (NFC), as netCDF requires: its library finds no other names");
  }
}

void require_attributes(const std::string& of, const std::vector<Attribute>& attributes) {
  std::set<std::string_view> names;
  for (const Attribute& attribute : attributes) {
    require_name("an attribute", attribute.name);
    if (!names.insert(attribute.name).second) {
      refuse(fmt::format("attribute {} of {} is given twice", attribute.name, of), "give it once");
    }
  }
}

void require_variable(const DatasetDescription& description, const Variable& variable) {
  if (variable.dimensions.size() > max_dimensions) {
    refuse(fmt::format("variable {} has {} dimensions", variable.name, variable.dimensions.size()),
           fmt::format("give at most {}", max_dimensions));
  }
  std::int64_t bytes = bytes_of(variable.type);
  for (std::size_t d = 0; d < variable.dimensions.size(); ++d) {
    const Dimension& dimension = description.dimensions[description.dimension_named(variable.dimensions[d])];
    if (dimension.length == unlimited) {
      if (d == 0) continue;
      refuse(fmt::format("dimension {} of variable {} is unlimited, but is not the slowest dimension", dimension.name,
                         variable.name),
             "make the unlimited dimension the slowest one");
    }
    if (__builtin_mul_overflow(bytes, dimension.length, &bytes)) {
      refuse(fmt::format("the size of variable {} in bytes exceeds a 64-bit number", variable.name),
             "give it a smaller shape");
    }
  }
  require_attributes(fmt::format("variable {}", variable.name), variable.attributes);
}

// The positions of names in long lists, cached per thread for the lists used last. Each result is verified, because a
// list may have changed since, or another list may be at its address.
template <class Named>
class PlacesOfNames {
 public:
  std::optional<std::size_t> find(const std::vector<Named>& all, std::string_view name) {
    constexpr std::size_t short_list = 64;
    if (all.size() <= short_list) return search(all, name);
    for (OfList& list : lists_) {
      if (list.of != all.data() || list.places.size() > all.size()) continue;
      list.extend(all);
      const auto [begin, end] = list.places.equal_range(std::hash<std::string_view>()(name));
      for (auto place = begin; place != end; ++place) {
        if (all[place->second].name == name) return place->second;
      }
      list.of = nullptr;
    }
    const std::optional<std::size_t> found = search(all, name);
    if (!found) return found;
    OfList& list = lists_[next_++ % lists_.size()];
    list.of = all.data();
    list.places.clear();
    list.extend(all);
    return found;
  }

 private:
  struct OfList {
    const Named* of = nullptr;
    std::unordered_multimap<std::size_t, std::size_t> places = {};  // by the hashes of names

    // Adds the names by which the list has grown.
    void extend(const std::vector<Named>& all) {
      for (std::size_t i = places.size(); i < all.size(); ++i)
        places.emplace(std::hash<std::string_view>()(all[i].name), i);
    }
  };

  static std::optional<std::size_t> search(const std::vector<Named>& all, std::string_view name) {
    const auto found = std::find_if(all.begin(), all.end(), [&](const Named& each) { return each.name == name; });
    return found == all.end() ? std::nullopt : std::optional(static_cast<std::size_t>(found - all.begin()));
  }

  std::array<OfList, 4> lists_;
  std::size_t next_ = 0;
};

template <class Named>
std::size_t place_named(const char* what, const std::vector<Named>& all, std::string_view name) {
  thread_local PlacesOfNames<Named> places;
  if (const std::optional<std::size_t> found = places.find(all, name)) return *found;
  std::vector<std::string_view> names;
  for (const Named& each : all) names.push_back(each.name);
  refuse(fmt::format("the dataset has no {} {}", what, echoed(name)),
         fmt::format("{}its keys are {}", did_you_mean(nearest_names(name, names)),
                     names.empty() ? "none" : echoed(fmt::format("{}", fmt::join(names, ", ")), 500)));
}

std::string attributes_text(const std::vector<Attribute>& attributes) {
  std::string text;
  for (const Attribute& each : attributes) {
    text += fmt::format(" :{}={}{:?}", each.name, name_of(each.type), each.text());
  }
  return text + "\n";
}

}  // namespace

Attribute::Attribute(std::string of, std::string_view text)
    : name(std::move(of)), values(as_bytes_of(std::as_bytes(std::span(text)))) {}

std::string Attribute::text() const {
  if (type == ElementType::text) return {reinterpret_cast<const char*>(values.data()), values.size()};
  std::string text;
  for (std::int64_t i = 0; i < count(); ++i) {
    if (i > 0) text += ", ";
    text += element_text(values.data() + i * bytes_of(type), {type});
  }
  return text;
}

std::size_t DatasetDescription::variable_named(std::string_view name) const {
  return place_named("variable", variables, name);
}

std::size_t DatasetDescription::dimension_named(std::string_view name) const {
  return place_named("dimension", dimensions, name);
}

bool DatasetDescription::has_steps(const Variable& variable) const {
  return !variable.dimensions.empty() && dimensions[dimension_named(variable.dimensions.front())].length == unlimited;
}

bool DatasetDescription::has_steps() const {
  return std::any_of(variables.begin(), variables.end(), [&](const Variable& each) { return has_steps(each); });
}

Index DatasetDescription::shape_of(const Variable& variable) const {
  Index shape;
  for (const std::string& name : variable.dimensions) {
    const std::int64_t length = dimensions[dimension_named(name)].length;
    if (length != unlimited) shape.push_back(length);
  }
  return shape;
}

std::int64_t DatasetDescription::element_bytes(const Variable& variable) const {
  std::int64_t bytes = bytes_of(variable.type);
  for (const std::int64_t length : shape_of(variable)) bytes *= length;
  return bytes;
}

std::string name_for_length(std::string name, std::int64_t length, std::vector<Dimension>& dimensions,
                            std::unordered_map<std::string, std::int64_t>& lengths) {
  const auto [place, is_new] = lengths.try_emplace(name, length);
  if (is_new) dimensions.push_back({name, length});
  if (place->second == length) return name;
  return name_for_length(fmt::format("{}_{}", name, length), length, dimensions, lengths);
}

void require_possible(const DatasetDescription& description) {
  std::set<std::string_view> names;
  int growing = 0;
  for (const Dimension& dimension : description.dimensions) {
    require_name("a dimension", dimension.name);
    if (!names.insert(dimension.name).second) {
      refuse(fmt::format("dimension {} is given twice", dimension.name), "give it once");
    }
    if (dimension.length == unlimited) ++growing;
    if (dimension.length != unlimited && (dimension.length < 1 || dimension.length > farthest_index)) {
      refuse(fmt::format("dimension {} has length {}", dimension.name, dimension.length),
             "give a length of 1 or more, or `unlimited`");
    }
  }
  if (growing > 1) refuse(fmt::format("{} dimensions are unlimited", growing), "make at most one dimension unlimited");
  names.clear();
  for (const Variable& variable : description.variables) {
    // HDF5's groups.
    for (std::size_t at = 0; at <= variable.name.size();) {
      const std::size_t end = std::min(variable.name.find('/', at), variable.name.size());
      require_name("a variable", variable.name.substr(at, end - at));
      at = end + 1;
    }
    if (!names.insert(variable.name).second) {
      refuse(fmt::format("variable {} is given twice", variable.name), "give it once");
    }
    require_variable(description, variable);
  }
  require_attributes("the dataset", description.attributes);
}

void require_composed_names(const DatasetDescription& description) {
  const auto require = [](const auto& all) {
    std::ranges::for_each(all, require_composed, &std::remove_cvref_t<decltype(all)>::value_type::name);
  };
  require(description.dimensions);
  require(description.attributes);
  require(description.variables);
  for (const Variable& each : description.variables) require(each.attributes);
}

DatasetDescription with_attribute(DatasetDescription description, const Attribute& attribute,
                                  const std::string& variable) {
  std::vector<Attribute>& attributes = variable.empty()
                                           ? description.attributes
                                           : description.variables[description.variable_named(variable)].attributes;
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& each) { return each.name == attribute.name; });
  if (found == attributes.end()) {
    attributes.push_back(attribute);
  } else {
    *found = attribute;
  }
  return description;
}

std::optional<Attribute> fill_of_type(const Attribute& attribute, ElementType type) {
  if (attribute.count() != 1 || !is_convertible(attribute.type, type)) return std::nullopt;
  if (attribute.type == type) return attribute;
  const ElementRow from{bytes_of(attribute.type), {attribute.type}};
  const ElementRow to{bytes_of(type), {type}};
  Attribute made = attribute;
  made.type = type;
  made.values.resize(static_cast<std::size_t>(bytes_of(type)));
  if (convert_elements(attribute.values.data(), from, made.values.data(), to, 1) < 1) return std::nullopt;
  const auto is_float = [](ElementType each) { return each == ElementType::f4 || each == ElementType::f8; };
  if (is_float(attribute.type) && is_float(type)) return made;
  std::vector<std::byte> back(attribute.values.size());
  const bool is_exact = convert_elements(made.values.data(), to, back.data(), from, 1) == 1 && back == attribute.values;
  return is_exact ? std::optional(made) : std::nullopt;
}

std::string first_difference(const DatasetDescription& a, const DatasetDescription& b) {
  // Returns the name of the first member that differs or is missing in one of the lists.
  const auto first = [](const auto& all_a, const auto& all_b) -> std::string {
    for (std::size_t i = 0; i < std::max(all_a.size(), all_b.size()); ++i) {
      if (i < all_a.size() && i < all_b.size() && all_a[i] == all_b[i]) continue;
      return (i < all_a.size() ? all_a : all_b)[i].name;
    }
    return {};
  };
  if (const std::string name = first(a.dimensions, b.dimensions); !name.empty()) return "dimension " + name;
  for (std::size_t v = 0; v < std::min(a.variables.size(), b.variables.size()); ++v) {
    Variable other = b.variables[v];
    other.attributes = a.variables[v].attributes;
    if (a.variables[v] != other) break;
    const std::string name = first(a.variables[v].attributes, b.variables[v].attributes);
    if (!name.empty()) return fmt::format("attribute {} of variable {}", name, other.name);
  }
  if (const std::string name = first(a.variables, b.variables); !name.empty()) return "variable " + name;
  return "attribute " + first(a.attributes, b.attributes);
}

namespace {

// Returns only the arrays, with dimensions sorted by name: some formats store only dimensions that variables use, in
// their own order.
DatasetDescription arrays_of(DatasetDescription description) {
  description.attributes.clear();
  std::erase_if(description.dimensions, [&](const Dimension& dimension) {
    return std::ranges::none_of(description.variables, [&](const Variable& each) {
      return std::ranges::find(each.dimensions, dimension.name) != each.dimensions.end();
    });
  });
  std::ranges::sort(description.dimensions, {}, &Dimension::name);
  for (Variable& variable : description.variables) {
    std::erase_if(variable.attributes, [](const Attribute& each) { return each.name != "_FillValue"; });
    for (Attribute& each : variable.attributes) each = fill_of_type(each, variable.type).value_or(each);
  }
  return description;
}

}  // namespace

bool has_same_arrays(const DatasetDescription& a, const DatasetDescription& b) { return arrays_of(a) == arrays_of(b); }

std::string first_difference_of_arrays(const DatasetDescription& a, const DatasetDescription& b) {
  return first_difference(arrays_of(a), arrays_of(b));
}

DatasetDescription with_attributes_of(DatasetDescription there, const DatasetDescription& given) {
  for (const Attribute& each : given.attributes) there = with_attribute(std::move(there), each, {});
  for (const Variable& variable : given.variables) {
    for (const Attribute& each : variable.attributes) there = with_attribute(std::move(there), each, variable.name);
  }
  return there;
}

std::string text_of(const DatasetDescription& description) {
  std::string text;
  for (const Dimension& each : description.dimensions) text += fmt::format("{:?}={}\n", each.name, each.length);
  for (const Variable& each : description.variables) {
    text += fmt::format("{:?} {} [{:?}]{}", each.name, name_of(each.type), fmt::join(each.dimensions, ","),
                        attributes_text(each.attributes));
  }
  return text + attributes_text(description.attributes);
}

}  // namespace sill
