#include "sill/flow/operation/velocity_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/processors.hpp"
#include "sill/flow/operation/table.hpp"

namespace sill::flow {
namespace {

// Sample i lies at t_first + i dt; the line is at `velocity` at `time`.
struct Line {
  double t_first;
  double dt;
  double time;
  double velocity;
  double slope;
};

SILL_FOR_PROCESSORS void set_line(double* velocity, std::size_t begin, std::size_t end, Line line) {
  // Numbers of 4 bytes are converted to doubles by one instruction.
  for (auto i = static_cast<std::int32_t>(begin); i < static_cast<std::int32_t>(end); ++i) {
    const double time = line.t_first + static_cast<double>(i) * line.dt;
    velocity[i] = line.velocity + line.slope * (time - line.time);
  }
}

}  // namespace

VelocityField::VelocityField(const Arguments& arguments, std::string_view key) : file_(arguments.table(key)) {
  if (file_) return;
  const double velocity = arguments.required(key, Dimension::velocity);
  if (velocity <= 0.0) arguments.refuse(key, "the velocity is not positive");
  functions_.push_back({0.0, {0.0}, {velocity}});
}

std::string VelocityField::bind(const SurveyState& survey, const std::optional<std::string>& location) {
  std::string word = location.value_or("cdp");
  if (!file_) return word;
  const std::array<TableColumn, 2> pairs{
      TableColumn{"time", Dimension::time, {"t", "t0", "twt", "two-way time", "tnmo"}},
      TableColumn{
          "velocity", Dimension::velocity, {"v", "vel", "vnmo", "vrms", "vstack", "nmo velocity", "rms velocity"}}};
  if (!location)
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
                   "give each location its lines together, with ascending times");
    };
    if (functions_.empty() || functions_.back().location != values[0]) {
      if (std::ranges::find(functions_, values[0], &Function::location) != functions_.end())
        refuse(fmt::format("location {} stands in two places", values[0]));
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

double VelocityFunction::at(double time) const { return interpolated(time, times_, velocities_); }

void VelocityFunction::sample(double t_first, double dt, std::span<double> velocity,
                              std::span<double> derivative) const {
  const auto time_of = [&](std::size_t i) { return t_first + static_cast<double>(i) * dt; };
  // The first sample that is not before a time; divisions round, comparisons do not.
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
  // Between two functions that are linear between their times, one is linear between the times of both.
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
