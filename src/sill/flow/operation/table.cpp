#include "sill/flow/operation/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/flow/operation/operation.hpp"
#include "sill/flow/operation/trace_offset.hpp"

namespace sill::flow {

namespace {

constexpr std::string_view blanks = " \t";

// A line of a table that is not empty.
struct TableLine {
  std::int64_t number = 0;  // from 1
  std::string_view text;    // without comment
  bool is_heading = false;
};

bool begins_with_number(std::string_view text) { return text.find_first_of("0123456789+-.") == 0; }

// Calls `visit` for each line until it returns false.
void for_each_line(const TableFile& file, const std::function<bool(const TableLine& line)>& visit) {
  constexpr std::size_t max_characters = 4095;
  const auto refuse = [&](std::int64_t at, std::string problem) {
    refuse_table(file.path, at, std::move(problem), "a table is a text of a few numbers per line");
  };
  std::string_view rest = file.text != nullptr ? std::string_view(*file.text) : std::string_view();
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);  // a byte order mark
  bool is_first = true;
  for (std::int64_t number = 1; !rest.empty(); ++number) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    if (line.find('\0') != line.npos) refuse(number, "the line contains bytes of 0");
    if (line.size() > max_characters)
      refuse(number, fmt::format("the line has more than {} characters", max_characters));
    const std::string_view text = trimmed(line.substr(0, line.find('#')));
    if (text.empty()) continue;
    if (!visit({number, text, is_first && !begins_with_number(text)})) return;
    is_first = false;
  }
}

// Returns the first field of `line`, and removes it from `line` with its separator: one comma, semicolon or tab with
// the blanks around it, or blanks.
std::string_view take_field(std::string_view& line, std::string_view separators) {
  const std::size_t end = std::min(line.find_first_of(separators), line.size());
  const std::string_view field = trimmed(line.substr(0, end));
  line.remove_prefix(std::min(line.find_first_not_of(blanks, end), line.size()));
  if (line.starts_with(',') || line.starts_with(';'))
    line.remove_prefix(std::min(line.find_first_not_of(blanks, 1), line.size()));
  return field;
}

// Names may contain blanks if there are other separators. A unit in brackets belongs to the name before it.
std::vector<std::string> names_in(std::string_view heading) {
  const bool has_separators = heading.find_first_of(",;\t") != heading.npos;
  std::vector<std::string> names;
  while (!heading.empty()) {
    std::string_view field = take_field(heading, has_separators ? ",;\t" : blanks);
    if (field.size() > 1 && field.front() == '"' && field.back() == '"') field = field.substr(1, field.size() - 2);
    if (!has_separators && !names.empty() && field.find_first_of("[(") == 0)
      names.back() += field;
    else
      names.emplace_back(field);
  }
  return names;
}

