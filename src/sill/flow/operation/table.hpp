// Tables of two columns that users bring as files: `@mute.csv`.
#pragma once

#include <string>
#include <vector>

namespace sill::flow {

/// A function given by points: linear between them, constant outside.
class Table {
 public:
  /// Local. Reads a file of lines `x,y`, numbers in the units that the operation names; a first line of words is a
  /// heading, `#` begins a comment. Errors: usage, naming file and line: no two numbers, not finite, x that do not
  /// ascend, no points; io.
  [[nodiscard]] static Table read(const std::string& path);

  /// Local. The value at x.
  [[nodiscard]] double at(double x) const;

 private:
  std::vector<double> x_;
  std::vector<double> y_;
};

}  // namespace sill::flow
