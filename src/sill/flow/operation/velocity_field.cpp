#include "sill/flow/operation/velocity_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/processors.hpp"
#include "sill/flow/operation/other_survey.hpp"
#include "sill/flow/operation/table.hpp"
#include "sill/flow/operation/trace_offset.hpp"

namespace sill::flow {
namespace {

constexpr std::string_view default_location = "cdp";

// Sample i is at t_first + i dt; the line has the value `velocity` at `time`.
struct Line {
  double t_first;
  double dt;
  double time;
  double velocity;
  double slope;
};

SILL_FOR_PROCESSORS void set_line(double* velocity, std::size_t begin, std::size_t end, Line line) {
  // A 32-bit integer is converted to a double with a single instruction.
  for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i) {
    const double time = line.t_first + static_cast<double>(i) * line.dt;
    velocity[i] = line.velocity + line.slope * (time - line.time);
  }
}

// As for tables: a velocity survey that does not state its unit of length is in metres only if the survey is.
void require_unit(const SurveyReader& velocities, const SurveyState& survey) {
  const int stated = velocities.files().front().measurement_system;
  if (stated == 1 || stated == 2 || length_unit_m(survey) == 1.0) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("the survey is in feet, but {} does not state the unit of its velocities",
                                      velocities.paths().front()),
               .action = "set its measurement system (bytes 3255-3256) to 1 for m/s or 2 for ft/s"});
}

}  // namespace

VelocityField::VelocityField(const Arguments& arguments, std::string_view key)
    : location_name_(arguments.text("location")), section_(arguments.survey_if_any(key)) {
  if (section_ != nullptr) return;
  file_ = arguments.table(key);
  if (file_) return;
  const double velocity = arguments.required(key, Dimension::velocity);
  if (velocity <= 0.0) arguments.refuse(key, "the velocity is not positive");
  functions_.push_back({0.0, {0.0}, {velocity}});
}

Parameter VelocityField::parameter(std::string_view name, std::string_view default_value) {
  return {.name = name,
          .form = "VELOCITY | @FILE",
          .default_value = default_value,
          .text =
              "A number, a survey of velocities (.sgy, .segy or .su), or a table. Lines of a table are "
              "time,velocity or location,time,velocity, in s and m/s unless its first line names other units, "
              "and are interpolated linearly",
          .survey_by = "location",
          .may_be_table = true};
}

Parameter VelocityField::location_parameter() {
  return {"location", "WORD", default_location,
          "Header word of the locations in a velocity table, unless its first line names the word; for a survey of "
          "velocities, keys that select its traces"};
}

void VelocityField::bind(const SurveyState& survey) {
  order_ = survey.order;
  if (section_ != nullptr) {
    require_unit(section_->reader(), survey);
    keys_ = section_->keys_in(*survey.words, location_name_.value_or(std::string(default_location)));
    return;
  }
  location_word_ = read(survey);
  if (!depends_on_location() && !location_name_) return;
  location_ = survey.words->word(location_word_);
  segy::require_true_value(*location_, location_word_);
}

void VelocityField::add_to(Access& access) const {
  if (location_) access.read_number({*location_});
  if (section_ == nullptr) return;
  access.can_stop = true;
  for (const segy::TraceKey& key : keys_) access.read_key(key);
}

double VelocityField::location_of(TraceBlock& block, std::int64_t i) const {
  if (section_ == nullptr) return location_ ? segy::true_value(*location_, block.header(i).data(), order_) : 0.0;
  if (const std::optional<std::int64_t> number = section_->find(keys_, block.view(i)))
    return static_cast<double>(*number);
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("{} has no trace with {}", section_->reader().paths().front(),
                                      text_of(keys_, block.view(i))),
               .where = {.item = i + 1, .item_word = "trace"},
               .action = "give velocities at all locations, or another word as location"});
}

VelocityFunction VelocityField::function_of(TraceBlock& block, std::int64_t i) const {
  const double location = location_of(block, i);
  if (section_ == nullptr) return function_at(location);
  try {
    return function_of_trace(static_cast<std::int64_t>(location));
  } catch (const Error& error) {
    throw_at(error, {.item = i + 1, .item_word = "trace"});
  }
}

// Uses the times and the unit of length of the velocity survey.
VelocityFunction VelocityField::function_of_trace(std::int64_t number) const {
  const SurveyReader& reader = section_->reader();
  const segy::FileDescription& file = reader.files().front();
  OtherSurvey::Traces trace;
  section_->read({&number, 1}, trace);
  const std::vector<float>& samples = trace.samples;
  const double unit_m = length_unit_m(file.measurement_system);
  std::vector<double> times(samples.size());
  std::vector<double> velocities(samples.size());
  for (std::size_t s = 0; s < samples.size(); ++s) {
    times[s] = (trace.starts_us.front() + static_cast<double>(s) * file.interval_us) * 1e-6;
    velocities[s] = static_cast<double>(samples[s]) * unit_m;
    if (velocities[s] >= slowest_velocity && velocities[s] <= fastest_velocity) continue;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format(
                     "{}: sample {} of trace {} is {}, which is not a velocity between {} and {} m/s",
                     reader.paths().front(), s + 1, number + 1, samples[s], slowest_velocity, fastest_velocity),
                 .action = "give a survey of velocities in m/s, or in ft/s if its measurement system (bytes 3255-3256) "
                           "is 2; velocities in km/s are converted by 'gain scale=1000'"});
  }
  return {std::move(times), std::move(velocities)};
}