// Returns the name without separators and in lower case: "V_rms" becomes "vrms".
std::string plain(std::string_view name) {
  std::string small;
  for (const char c : name)
    if (c != '_' && c != '-' && c != ' ') small += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

bool is_called(const TableColumn& column, std::string_view name) {
  const auto is_it = [&](std::string_view other) { return plain(other) == plain(name); };
  return is_it(column.name) || std::ranges::any_of(column.others, is_it);
}

// Returns a name without a unit in brackets, and that unit.
std::pair<std::string_view, std::string_view> split_brackets(std::string_view name) {
  const std::size_t open = name.find_first_of("[(");
  if (open == name.npos || open == 0 || name.find_last_of("])") != name.size() - 1) return {name, {}};
  return {trimmed(name.substr(0, open)), trimmed(name.substr(open + 1, name.size() - open - 2))};
}

// Returns the factor of the unit in `name`, if it names the column; 0 if it states no unit.
std::optional<double> factor_if_named(const TableColumn& column, std::string_view name) {
  const auto [before, unit] = split_brackets(name);
  if (!unit.empty()) {
    if (!is_called(column, before)) return std::nullopt;
    return factor_of_unit(unit, column.dimension);
  }
  if (is_called(column, name)) return 0.0;
  const std::size_t bar = name.rfind('_');
  if (bar == name.npos || !is_called(column, name.substr(0, bar))) return std::nullopt;
  return factor_of_unit(name.substr(bar + 1), column.dimension);
}

// Finds the requested columns of a table and their units.
class ColumnReader {
 public:
  ColumnReader(const TableFile& file, std::span<const TableColumn> columns, const SurveyState& survey)
      : path_(file.path),
        columns_(columns),
        end_s_((survey.start_us + static_cast<double>(survey.samples) * survey.interval_us) * 1e-6),
        length_m_(length_unit_m(survey)),
        values_(columns.size()) {}

  void take_names(const TableLine& heading) {
    const std::vector<std::string> names = names_in(heading.text);
    places_.assign(columns_.size(), std::nullopt);
    factors_.assign(columns_.size(), 0.0);
    fields_ = names.size();
    for (std::size_t field = 0; field < names.size(); ++field) {
      const auto named = [&](const TableColumn& column) { return factor_if_named(column, names[field]).has_value(); };
      const auto found = std::ranges::find_if(columns_, named);
      if (found == columns_.end())
        refuse(heading.number, fmt::format("the column '{}' is unknown", echoed(names[field])), heading.text);
      const auto column = static_cast<std::size_t>(found - columns_.begin());
      if (places_[column])
        refuse(heading.number, fmt::format("two columns have the name {}", found->name), heading.text);
      places_[column] = field;
      factors_[column] = *factor_if_named(*found, names[field]);
    }
    for (std::size_t c = 0; c < columns_.size(); ++c)
      if (!places_[c] && !columns_[c].is_optional)
        refuse(heading.number, fmt::format("the column {} is missing", columns_[c].name), heading.text);
  }

  // Returns the values of a line. Precondition: the line of names has been read, if there is one.
  std::span<const double> values_of(const TableLine& line) {
    std::string_view rest = line.text;
    read_.clear();
    bool are_numbers = true;
    while (!rest.empty()) {
      const std::optional<double> number = finite_number(take_field(rest, ",; \t"));
      are_numbers = are_numbers && number;
      read_.push_back(number.value_or(0.0));
    }
    if (places_.empty()) place_by_order();
    if (!are_numbers || (read_.size() != fields_ && !take_as_order(read_.size())))
      refuse(line.number, fmt::format("'{}' is not {} numbers", echoed(line.text), count_text()));
    for (std::size_t c = 0; c < columns_.size(); ++c)
      values_[c] = places_[c] ? value_of(c, read_[*places_[c]], line.number) : 0.0;
    is_first_row_ = false;
    return values_;
  }

 private:
  [[noreturn]] void refuse(std::int64_t line, std::string problem, std::string_view heading = {}) const {
    std::string columns;
    for (const TableColumn& column : columns_)
      columns += fmt::format("{}{}{}", columns.empty() ? "" : ", ", column.name,
                             column.is_optional ? " (which may be missing)" : "");
    const std::string there = heading.empty() ? "" : fmt::format("; the first line is '{}'", echoed(heading));
    refuse_table(path_, line, std::move(problem),
                 fmt::format("its columns are {}: with names in the first line, or in this order{}", columns, there));
  }

  void place_by_order() {
    for (std::size_t c = 0; c < columns_.size(); ++c) places_.emplace_back(c);
    factors_.assign(columns_.size(), 0.0);
    fields_ = columns_.size();
    is_by_order_ = true;
  }

  // In a table without names, the first row determines whether the optional column is present.
  bool take_as_order(std::size_t fields) {
    if (!is_by_order_ || !is_first_row_ || !columns_.front().is_optional || fields + 1 != columns_.size()) return false;
    places_.front().reset();
    for (std::size_t c = 1; c < columns_.size(); ++c) places_[c] = c - 1;
    fields_ = fields;
    return true;
  }

  [[nodiscard]] std::string_view count_text() const {
    static constexpr std::array<std::string_view, 5> words{"no", "one", "two", "three", "four"};
    const bool is_open = is_by_order_ && is_first_row_ && columns_.front().is_optional;
    return is_open && columns_.size() == 3 ? "two or three" : words[std::min(fields_, words.size() - 1)];
  }

  [[nodiscard]] double value_of(std::size_t column, double number, std::int64_t line) const {
    const Dimension dimension = columns_[column].dimension;
    const bool has_unit = factors_[column] != 0.0;
    const double value = number * (has_unit ? factors_[column] : dimension == Dimension::length ? length_m_ : 1.0);
    if (dimension == Dimension::velocity && value <= 0.0)
      refuse(line, fmt::format("the velocity {} is not positive", number));
    if (!has_unit && dimension == Dimension::time) require_time(columns_[column].name, value, line);
    if (!has_unit && dimension == Dimension::velocity) require_velocity(columns_[column].name, value, line);
    return value;
  }

  void require_time(const std::string& name, double time, std::int64_t line) const {
    constexpr double longest = 2.0;  // tables may cover longer records, and traces may start later than the first
    if (time <= longest * end_s_) return;
    refuse_table(path_, line, fmt::format("{} {:.6g} s is far after the last sample, at {:.6g} s", name, time, end_s_),
                 fmt::format("name the columns in the first line, in their order and with the unit: {0}_ms for "
                             "milliseconds, {0}_s for seconds",
                             name));
  }

  void require_velocity(const std::string& name, double velocity, std::int64_t line) const {
    const std::string action = fmt::format(
        "name the columns in the first line, in their order and with the unit: {0}_m/s, {0}_km/s or {0}_ft/s", name);
    if (length_m_ != 1.0)
      refuse_table(path_, line, "the survey is in feet, but the table does not state the unit of its velocities",
                   action);
    if (velocity < slowest_velocity || velocity > fastest_velocity)
      refuse_table(
          path_, line,
          fmt::format("the {} {} m/s is not between {} and {} m/s", name, velocity, slowest_velocity, fastest_velocity),
          action);
  }

  const std::string& path_;
  std::span<const TableColumn> columns_;
  double end_s_;                                    // of the survey
  double length_m_;                                 // the unit of its lengths
  std::vector<std::optional<std::size_t>> places_;  // the field of each column
  std::vector<double> factors_;                     // of its unit; 0: no unit is stated
  std::size_t fields_ = 0;                          // of each row
  bool is_by_order_ = false;
  bool is_first_row_ = true;
  std::vector<double> read_;
  std::vector<double> values_;
};

}  // namespace

