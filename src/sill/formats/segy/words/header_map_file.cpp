// Parses files of header maps, TOML or JSON, into layers of words.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::segy {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 2> file_keys = {"base", "words"};
constexpr std::array<std::string_view, 6> word_keys = {"byte", "type", "scalar", "unit", "text", "also"};
constexpr std::string_view form =
    "a map has `base` (a preset) and `words.NAME` with byte, type, scalar, unit, text, also";

// The content of a file, and line numbers by path ("words/iline/byte"), as far as they are known.
struct Document {
  Json root;
  std::map<std::string, int> lines;
};

void add_toml(const toml::node& node, const std::string& path, Json& to, Document& document) {
  document.lines[path] = static_cast<int>(node.source().begin.line);
  if (const auto* table = node.as_table()) {
    to = Json::object();
    for (const auto& [key, value] : *table) {
      const std::string name(key.str());
      add_toml(value, path.empty() ? name : path + "/" + name, to[name], document);
    }
  } else if (const auto* array = node.as_array()) {
    to = Json::array();
    for (const toml::node& value : *array) {
      to.emplace_back();
      add_toml(value, path, to.back(), document);
    }
  } else if (const auto* text = node.as_string()) {
    to = text->get();
  } else if (const auto* integer = node.as_integer()) {
    to = integer->get();
  } else if (const auto* real = node.as_floating_point()) {
    to = real->get();
  } else if (const auto* truth = node.as_boolean()) {
    to = truth->get();
  }  // dates and times remain null, which is never a valid value
}

// The TOML parser recurses once per level of keys and tables. A map needs three levels; more would exhaust the stack.
void require_shallow(std::string_view text, const std::string& source_name) {
  constexpr std::ptrdiff_t max_table_levels = 64;
  int line = 1;
  for (std::size_t from = 0; from < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', from), text.size());
    const std::string_view one = text.substr(from, end - from);
    for (const char c : {'.', '[', '{'})
      if (std::count(one.begin(), one.end(), c) > max_table_levels)
        detail::throw_map_error(source_name, line, fmt::format("a line has more than {} '{}'", max_table_levels, c),
                                std::string(form));
    from = end + 1;
  }
}

Document read_toml(std::string_view text, const std::string& source_name) {
  require_shallow(text, source_name);
  Document document;
  try {
    const toml::table table = toml::parse(text, source_name);
    add_toml(table, "", document.root, document);
  } catch (const toml::parse_error& error) {
    detail::throw_map_error(source_name, static_cast<int>(error.source().begin.line),
                            fmt::format("this is not TOML: {}", error.description()), std::string(form));
  }
  return document;
}

Document read_json(std::string_view text, const std::string& source_name) {
  Document document;
  std::vector<std::set<std::string>> keys;
  try {
    // Without this check the last of several equal keys would silently override the others.
    document.root = Json::parse(text, [&](int, Json::parse_event_t event, Json& value) {
      if (event == Json::parse_event_t::object_start) keys.emplace_back();
      if (event == Json::parse_event_t::object_end) keys.pop_back();
      if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
        detail::throw_map_error(source_name, 0,
                                fmt::format("the key '{}' occurs twice", echoed(value.get<std::string>())),
                                "omit one of them");
      }
      return true;
    });
  } catch (const Json::parse_error& error) {
    const auto end = std::min(text.size(), error.byte > 0 ? error.byte - 1 : 0);
    const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    detail::throw_map_error(source_name, static_cast<int>(line), "this is not JSON: " + echoed(error.what()),
                            std::string(form));
  } catch (const Json::exception& error) {
    detail::throw_map_error(source_name, 0, "this is not JSON: " + echoed(error.what()), std::string(form));
  }
  return document;
}

class MapReader {
 public:
  MapReader(const Document& document, const std::string& source_name)
      : document_(document), source_name_(source_name) {}

  detail::MapFile read() const {
    detail::MapFile file;
    const Json& root = document_.root;
    if (!root.is_object()) refuse("", "the map is not a table", form);
    require_known(root, "", file_keys);
    if (const auto base = root.find("base"); base != root.end()) {
      if (!base->is_string()) refuse("base", "`base` is not a string", "name a preset: base = \"petrel\"");
      file.base = base->get<std::string>();
      const auto names = HeaderMap::preset_names();
      if (std::ranges::find(names, detail::lower_case(file.base)) == names.end()) {
        refuse("base", fmt::format("unknown preset '{}'", echoed(file.base)),
               did_you_mean(sill::nearest_names(file.base, names)) +
                   fmt::format("the presets are {}", fmt::join(names, ", ")));
      }
    }
    if (const auto words = root.find("words"); words != root.end()) {
      if (!words->is_object()) refuse("words", "`words` is not a table of words", form);
      for (const auto& [name, entry] : words->items()) file.words.push_back(word(name, entry));
    }
    if (file.base.empty() && file.words.empty()) refuse("", "the map is empty", form);
    return file;
  }

 private:
  [[noreturn]] void refuse(const std::string& path, std::string_view problem, std::string_view action) const {
    const auto known = document_.lines.find(path);
    detail::throw_map_error(source_name_, known == document_.lines.end() ? 0 : known->second, problem, action);
  }