std::string VelocityField::read(const SurveyState& survey) {
  std::string word = location_name_.value_or(std::string(default_location));
  if (!file_) return word;
  const std::array<TableColumn, 2> pairs{
      TableColumn{"time", Dimension::time, {"t", "t0", "twt", "two-way time", "tnmo"}},
      TableColumn{
          "velocity", Dimension::velocity, {"v", "vel", "vnmo", "vrms", "vstack", "nmo velocity", "rms velocity"}}};
  if (!location_name_)
    for (const std::string& name : column_names(*file_))
      if (!names_a_column(pairs, name) && survey.words->find(name) != nullptr) word = name;
  TableColumn place{"location", Dimension::number, {word}, true};
  if (const segy::MapWord* const known = survey.words->find(word)) place.others = known->names;
  place.name = word;
  place.others.emplace_back("location");
  const std::array<TableColumn, 3> columns{place, pairs[0], pairs[1]};
  read_table(*file_, columns, survey, [&](std::int64_t line, std::span<const double> values) {
    const auto refuse = [&](std::string problem) {
      refuse_table(file_->path, line, std::move(problem),
                   "write the lines of each location one after another, with ascending times");
    };
    if (functions_.empty() || functions_.back().location != values[0]) {
      if (std::ranges::find(functions_, values[0], &Function::location) != functions_.end())
        refuse(fmt::format("the lines of location {} are not adjacent", values[0]));
      functions_.push_back({values[0], {}, {}});
    }
    Function& function = functions_.back();
    if (!function.times.empty() && values[1] <= function.times.back())
      refuse(fmt::format("time {} does not come after {}", values[1], function.times.back()));
    function.times.push_back(values[1]);
    function.velocities.push_back(values[2]);
  });
  std::ranges::sort(functions_, {}, &Function::location);
  return word;
}

double VelocityFunction::before(double time) const {
  const auto after = std::ranges::upper_bound(times_, time);
  return velocities_[static_cast<std::size_t>(after == times_.begin() ? 0 : after - times_.begin() - 1)];
}

double VelocityFunction::at(double time) const { return interpolated(time, times_, velocities_); }

void VelocityFunction::sample(double t_first, double dt, std::span<double> velocity,
                              std::span<double> derivative) const {
  const auto time_of = [&](std::size_t i) { return t_first + static_cast<double>(i) * dt; };
  // Returns the first sample that is not before a time. Divisions round, comparisons do not.
  const auto sample_from = [&](double time) {
    const double estimate = std::ceil((time - t_first) / dt);
    auto i = static_cast<std::size_t>(std::clamp(estimate, 0.0, static_cast<double>(velocity.size())));
    while (i > 0 && time_of(i - 1) >= time) --i;
    while (i < velocity.size() && time_of(i) < time) ++i;
    return i;
  };
  std::size_t begin = sample_from(times_.front());
  std::fill_n(velocity.begin(), begin, velocities_.front());
  std::fill_n(derivative.begin(), begin, 0.0);
  for (std::size_t k = 0; k + 1 < times_.size(); ++k) {
    const std::size_t end = sample_from(times_[k + 1]);
    const double slope = (velocities_[k + 1] - velocities_[k]) / (times_[k + 1] - times_[k]);
    set_line(velocity.data(), begin, end, {t_first, dt, times_[k], velocities_[k], slope});
    std::fill(derivative.data() + begin, derivative.data() + end, slope);
    begin = end;
  }
  std::fill(velocity.begin() + static_cast<std::ptrdiff_t>(begin), velocity.end(), velocities_.back());
  std::fill(derivative.begin() + static_cast<std::ptrdiff_t>(begin), derivative.end(), 0.0);
}

VelocityFunction VelocityField::function_at(double location) const {
  const auto above = std::ranges::upper_bound(functions_, location, {}, &Function::location);
  const Function& right = above == functions_.end() ? functions_.back() : *above;
  const Function& left = above == functions_.begin() ? right : *(above - 1);
  if (left.location == right.location || !(location > left.location)) return {left.times, left.velocities};
  // The interpolation between two piecewise linear functions is linear between the times of both.
  const double share = (location - left.location) / (right.location - left.location);
  std::vector<double> times;
  std::ranges::set_union(left.times, right.times, std::back_inserter(times));
  const VelocityFunction from(left.times, left.velocities);
  const VelocityFunction to(right.times, right.velocities);
  std::vector<double> velocities(times.size());
  std::ranges::transform(times, velocities.begin(),
                         [&](double time) { return (1.0 - share) * from.at(time) + share * to.at(time); });
  return {std::move(times), std::move(velocities)};
}

}  // namespace sill::flow
