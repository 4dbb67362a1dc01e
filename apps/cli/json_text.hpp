// Values and texts in JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sill/formats/segy/words/words.hpp"

namespace sill::cli {

/// Local. Returns `json` in lines, in ASCII. Bytes of strings that are not UTF-8 are replaced.
template <class Json>
[[nodiscard]] std::string json_text(const Json& json) {
  return json.dump(2, ' ', true, Json::error_handler_t::replace);
}

/// Local. Returns the value of a header word: an integer, a double, or a string.
[[nodiscard]] inline nlohmann::ordered_json json_value(const segy::WordValue& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value.number)) return *integer;
  if (const auto* integer = std::get_if<std::uint64_t>(&value.number)) return *integer;
  if (const auto* real = std::get_if<double>(&value.number)) return *real;
  return value.text();
}

}  // namespace sill::cli
