#include "sill/flow/operation/velocity_field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill::flow {
namespace {

// The numbers of a line, or nothing if it holds something else.
std::optional<std::vector<double>> numbers_of(std::string_view line) {
  std::vector<double> numbers;
  for (;;) {
    const std::size_t end = std::min(line.find(','), line.size());
    const std::string_view text = trimmed(line.substr(0, end));
    double value = 0.0;
    const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failure != std::errc() || rest != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
    numbers.push_back(value);
    if (end == line.size()) return numbers;
    line.remove_prefix(end + 1);
  }
}

}  // namespace

VelocityField::VelocityField(const Arguments& arguments, std::string_view key) {
  const std::string text = arguments.required_text(key);
  if (text.starts_with('@')) {
    read(text.substr(1));
    return;
  }
  const double velocity = arguments.required(key, Dimension::velocity);
  if (velocity <= 0.0) arguments.refuse(key, "the velocity is not positive");
  functions_.push_back({0.0, {0.0}, {velocity}});
}

void VelocityField::read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw system_error(errno, "open", {.file = path});
  std::int64_t number = 0;
  std::size_t columns = 0;
  const auto refuse = [&](std::string problem) {
    throw Error({.code = ErrorCode::usage,
                 .problem = std::move(problem),
                 .where = {.file = path, .item = number, .item_word = "line"},
                 .action = "lines are time,velocity or location,time,velocity, with ascending times"});
  };
  for (std::string line; std::getline(file, line);) {
    ++number;
    const std::string_view content = trimmed(std::string_view(line).substr(0, line.find('#')));
    if (content.empty()) continue;
    const auto numbers = numbers_of(content);
    if (!numbers && functions_.empty() && columns == 0) {
      columns = 1;  // a heading
      continue;
    }
    if (!numbers || numbers->size() < 2 || numbers->size() > 3)
      refuse(fmt::format("'{}' is not two or three numbers", echoed(content)));
    if (columns > 1 && numbers->size() != columns) refuse("other lines have another number of columns");
    columns = numbers->size();
    const double location = columns == 3 ? numbers->front() : 0.0;
    const double time = (*numbers)[columns - 2];
    const double velocity = numbers->back();
    if (velocity <= 0.0) refuse(fmt::format("the velocity {} is not positive", velocity));
    if (functions_.empty() || functions_.back().location != location) {
      if (std::ranges::find(functions_, location, &Function::location) != functions_.end())
        refuse(fmt::format("location {} stands in two places", location));
      functions_.push_back({location, {}, {}});
    }
    Function& function = functions_.back();
    if (!function.times.empty() && time <= function.times.back())
      refuse(fmt::format("time {} does not come after {}", time, function.times.back()));
    function.times.push_back(time);
    function.velocities.push_back(velocity);
  }
  if (functions_.empty()) refuse("the table has no points");
  std::ranges::sort(functions_, {}, &Function::location);
}

void VelocityField::at(double location, double t_first, double dt, std::vector<double>& velocity,
                       std::vector<double>& derivative) const {
  const auto above = std::ranges::upper_bound(functions_, location, {}, &Function::location);
  const Function& right = above == functions_.end() ? functions_.back() : *above;
  const Function& left = above == functions_.begin() ? right : *(above - 1);
  const double distance = right.location - left.location;
  const double share = distance > 0.0 ? (location - left.location) / distance : 0.0;
  const auto add = [&](const Function& function, double weight) {
    std::size_t next = 0;  // the first point behind the time
    for (std::size_t i = 0; i < velocity.size(); ++i) {
      const double t = t_first + static_cast<double>(i) * dt;
      while (next < function.times.size() && function.times[next] <= t) ++next;
      double value = function.velocities[next == 0 ? 0 : next - 1];
      double slope = 0.0;
      if (next > 0 && next < function.times.size()) {
        slope = (function.velocities[next] - function.velocities[next - 1]) /
                (function.times[next] - function.times[next - 1]);
        value += slope * (t - function.times[next - 1]);
      }
      velocity[i] += weight * value;
      derivative[i] += weight * slope;
    }
  };
  std::ranges::fill(velocity, 0.0);
  std::ranges::fill(derivative, 0.0);
  if (share < 1.0) add(left, 1.0 - share);
  if (share > 0.0) add(right, share);
}

}  // namespace sill::flow
