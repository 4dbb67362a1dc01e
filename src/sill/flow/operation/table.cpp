#include "sill/flow/operation/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/flow/value/quantity.hpp"

namespace sill::flow {

void for_each_line(const std::string& path,
                   const std::function<void(std::string_view line, std::int64_t number)>& visit) {
  std::ifstream file(path);
  if (!file) throw system_error(errno, "open", {.file = path});
  const auto refuse = [&](std::int64_t number, std::string problem) {
    throw Error({.code = ErrorCode::usage,
                 .problem = std::move(problem),
                 .where = {.file = path, .item = number, .item_word = "line"},
                 .action = "a table is a text of a few numbers a line"});
  };
  std::array<char, 4096> line{};
  for (std::int64_t number = 1; file.getline(line.data(), line.size()) || file.gcount() > 0; ++number) {
    if (file.bad()) throw system_error(errno, "reading the table", {.file = path});
    if (file.fail()) refuse(number, fmt::format("the line has more than {} characters", line.size() - 1));
    // The end of the line was read, too, unless the file ended first.
    const std::string_view text(line.data(), static_cast<std::size_t>(file.gcount() - (file.eof() ? 0 : 1)));
    if (text.find('\0') != text.npos) refuse(number, "the line holds bytes of 0");
    const std::string_view content = trimmed(text.substr(0, text.find('#')));
    if (!content.empty()) visit(content, number);
  }
  if (file.bad()) throw system_error(errno, "reading the table", {.file = path});
}

Table Table::read(const std::string& path) {
  Table table;
  const auto refuse = [&](std::optional<std::int64_t> number, std::string problem) {
    throw Error({.code = ErrorCode::usage,
                 .problem = std::move(problem),
                 .where = {.file = path, .item = number, .item_word = "line"},
                 .action = "a table has two numbers a line, the first ones ascending"});
  };
  for_each_line(path, [&](std::string_view content, std::int64_t number) {
    const std::size_t comma = content.find_first_of(",; \t");
    const std::optional<double> x = finite_number(trimmed(content.substr(0, comma)));
    const std::optional<double> y =
        comma == std::string_view::npos ? std::nullopt : finite_number(trimmed(content.substr(comma + 1)));
    if (!x && !y && table.x_.empty()) return;  // a heading
    if (!x || !y) refuse(number, fmt::format("'{}' is not two numbers", echoed(content)));
    if (!table.x_.empty() && *x <= table.x_.back())
      refuse(number, fmt::format("{} does not come after {}", *x, table.x_.back()));
    table.x_.push_back(*x);
    table.y_.push_back(*y);
  });
  if (table.x_.empty()) refuse(std::nullopt, "the table has no points");
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
