// Velocities that depend on time and on a header word.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sill/flow/operation/arguments.hpp"
#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// A velocity function given at times: linear between them, constant outside. In m/s and s.
class VelocityFunction {
 public:
  /// Local. Stores the function. Preconditions: times are in ascending order; as many velocities as times, at least
  /// one.
  VelocityFunction(std::vector<double> times, std::vector<double> velocities)
      : times_(std::move(times)), velocities_(std::move(velocities)) {}

  /// Local. Returns the velocity at `time`.
  [[nodiscard]] double at(double time) const;

  /// Local. Computes the velocity and its derivative with respect to time (at a given point, the derivative after it)
  /// at times t_first + i dt. Precondition: both spans have the same length.
  void sample(double t_first, double dt, std::span<double> velocity, std::span<double> derivative) const;

  /// Local. Returns the velocity at the last given time that is not after `time`, or at the first given time.
  [[nodiscard]] double before(double time) const;

  [[nodiscard]] std::span<const double> times() const { return times_; }

 private:
  std::vector<double> times_;
  std::vector<double> velocities_;
};

/// Velocity functions at locations: from a table, linear between locations and constant outside; or the traces of a
/// velocity survey.
class VelocityField {
 public:
  /// Local. Reads the argument `key` and the argument `location`. The argument `key` is a velocity or `@FILE`: a table
  /// of time,velocity or location,time,velocity, which `bind` reads, or a survey (`Parameter::survey_by` location).
  /// Errors: usage.
  VelocityField(const Arguments& arguments, std::string_view key);

  /// Local. Returns the parameter `name` for a velocity.
  [[nodiscard]] static Parameter parameter(std::string_view name, std::string_view default_value);
  /// Local. Returns the parameter `location`: the header word, or the keys, of the locations of velocities.
  [[nodiscard]] static Parameter location_parameter();

  /// Local. Reads the table or opens the survey of velocities, if there is one, for a survey. Must be called once,
  /// before the functions below. Locations of a table are values of the word `location`; by default, of the word that
  /// names the column in the table; otherwise, of cdp. Traces of a velocity survey are found by the keys `location`.
  /// Errors: usage, with file and line, as `read_table`; usage if times do not ascend within a location, if the lines
  /// of a location are not consecutive, if the survey does not have the words, or if the velocity survey does not have
  /// the keys, or does not state its unit although the survey is in feet.
  void bind(const SurveyState& survey);
  /// Local. Adds the words that `location_of` reads.
  void add_to(Access& access) const;

  /// Local. Returns the header word for the locations of a table. Precondition: `bind` was called.
  [[nodiscard]] const std::string& location_word() const { return location_word_; }
  [[nodiscard]] bool depends_on_location() const { return section_ != nullptr || functions_.size() > 1; }

  /// Local. Returns the location of trace `i` of a block, for `function_at`. Errors: input, with the index in the
  /// block, if the velocity survey has no such trace.
  [[nodiscard]] double location_of(TraceBlock& block, std::int64_t i) const;

  /// Local. Returns the velocity function of the table at a location; without a table, the function of the single
  /// velocity.
  [[nodiscard]] VelocityFunction function_at(double location) const;
  /// Local. Returns the velocity function of trace `i` of a block. Errors: as `location_of`; for a velocity survey: io,
  /// and input if velocities are not between 100 and 10,000 m/s.
  [[nodiscard]] VelocityFunction function_of(TraceBlock& block, std::int64_t i) const;

 private:
  struct Function {
    double location = 0.0;
    std::vector<double> times;
    std::vector<double> velocities;
  };

  [[nodiscard]] std::string read(const SurveyState& survey);
  [[nodiscard]] VelocityFunction function_of_trace(std::int64_t number) const;

  std::optional<std::string> location_name_;
  std::optional<TableFile> file_;
  std::vector<Function> functions_;  // by location
  std::string location_word_;
  std::optional<segy::WordRef> location_;
  ByteOrder order_ = ByteOrder::big;
  std::shared_ptr<const OtherSurvey> section_;
  std::vector<segy::TraceKey> keys_;
};

}  // namespace sill::flow
