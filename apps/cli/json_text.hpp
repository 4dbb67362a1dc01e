// Prints JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace sill::cli {

/// Local. Returns `json` in lines, in ASCII. Bytes of strings that are not UTF-8 are replaced.
template <class Json>
[[nodiscard]] std::string json_text(const Json& json) {
  return json.dump(2, ' ', true, Json::error_handler_t::replace);
}

}  // namespace sill::cli
