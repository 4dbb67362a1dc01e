// Velocities that depend on time and on a header word.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sill/flow/operation/arguments.hpp"

namespace sill::flow {

/// Functions of time at locations: linear in time and between locations, constant outside. In m/s and s.
class VelocityField {
 public:
  /// Local. The argument `key`: a velocity, or `@FILE` with lines `time,velocity`, or `location,time,velocity`, in s
  /// and m/s; a first line of words is a heading, `#` begins a comment. Errors: usage, naming file and line: other
  /// numbers of columns, velocities that are not positive, times that do not ascend within a location, locations twice;
  /// io.
  VelocityField(const Arguments& arguments, std::string_view key);

  [[nodiscard]] bool depends_on_location() const { return functions_.size() > 1; }

  /// Local. The velocity and its derivative (in time, that behind a point of the table) at times t_first + i dt.
  void at(double location, double t_first, double dt, std::vector<double>& velocity,
          std::vector<double>& derivative) const;

 private:
  struct Function {
    double location = 0.0;
    std::vector<double> times;
    std::vector<double> velocities;
  };
  void read(const std::string& path);

  std::vector<Function> functions_;  // by location
};

}  // namespace sill::flow
