#include "sill/flow/operation/velocity_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/processors.hpp"
#include "sill/base/user_text.hpp"
#include "sill/flow/operation/table.hpp"
#include "sill/flow/value/quantity.hpp"

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

VelocityField::VelocityField(const Arguments& arguments, std::string_view key) {
  if (const std::optional<TableFile> file = arguments.table(key)) {
    read(*file);
    return;
  }
  const double velocity = arguments.required(key, Dimension::velocity);
  if (velocity <= 0.0) arguments.refuse(key, "the velocity is not positive");
  functions_.push_back({0.0, {0.0}, {velocity}});
}

void VelocityField::read(const TableFile& file) {
  std::size_t columns = 0;
  const auto refuse = [&](std::optional<std::int64_t> line, std::string problem) {
    refuse_table(file.path, line, std::move(problem),
                 "lines are time,velocity or location,time,velocity, with ascending times");
  };
  for_each_row(file, [&](const TableRow& row) {
    const std::vector<std::optional<double>>& fields = row.fields;
    const std::int64_t number = row.line;
    const auto is_number = [](const std::optional<double>& field) { return field.has_value(); };
    if (!std::ranges::all_of(fields, is_number) || fields.size() < 2 || fields.size() > 3)
      refuse(number, fmt::format("'{}' is not two or three numbers", echoed(row.text)));
    if (columns > 0 && fields.size() != columns) refuse(number, "other lines have another number of columns");
    columns = fields.size();
    const double location = columns == 3 ? fields.front().value_or(0.0) : 0.0;
    const double time = fields[columns - 2].value_or(0.0);
    const double velocity = fields.back().value_or(0.0);
    if (velocity <= 0.0) refuse(number, fmt::format("the velocity {} is not positive", velocity));
    if (functions_.empty() || functions_.back().location != location) {
      if (std::ranges::find(functions_, location, &Function::location) != functions_.end())
        refuse(number, fmt::format("location {} stands in two places", location));
      functions_.push_back({location, {}, {}});
    }
    Function& function = functions_.back();
    if (!function.times.empty() && time <= function.times.back())
      refuse(number, fmt::format("time {} does not come after {}", time, function.times.back()));
    function.times.push_back(time);
    function.velocities.push_back(velocity);
  });
  if (functions_.empty()) refuse(std::nullopt, "the table has no points");
  std::ranges::sort(functions_, {}, &Function::location);
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
