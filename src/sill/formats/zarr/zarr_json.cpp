#include "sill/formats/zarr/zarr_json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill::zarr {
namespace {

struct TypeNames {
  ElementType type;
  const char* name;
  std::string_view version_2;  // without byte order
};

constexpr std::array types{TypeNames{ElementType::i1, "int8", "i1"},    TypeNames{ElementType::i2, "int16", "i2"},
                           TypeNames{ElementType::i4, "int32", "i4"},   TypeNames{ElementType::i8, "int64", "i8"},
                           TypeNames{ElementType::u1, "uint8", "u1"},   TypeNames{ElementType::u2, "uint16", "u2"},
                           TypeNames{ElementType::u4, "uint32", "u4"},  TypeNames{ElementType::u8, "uint64", "u8"},
                           TypeNames{ElementType::f4, "float32", "f4"}, TypeNames{ElementType::f8, "float64", "f8"}};

constexpr std::string_view base64_digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t base64_of_double = 12;

std::optional<double> double_in_base64(std::string_view text) {
  if (text.size() != base64_of_double || text.back() != '=') return std::nullopt;
  std::array<std::byte, 9> bytes{};
  for (std::size_t at = 0; at < text.size(); at += 4) {
    std::uint32_t bits = 0;
    for (std::size_t i = at; i < at + 4; ++i) {
      const std::size_t digit = i + 1 == text.size() ? 0 : base64_digits.find(text[i]);
      if (digit == std::string_view::npos) return std::nullopt;
      bits = bits << 6U | static_cast<std::uint32_t>(digit);
    }
    for (std::size_t b = 0; b < 3; ++b) bytes[at / 4 * 3 + b] = static_cast<std::byte>(bits >> (16 - 8 * b) & 255U);
  }
  return load<double>(bytes.data(), ByteOrder::little);
}

bool is_infinite_name(const Json& json) { return json == "NaN" || json == "Infinity" || json == "-Infinity"; }

Json number_json(double value) {
  if (std::isfinite(value)) return value;
  return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
}

// Returns JSON in which NaN and Infinity are strings; Python writes them without quotes.
std::string with_quoted_numbers(std::string_view text) {
  std::string quoted;
  bool is_in_string = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string_view number;
    for (const std::string_view each : {"NaN", "Infinity", "-Infinity"}) {
      if (!is_in_string && text.substr(at).starts_with(each)) number = each;
    }
    if (!number.empty()) {
      quoted += fmt::format("\"{}\"", number);
      at += number.size() - 1;
      continue;
    }
    quoted += text[at];
    if (is_in_string && text[at] == '\\' && at + 1 < text.size()) {
      quoted += text[++at];
    } else if (text[at] == '"') {
      is_in_string = !is_in_string;
    }
  }
  return quoted;
}

double number_in(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string text = json.is_string() ? json.get<std::string>() : "";
  if (text == "NaN") return std::numeric_limits<double>::quiet_NaN();
  if (text == "Infinity") return std::numeric_limits<double>::infinity();
  if (text == "-Infinity") return -std::numeric_limits<double>::infinity();
  throw Unread{fmt::format("its fill value is {}", json.dump())};
}

}  // namespace

void refuse_metadata(const std::string& path, const std::string& problem) {
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("the metadata of Zarr is damaged: {}", echoed(problem, 200)),
               .where = {.file = path},
               .action = "get an intact copy"});
}

Json json_of(const std::string& text, const std::string& path) {
  constexpr int max_depth = 64;  // copies and destruction of JSON are recursive
  const auto require_shallow = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > max_depth) refuse_metadata(path, "its JSON is nested too deeply");
    return true;
  };
  const Json json = Json::parse(with_quoted_numbers(text), require_shallow, false);
  if (!json.is_object()) refuse_metadata(path, "it is not a JSON object");
  return json;
}

