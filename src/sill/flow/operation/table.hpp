// Tables of two columns that users bring as files: `@mute.csv`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sill::flow {

/// A file that an argument names: its path and what it holds.
struct TableFile {
  std::string path;
  std::string_view text;
};

/// A line of a table: its numbers, or nothing where something else stands; and what the user has written.
struct TableRow {
  std::vector<std::optional<double>> fields;
  std::string_view text;
  std::int64_t line = 0;  ///< from 1
};

/// Local. Throws a usage error about a table, or about a line of it.
[[noreturn]] void refuse_table(const std::string& path, std::optional<std::int64_t> line, std::string problem,
                               const std::string& action);

/// Local. Calls `visit` with each row of a table. Fields are separated by commas, semicolons, tabs or blanks; `#`
/// begins a comment; a first line that does not begin with a number is a heading. Errors: usage for a line that is
/// too long to be one of a table or holds bytes of 0.
void for_each_row(const TableFile& file, const std::function<void(const TableRow& row)>& visit);

/// Local. The value at x of a function that has `values` at `points`: linear between them, constant outside.
/// Precondition: points ascend; as many values as points, at least one.
[[nodiscard]] double interpolated(double x, std::span<const double> points, std::span<const double> values);

/// A function given by points: linear between them, constant outside.
class Table {
 public:
  /// Local. A file of lines `x,y`, numbers in the units that the operation names. Errors: usage, naming file and
  /// line: no two numbers, not finite, x that do not ascend, no points.
  [[nodiscard]] static Table read(const TableFile& file);

  /// Local. The value at x.
  [[nodiscard]] double at(double x) const { return interpolated(x, x_, y_); }

 private:
  std::vector<double> x_;
  std::vector<double> y_;
};

}  // namespace sill::flow
