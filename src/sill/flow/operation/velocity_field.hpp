// Velocities that depend on time and on a header word.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sill/flow/operation/arguments.hpp"

namespace sill::flow {

/// A velocity given at times: linear between them, constant outside. In m/s and s.
class VelocityFunction {
 public:
  /// Local. Precondition: times ascend; as many velocities as times, at least one.
  VelocityFunction(std::vector<double> times, std::vector<double> velocities)
      : times_(std::move(times)), velocities_(std::move(velocities)) {}

  /// Local. The velocity at `time`.
  [[nodiscard]] double at(double time) const;

  /// Local. The velocity and its derivative (in time, that behind a given point) at times t_first + i dt. Precondition:
  /// both have as many elements.
  void sample(double t_first, double dt, std::span<double> velocity, std::span<double> derivative) const;

  [[nodiscard]] std::span<const double> times() const { return times_; }

 private:
  std::vector<double> times_;
  std::vector<double> velocities_;
};

/// Velocity functions at locations: linear between locations, constant outside.
class VelocityField {
 public:
  /// Local. The argument `key`: a velocity, or `@FILE` with lines `time,velocity`, or `location,time,velocity`, in s
  /// and m/s; a first line without numbers is a heading, `#` begins a comment. Errors: usage, naming file and line:
  /// other numbers of columns, velocities that are not positive, times that do not ascend within a location, locations
  /// in two places.
  VelocityField(const Arguments& arguments, std::string_view key);

  [[nodiscard]] bool depends_on_location() const { return functions_.size() > 1; }

  /// Local. The function at a location.
  [[nodiscard]] VelocityFunction function_at(double location) const;

 private:
  struct Function {
    double location = 0.0;
    std::vector<double> times;
    std::vector<double> velocities;
  };
  void read(const TableFile& file);

  std::vector<Function> functions_;  // by location
};

}  // namespace sill::flow