std::string text_of(const Json& json) {
  try {
    return json.dump(2) + "\n";
  } catch (const Json::exception&) {
    throw Error({.code = ErrorCode::usage,
                 .problem = "an attribute contains text that is not UTF-8, which Zarr requires",
                 .action = "convert the text to UTF-8"});
  }
}

const char* type_name(ElementType type) { return std::ranges::find(types, type, &TypeNames::type)->name; }

ElementType type_named(const Json& name) {
  if (name.is_string()) {
    for (const TypeNames& each : types) {
      if (name.get<std::string>() == each.name) return each.type;
    }
  }
  throw Unread{fmt::format("data type {} is not supported", echoed(name.dump()))};
}

std::string type_of_version_2(ElementType type, ByteOrder order) {
  const std::string_view name = std::ranges::find(types, type, &TypeNames::type)->version_2;
  return fmt::format("{}{}", bytes_of(type) == 1 ? '|' : order == ByteOrder::big ? '>' : '<', name);
}

std::pair<ElementType, ByteOrder> type_of_version_2(const Json& name) {
  const std::string text = name.is_string() ? name.get<std::string>() : "";
  for (const TypeNames& each : types) {
    if (text.size() != 3 || text.substr(1) != each.version_2) continue;
    if (text[0] == '<' || text[0] == '>' || text[0] == '|')
      return {each.type, text[0] == '>' ? ByteOrder::big : ByteOrder::little};
  }
  throw Unread{fmt::format("data type {} is not supported", echoed(name.dump()))};
}

Json element_json(const std::byte* element, ElementForm form) {
  return visit_type(form.type, [&](auto of_type) -> Json {
    using T = decltype(of_type);
    const T value = load<T>(element, form.order);
    if constexpr (std::is_floating_point_v<T>) {
      return number_json(static_cast<double>(value));
    } else {
      return value;
    }
  });
}

void take_element(const Json& json, ElementForm form, std::byte* to) {
  visit_type(form.type, [&](auto of_type) {
    using T = decltype(of_type);
    if constexpr (std::is_floating_point_v<T>) {
      store(to, static_cast<T>(number_in(json)), form.order);
    } else {
      if (!json.is_number_integer()) throw Unread{fmt::format("its fill value is {}", json.dump())};
      using Integer = std::conditional_t<std::is_same_v<T, char>, std::int8_t, T>;
      const auto take = [&](auto value) {
        if (!std::in_range<Integer>(value))
          throw Unread{fmt::format("its fill value {} is not one of {}", value, name_of(form.type))};
        store(to, static_cast<T>(value), form.order);
      };
      json.is_number_unsigned() ? take(json.get<std::uint64_t>()) : take(json.get<std::int64_t>());
    }
  });
}

Json attribute_json(const Attribute& attribute, const Variable& variable) {
  if (attribute.is_json) return Json::parse(attribute.text());
  if (attribute.type == ElementType::text) return attribute.text();
  const std::int64_t size = bytes_of(attribute.type);
  const bool is_of_float = variable.type == ElementType::f4 || variable.type == ElementType::f8;
  if (attribute.name == "_FillValue" && is_of_float && attribute.count() == 1) {
    std::array<std::byte, 8> value{};
    convert_elements(attribute.values.data(), {size, {attribute.type}}, value.data(), {8, {ElementType::f8}}, 1);
    store(value.data(), load<double>(value.data(), native_order), ByteOrder::little);
    return base64_text(value);
  }
  Json values = Json::array();
  for (std::int64_t i = 0; i < attribute.count(); ++i)
    values.push_back(element_json(attribute.values.data() + i * size, {attribute.type}));
  return values.size() == 1 ? values[0] : values;
}