void refuse_table(const std::string& path, std::optional<std::int64_t> line, std::string problem,
                  const std::string& action) {
  throw Error({.code = ErrorCode::usage,
               .problem = std::move(problem),
               .where = {.file = path, .item = line, .item_word = "line"},
               .action = action});
}

std::vector<std::string> column_names(const TableFile& file) {
  std::vector<std::string> names;
  for_each_line(file, [&](const TableLine& line) {
    if (line.is_heading)
      for (const std::string& name : names_in(line.text)) names.emplace_back(split_brackets(name).first);
    return false;
  });
  return names;
}

bool names_a_column(std::span<const TableColumn> columns, std::string_view name) {
  return std::ranges::any_of(columns,
                             [&](const TableColumn& column) { return factor_if_named(column, name).has_value(); });
}

void read_table(const TableFile& file, std::span<const TableColumn> columns, const SurveyState& survey,
                const std::function<void(std::int64_t line, std::span<const double> values)>& visit) {
  ColumnReader reader(file, columns, survey);
  bool has_rows = false;
  for_each_line(file, [&](const TableLine& line) {
    if (line.is_heading) {
      reader.take_names(line);
    } else {
      visit(line.number, reader.values_of(line));
      has_rows = true;
    }
    return true;
  });
  if (!has_rows) refuse_table(file.path, std::nullopt, "the table has no points", "write one line per point");
}

Table Table::read(const TableFile& file, std::span<const TableColumn, 2> columns, const SurveyState& survey) {
  Table table;
  read_table(file, columns, survey, [&](std::int64_t line, std::span<const double> values) {
    if (!table.x_.empty() && values[0] <= table.x_.back())
      refuse_table(file.path, line,
                   fmt::format("{} {} does not come after {}", columns[0].name, values[0], table.x_.back()),
                   fmt::format("order the lines by {}", columns[0].name));
    table.x_.push_back(values[0]);
    table.y_.push_back(values[1]);
  });
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
