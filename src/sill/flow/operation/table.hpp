// Tables of two columns that users bring as files: `@mute.csv`.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sill::flow {

/// Local. Calls `visit` with each line of a table and its number, from 1: without comment, which `#` begins, and the
/// blanks around, and only if something is left. Errors: io; usage for a line that is too long to be one of a table.
void for_each_line(const std::string& path,
                   const std::function<void(std::string_view line, std::int64_t number)>& visit);

/// Local. The value at x of a function that has `values` at `points`: linear between them, constant outside.
/// Precondition: points ascend; as many values as points, at least one.
[[nodiscard]] double interpolated(double x, std::span<const double> points, std::span<const double> values);

/// A function given by points: linear between them, constant outside.
class Table {
 public:
  /// Local. Reads a file of lines `x,y`, numbers in the units that the operation names; a first line of words is a
  /// heading, `#` begins a comment. Errors: usage, naming file and line: no two numbers, not finite, x that do not
  /// ascend, no points; io.
  [[nodiscard]] static Table read(const std::string& path);

  /// Local. The value at x.
  [[nodiscard]] double at(double x) const { return interpolated(x, x_, y_); }

 private:
  std::vector<double> x_;
  std::vector<double> y_;
};

}  // namespace sill::flow
