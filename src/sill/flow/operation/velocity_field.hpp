// Velocities that depend on time and on a header word.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sill/flow/operation/arguments.hpp"
#include "sill/flow/operation/operation.hpp"

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
  /// Local. The argument `key`: a velocity, or `@FILE`, a table of time,velocity or location,time,velocity, which
  /// `bind` reads. Errors: usage.
  VelocityField(const Arguments& arguments, std::string_view key);

  /// Local. Reads the table, if it is one, for a survey; called once, before all that follows. Returns the name of the
  /// word that its locations are values of: `location`, else what the table calls them, else cdp. Errors: usage,
  /// naming file and line, as `read_table`: times that do not ascend within a location, locations in two places.
  std::string bind(const SurveyState& survey, const std::optional<std::string>& location);

  [[nodiscard]] bool depends_on_location() const { return functions_.size() > 1; }

  /// Local. The function at a location.
  [[nodiscard]] VelocityFunction function_at(double location) const;

 private:
  struct Function {
    double location = 0.0;
    std::vector<double> times;
    std::vector<double> velocities;
  };

  std::optional<TableFile> file_;
  std::vector<Function> functions_;  // by location
};

}  // namespace sill::flow
