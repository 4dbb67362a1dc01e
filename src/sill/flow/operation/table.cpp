#include "sill/flow/operation/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/flow/value/quantity.hpp"

namespace sill::flow {
Table Table::read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw system_error(errno, "open", {.file = path});
  Table table;
  std::string line;
  const auto refuse = [&](std::int64_t number, std::string problem) {
    throw Error({.code = ErrorCode::usage,
                 .problem = std::move(problem),
                 .where = {.file = path, .item = number, .item_word = "line"},
                 .action = "a table has two numbers a line, the first ones ascending"});
  };
  std::int64_t number = 0;
  while (std::getline(file, line)) {
    ++number;
    const std::string_view content = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (content.empty()) continue;
    const std::size_t comma = content.find_first_of(",; \t");
    const std::optional<double> x = finite_number(trimmed(content.substr(0, comma)));
    const std::optional<double> y =
        comma == std::string_view::npos ? std::nullopt : finite_number(trimmed(content.substr(comma + 1)));
    if (!x && !y && table.x_.empty()) continue;  // a heading
    if (!x || !y) refuse(number, fmt::format("'{}' is not two numbers", echoed(content)));
    if (!table.x_.empty() && *x <= table.x_.back())
      refuse(number, fmt::format("{} does not come after {}", *x, table.x_.back()));
    table.x_.push_back(*x);
    table.y_.push_back(*y);
  }
  if (table.x_.empty()) refuse(number, "the table has no points");
  return table;
}

double interpolated(double x, std::span<const double> points, std::span<const double> values) {
  const auto after = std::ranges::upper_bound(points, x);
  if (after == points.begin()) return values.front();
  if (after == points.end()) return values.back();
  const auto i = static_cast<std::size_t>(after - points.begin());
  const double share = (x - points[i - 1]) / (points[i] - points[i - 1]);
  return values[i - 1] + share * (values[i] - values[i - 1]);
}

}  // namespace sill::flow