namespace {

// Attributes whose values are those of the variable, never text.
constexpr std::array value_attributes{"_FillValue", "missing_value", "valid_min", "valid_max"};

// Returns the attribute of a text, which may state a number such as NaN.
Attribute attribute_of_text(const std::string& name, const Json& json, ElementType of_variable) {
  auto value = name == "_FillValue" ? double_in_base64(json.get<std::string>()) : std::nullopt;
  const bool may_be_name = std::ranges::find(value_attributes, name) != value_attributes.end();
  if (!value && may_be_name && is_infinite_name(json)) value = number_in(json);
  if (value && of_variable == ElementType::f4) return {name, static_cast<float>(*value)};
  if (value && of_variable == ElementType::f8) return {name, *value};
  return {name, json.get<std::string>()};
}

// Returns the attribute of integers, in the smallest type of 4 or 8 bytes.
Attribute attribute_of_integers(const std::string& name, const Json& list) {
  const bool is_large = std::ranges::any_of(
      list, [](const Json& each) { return each.is_number_unsigned() && each.get<std::uint64_t>() >> 63U != 0; });
  if (is_large) return {name, std::span<const std::uint64_t>(list.get<std::vector<std::uint64_t>>())};
  const auto values = list.get<std::vector<std::int64_t>>();
  const std::vector<std::int32_t> narrow(values.begin(), values.end());
  if (std::ranges::equal(narrow, values)) return {name, std::span<const std::int32_t>(narrow)};
  return {name, std::span<const std::int64_t>(values)};
}

}  // namespace

Attribute attribute_of(const std::string& name, const Json& json, ElementType of_variable) {
  if (json.is_string()) return attribute_of_text(name, json, of_variable);
  const Json list = json.is_array() ? json : Json::array({json});
  const bool is_integers =
      !list.empty() && std::ranges::all_of(list, [](const Json& each) { return each.is_number_integer(); });
  const bool is_numbers = !list.empty() && std::ranges::all_of(list, [&](const Json& each) {
    return each.is_number() || (json.is_array() && is_infinite_name(each));
  });
  const bool is_of_float = of_variable == ElementType::f4 || of_variable == ElementType::f8;
  const bool is_fill = name == "_FillValue" && list.size() == 1 && of_variable != ElementType::text;
  if ((is_integers || (is_numbers && is_of_float)) && is_fill) {
    Attribute attribute(name, std::int8_t{0});
    attribute.type = of_variable;
    attribute.values.resize(static_cast<std::size_t>(bytes_of(of_variable)));
    take_element(list[0], {of_variable}, attribute.values.data());
    return attribute;
  }
  if (is_integers) return attribute_of_integers(name, list);
  if (is_numbers) {
    std::vector<double> values;
    std::ranges::transform(list, std::back_inserter(values), number_in);
    return {name, std::span<const double>(values)};
  }
  Attribute attribute(name, json.dump());
  attribute.is_json = true;
  return attribute;
}

std::int64_t bytes_of_type(const Json& type) {
  if (type.is_string()) {
    const std::string name = type.get<std::string>();  // raw bits: "r1920" has 1920
    if (name.empty()) return 0;
    std::int64_t bits = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), bits);
    const bool is_raw = name.size() > 1 && name[0] == 'r' && error == std::errc() && end == name.data() + name.size();
    return is_raw && bits > 0 && bits % 8 == 0 ? bits / 8 : 0;
  }
  if (!type.is_object()) return 0;
  const std::string name = type.value("name", "");
  const Json configuration = type.value("configuration", Json::object());
  if (name != "structured") return configuration.value("length_bytes", std::int64_t{0});
  std::int64_t bytes = 0;
  for (const Json& field : configuration.at("fields")) bytes += bytes_of(type_named(field.at(1)));
  return bytes;
}

std::string base64_text(std::span<const std::byte> bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    std::uint32_t bits = 0;
    for (std::size_t b = at; b < at + 3; ++b)
      bits = bits << 8U | (b < bytes.size() ? std::to_integer<std::uint32_t>(bytes[b]) : 0U);
    for (const unsigned shift : {18U, 12U, 6U, 0U}) text += base64_digits[bits >> shift & 63U];
  }
  for (std::size_t pad = 0; pad < (3 - bytes.size() % 3) % 3; ++pad) text[text.size() - 1 - pad] = '=';
  return text;
}

}  // namespace sill::zarr
