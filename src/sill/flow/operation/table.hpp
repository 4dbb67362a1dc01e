// Tables of numbers that users bring as files: `@mute.csv`.
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

/// A file that an argument names: its path and what it holds.
struct TableFile {
  std::string path;
  std::shared_ptr<const std::string> text;
};

/// A column that a table has or may have.
struct TableColumn {
  std::string name;                      ///< as it is documented
  Dimension dimension;                   ///< number, time, length or velocity
  std::vector<std::string> others = {};  ///< other names of the same thing
  bool is_optional = false;              ///< of the first column alone; where it is missing its values are 0
};

/// Local. Throws a usage error about a table, or about a line of it.
[[noreturn]] void refuse_table(const std::string& path, std::optional<std::int64_t> line, std::string problem,
                               const std::string& action);

/// Local. The names in the first line of a table, without their units; none if that line begins with a number. Errors:
/// as `read_table` for the lines up to that one.
[[nodiscard]] std::vector<std::string> column_names(const TableFile& file);

/// Local. Whether one of `columns` is called so, in any case, with blanks, hyphens and underscores left out, and with
/// or without a unit behind an underscore.
[[nodiscard]] bool names_a_column(std::span<const TableColumn> columns, std::string_view name);

/// Local. Calls `visit` with the line, from 1, and the values of each row, in the order of `columns`: times in s,
/// lengths in m, velocities in m/s. Fields are separated by commas, semicolons, tabs or blanks; `#` begins a comment. A
/// first line that does not begin with a number names the columns, in any order and case; a name may state the unit:
/// `time_ms`, `time [ms]`, `offset (ft)`. Without that line the columns stand in the order of `columns`. Without a unit
/// times are in s, lengths in the unit of the survey, velocities in m/s. Errors: usage, naming file and line: bytes
/// of 0, lines too long to be a table's, no rows; names that are unknown, missing or repeated; rows with
/// another number of fields; and values that are probably not meant, if no name states the unit: times of more than
/// twice that of the last sample, velocities outside 100 to 10,000 m/s, velocities of a survey in feet.
void read_table(const TableFile& file, std::span<const TableColumn> columns, const SurveyState& survey,
                const std::function<void(std::int64_t line, std::span<const double> values)>& visit);

/// Local. The value at x of a function that has `values` at `points`: linear between them, constant outside.
/// Precondition: points ascend; as many values as points, at least one.
[[nodiscard]] double interpolated(double x, std::span<const double> points, std::span<const double> values);

/// A function given by points: linear between them, constant outside.
class Table {
 public:
  /// Local. A table of two columns, x and the value at x. Errors: as `read_table`; x that do not ascend.
  [[nodiscard]] static Table read(const TableFile& file, std::span<const TableColumn, 2> columns,
                                  const SurveyState& survey);

  /// Local. The value at x.
  [[nodiscard]] double at(double x) const { return interpolated(x, x_, y_); }

 private:
  std::vector<double> x_;
  std::vector<double> y_;
};

}  // namespace sill::flow
