// Tables of numbers in files of the user: `@mute.csv`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sill/flow/value/quantity.hpp"

namespace sill::flow {

struct SurveyState;

/// A file that an argument names: its path and its content.
struct TableFile {
  std::string path;
  std::shared_ptr<const std::string> text;
};

/// A required or optional column of a table.
struct TableColumn {
  std::string name;                      ///< the documented name
  Dimension dimension;                   ///< number, time, length or velocity
  std::vector<std::string> others = {};  ///< alternative names
  bool is_optional = false;              ///< the column may be missing (allowed only for the first column); its values
                                         ///< are then 0
};

/// Limits of velocities in m/s: others are probably in another unit.
constexpr double slowest_velocity = 100.0;
constexpr double fastest_velocity = 10000.0;

/// Local. Throws a usage error about a table, or about a line of it.
[[noreturn]] void refuse_table(const std::string& path, std::optional<std::int64_t> line, std::string problem,
                               const std::string& action);

/// Local. Returns the names in the first line of a table, without units; none if that line starts with a number.
/// Errors: as `read_table` for the lines up to that one.
[[nodiscard]] std::vector<std::string> column_names(const TableFile& file);

/// Local. Returns true if one of `columns` has this name. Ignores case, blanks, hyphens and underscores, and a unit
/// after an underscore.
[[nodiscard]] bool names_a_column(std::span<const TableColumn> columns, std::string_view name);

/// Local. Calls `visit` with the line, from 1, and the values of each row, in the order of `columns`: times in s,
/// lengths in m, velocities in m/s. Fields are separated by commas, semicolons, tabs or blanks; `#` starts a comment. A
/// first line that does not start with a number names the columns, in any order and case; a name may state the unit:
/// `time_ms`, `time [ms]`, `offset (ft)`. Without that line the columns are in the order of `columns`. Without a unit,
/// times are in s, lengths in the unit of the survey, velocities in m/s. Errors: usage, with file and line: bytes of 0;
/// lines too long for a table; no rows; unknown, missing or repeated names; rows with a different number of fields; and
/// values that are probably in another unit, if no name states the unit: times of more than twice the time of the last
/// sample, velocities outside 100 to 10,000 m/s, velocities for a survey in feet.
void read_table(const TableFile& file, std::span<const TableColumn> columns, const SurveyState& survey,
                const std::function<void(std::int64_t line, std::span<const double> values)>& visit);

/// Local. Returns the value at x of a function with `values` at `points`: linear between the points, constant outside.
/// Preconditions: points are in ascending order; as many values as points, at least one.
[[nodiscard]] double interpolated(double x, std::span<const double> points, std::span<const double> values);

/// A function defined by points: linear between them, constant outside.
class Table {
 public:
  /// Local. Reads a table of two columns: x, and the value at x. Errors: as `read_table`; usage if x is not in
  /// ascending order.
  [[nodiscard]] static Table read(const TableFile& file, std::span<const TableColumn, 2> columns,
                                  const SurveyState& survey);

  /// Local. Returns the value at x.
  [[nodiscard]] double at(double x) const { return interpolated(x, x_, y_); }

 private:
  std::vector<double> x_;
  std::vector<double> y_;
};

}  // namespace sill::flow