  void require_known(const Json& table, const std::string& path, std::span<const std::string_view> known) const {
    for (const auto& [key, value] : table.items()) {
      if (std::ranges::find(known, key) != known.end()) continue;
      refuse(path.empty() ? key : path + "/" + key, fmt::format("unknown key '{}'", echoed(key)),
             did_you_mean(sill::nearest_names(key, known)) +
                 fmt::format("the allowed keys are {}", fmt::join(known, ", ")));
    }
  }

  void require_usable(const std::string& name, const std::string& path) const {
    if (detail::is_usable_name(name)) return;
    refuse(path, fmt::format("'{}' cannot be the name of a word", echoed(name)),
           "a name has up to 80 letters, digits, `_`, `.` and `-`, begins with a letter or `_`, and is not one of "
           "calc_offset, azimuth, midpoint_x, midpoint_y, file and text");
  }

  [[nodiscard]] std::optional<std::string> text_of(const Json& entry, const std::string& path, const char* key) const {
    const auto found = entry.find(key);
    if (found == entry.end()) return std::nullopt;
    if (!found->is_string()) refuse(path + "/" + key, fmt::format("`{}` is not a string", key), "put it in quotes");
    return found->get<std::string>();
  }

  [[nodiscard]] LayerWord word(const std::string& name, const Json& entry) const {
    const std::string path = "words/" + name;
    require_usable(name, path);
    if (!entry.is_object()) {
      refuse(path, fmt::format("`words.{}` is not a table", name), "write byte and type: { byte = 5, type = \"i4\" }");
    }
    require_known(entry, path, word_keys);
    LayerWord word;
    word.names = {name};
    if (const auto line = document_.lines.find(path); line != document_.lines.end()) word.line = line->second;
    const std::optional<std::string> type_name = text_of(entry, path, "type");
    const auto type = type_name ? parse_word_type(*type_name) : std::nullopt;
    if (!type) {
      refuse(type_name ? path + "/type" : path,
             type_name ? fmt::format("'{}' is not a type", echoed(*type_name)) : fmt::format("'{}' has no type", name),
             "types are i1-i8, u1-u8, f4, f8, ibm4 and a1-a8");
    }
    word.type = *type;
    const auto byte = entry.find("byte");
    if (byte == entry.end() || !byte->is_number_integer()) {
      refuse(byte == entry.end() ? path : path + "/byte", fmt::format("'{}' has no byte that is an integer", name),
             "bytes count from 1; 241 is the first of the first additional header");
    }
    const bool is_huge = byte->is_number_unsigned() && byte->get<std::uint64_t>() > 1U << 30U;
    const std::int64_t wanted = is_huge ? 1 << 30 : byte->get<std::int64_t>();
    const std::string wrong = detail::wrong_place(wanted, word.type);
    if (!wrong.empty()) {
      refuse(path + "/byte", fmt::format("'{}' cannot be at these bytes: {}", name, wrong),
             "a word must be completely inside one header of 240 bytes");
    }
    word.byte = static_cast<int>(wanted);
    read_scalar(entry, path, word);
    word.unit = text_of(entry, path, "unit");
    word.text = text_of(entry, path, "text");
    if (const auto also = entry.find("also"); also != entry.end()) {
      if (!also->is_array()) refuse(path + "/also", "`also` is not a list", "write also = [\"NAME\"]");
      for (const Json& other : *also) {
        if (!other.is_string())
          refuse(path + "/also", "`also` contains a value that is not a string", "write also = [\"NAME\"]");
        require_usable(other.get<std::string>(), path + "/also");
        word.names.push_back(other.get<std::string>());
      }
    }
    return word;
  }

  void read_scalar(const Json& entry, const std::string& path, LayerWord& word) const {
    const auto scalar = entry.find("scalar");
    if (scalar == entry.end()) return;
    if (word.type.kind == WordKind::text) {
      refuse(path + "/scalar", "text has no scalar", "omit the scalar, or give another type");
    }
    if (scalar->is_string()) {
      word.scalar = scalar->get<std::string>();
      if (word.scalar->empty()) refuse(path + "/scalar", "`scalar` is empty", "write 1 for no scaling");
    } else if (scalar->is_number()) {
      word.factor = scalar->get<double>();
      if (!std::isfinite(*word.factor) || *word.factor == 0.0) {
        refuse(path + "/scalar", "`scalar` is 0 or not finite", "a number multiplies: write 1 for no scaling");
      }
    } else {
      refuse(path + "/scalar", "`scalar` is neither a name nor a number",
             "name a scalar word such as \"scalco\", or give a number that multiplies");
    }
  }

  const Document& document_;
  const std::string& source_name_;
};

}  // namespace

detail::MapFile detail::read_map_file(std::string_view text, const std::string& source_name) {
  const std::string_view content = trimmed(text);
  // A JSON list is not a map, but must be parsed as JSON for the right error; a TOML table also begins with a bracket.
  const bool is_json = content.starts_with('{') || (content.starts_with('[') && Json::accept(content));
  const Document document = is_json ? read_json(text, source_name) : read_toml(text, source_name);
  return MapReader(document, source_name).read();
}

}  // namespace sill::segy
