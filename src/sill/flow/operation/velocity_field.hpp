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

  /// Local. The velocity at the last given time that is not after `time`, or the first.
  [[nodiscard]] double before(double time) const;

  [[nodiscard]] std::span<const double> times() const { return times_; }

 private:
  std::vector<double> times_;
  std::vector<double> velocities_;
};

/// Velocity functions at locations: of a table linear between locations, constant outside; or the traces of a survey of
/// velocities.
class VelocityField {
 public:
  /// Local. The argument `key`: a velocity, or `@FILE`, a table of time,velocity or location,time,velocity, which
  /// `bind` reads, or a survey (`Parameter::survey_by` location); and the argument `location`. Errors: usage.
  VelocityField(const Arguments& arguments, std::string_view key);

  /// Local. The parameter `name` of a velocity.
  [[nodiscard]] static Parameter parameter(std::string_view name, std::string_view default_value);
  /// Local. The parameter of its locations.
  [[nodiscard]] static Parameter location_parameter();

  /// Local. Reads the table, if it is one, for a survey; called once, before all that follows. Its locations are values
  /// of the word `location`, else of what the table calls them, else of cdp; a trace of a survey is that of the keys
  /// `location`. Errors: usage, naming file and line, as `read_table`: times that do not ascend within a location,
  /// locations in two places; words that the survey does not have, keys that the survey of velocities does not have.
  void bind(const SurveyState& survey);
  /// Local. Adds what `location_of` reads.
  void add_to(Access& access) const;

  /// The word that locations of a table are values of. Precondition: `bind`.
  [[nodiscard]] const std::string& location_word() const { return location_word_; }
  [[nodiscard]] bool depends_on_location() const { return section_ != nullptr || functions_.size() > 1; }

  /// Local. Where trace `i` of a block is, for `function_at`. Errors: input, naming the index in the block: the survey
  /// of velocities has no such trace.
  [[nodiscard]] double location_of(TraceBlock& block, std::int64_t i) const;

  /// Local. The function at a location of a table, or that of a velocity.
  [[nodiscard]] VelocityFunction function_at(double location) const;
  /// Local. The function of trace `i` of a block. Errors: as `location_of`; of a survey io, and input for velocities
  /// that are not above 0.
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
