#include "cli/grid_text.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <limits>

#include "sill/base/error.hpp"

namespace sill::cli {

Index grid_of(const std::string& text, const std::string& option) {
  Index shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  std::int64_t room = std::numeric_limits<std::int64_t>::max();
  bool is_sound = true;
  while (is_sound) {
    std::int64_t points = 0;
    const auto [next, failure] = std::from_chars(at, end, points);
    is_sound = failure == std::errc() && points > 0 && (room /= points) > 0;
    shape.push_back(points);
    at = next;
    if (at == end) break;
    is_sound = is_sound && *at++ == 'x';
  }
  if (is_sound && shape.size() == 3) return shape;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{} {}: no grid of points", option, text),
               .action = fmt::format("give the points in x, y and z, such as {} 400x200x100", option)});
}

}  // namespace sill::cli
