#include "sill/flow/operation/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/flow/value/quantity.hpp"

namespace sill::flow {

namespace {

constexpr std::string_view blanks = " \t";

std::vector<std::optional<double>> fields_of(std::string_view line) {
  std::vector<std::optional<double>> fields;
  for (;;) {
    const std::size_t end = std::min(line.find_first_of(",; \t"), line.size());
    fields.push_back(finite_number(line.substr(0, end)));
    if (end == line.size()) return fields;
    // One comma or semicolon, with the blanks around it.
    line.remove_prefix(std::min(line.find_first_not_of(blanks, end), line.size()));
    if (line.starts_with(',') || line.starts_with(';'))
      line.remove_prefix(std::min(line.find_first_not_of(blanks, 1), line.size()));
  }
}

bool begins_with_number(std::string_view text) { return text.find_first_of("0123456789+-.") == 0; }

}  // namespace

void refuse_table(const std::string& path, std::optional<std::int64_t> line, std::string problem,
                  const std::string& action) {
  throw Error({.code = ErrorCode::usage,
               .problem = std::move(problem),
               .where = {.file = path, .item = line, .item_word = "line"},
               .action = action});
}

void for_each_row(const TableFile& file, const std::function<void(const TableRow& row)>& visit) {
  constexpr std::size_t max_characters = 4095;
  const auto refuse = [&](std::int64_t at, std::string problem) {
    refuse_table(file.path, at, std::move(problem), "a table is a text of a few numbers a line");
  };
  std::string_view rest = file.text;
  bool is_first = true;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.find('\0') != line.npos) refuse(number, "the line holds bytes of 0");
    if (line.size() > max_characters)
      refuse(number, fmt::format("the line has more than {} characters", max_characters));
    const std::string_view text = trimmed(line.substr(0, line.find('#')));
    if (text.empty()) continue;
    const bool is_heading = is_first && !begins_with_number(text);
    is_first = false;
    if (!is_heading) visit({fields_of(text), text, number});
  }
}

Table Table::read(const TableFile& file) {
  Table table;
  const auto refuse = [&](std::optional<std::int64_t> line, std::string problem) {
    refuse_table(file.path, line, std::move(problem), "a table has two numbers a line, the first ones ascending");
  };
  for_each_row(file, [&](const TableRow& row) {
    if (row.fields.size() != 2 || !row.fields[0] || !row.fields[1])
      refuse(row.line, fmt::format("'{}' is not two numbers", echoed(row.text)));
    const double x = *row.fields[0];
    if (!table.x_.empty() && x <= table.x_.back())
      refuse(row.line, fmt::format("{} does not come after {}", x, table.x_.back()));
    table.x_.push_back(x);
    table.y_.push_back(*row.fields[1]);
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
