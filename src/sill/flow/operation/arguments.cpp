#include "sill/flow/operation/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "sill/base/user_text.hpp"

namespace sill::flow {

const Argument* Arguments::find(std::string_view key) const {
  const auto found = std::ranges::find(step_.arguments, key, &Argument::key);
  return found == step_.arguments.end() ? nullptr : &*found;
}

void Arguments::refuse(std::string_view key, const std::string& problem, const std::string& action, int number) const {
  const std::string full = fmt::format("{}: {}", step_.operation, problem);
  if (step_.text == nullptr)
    throw Error({.code = ErrorCode::usage, .problem = full, .action = action, .system_error_number = number});
  const Argument* const argument = find(key);
  const std::size_t begin = argument == nullptr ? step_.begin : argument->begin;
  const std::size_t end = argument == nullptr ? begin + step_.operation.size() : argument->end;
  throw_at_text(*step_.text, begin, end, full, action, number);
}

std::string Arguments::shown(std::string_view argument) const {
  if (step_.option_of == nullptr) return std::string(argument);
  const std::size_t equals = std::min(argument.find('='), argument.size());
  std::string text = step_.option_of(argument.substr(0, equals));
  if (equals + 1 < argument.size()) text.append(" ").append(argument.substr(equals + 1));
  return text;
}

bool Arguments::is_given(std::string_view argument) const {
  const std::size_t equals = argument.find('=');
  if (equals == argument.npos) return flag(argument);
  const Argument* const found = find(argument.substr(0, equals));
  return found != nullptr && (equals + 1 == argument.size() || found->value == argument.substr(equals + 1));
}

void Arguments::require_with(std::string_view argument, std::string_view needed) const {
  if (is_given(argument) && !is_given(needed))
    refuse(argument.substr(0, argument.find('=')), fmt::format("{} needs {}", shown(argument), shown(needed)),
           fmt::format("give {}", shown(needed)));
}

void Arguments::refuse_missing(std::string_view key) const {
  refuse(key, fmt::format("{} is missing", shown(fmt::format("{}=", key))),
         fmt::format("write {}", shown(fmt::format("{}=VALUE", key))));
}

bool Arguments::flag(std::string_view key) const {
  const Argument* const argument = find(key);
  if (argument == nullptr || argument->value == "no") return false;
  if (argument->value != "yes") refuse(key, fmt::format("{} must be yes or no", shown(key)));
  return true;
}

std::optional<std::string> Arguments::text(std::string_view key) const {
  const Argument* const argument = find(key);
  if (argument == nullptr) return std::nullopt;
  if (trimmed(argument->value).empty()) refuse(key, fmt::format("{} is empty", shown(fmt::format("{}=", key))));
  return argument->value;
}

std::string Arguments::required_text(std::string_view key) const {
  if (!has(key)) refuse_missing(key);
  return *text(key);
}

std::optional<TableFile> Arguments::table(std::string_view key) const {
  const std::optional<std::string> value = text(key);
  if (!value || !value->starts_with('@')) return std::nullopt;
  return TableFile{value->substr(1), find(key)->table};
}

std::shared_ptr<const OtherSurvey> Arguments::survey(std::string_view key) const {
  if (!required_text(key).starts_with('@'))
    refuse(key, "the other survey must be a file", fmt::format("write {}", shown(fmt::format("{}=@FILE", key))));
  return find(key)->survey;
}

std::shared_ptr<const OtherSurvey> Arguments::survey_if_any(std::string_view key) const {
  const Argument* const argument = find(key);
  return argument == nullptr ? nullptr : argument->survey;
}

std::optional<double> Arguments::quantity(std::string_view key, Dimension dimension) const {
  const Argument* const argument = find(key);
  if (argument == nullptr) return std::nullopt;
  return at(key, [&] { return parse_quantity(argument->value, dimension, interval_s_); });
}

double Arguments::required(std::string_view key, Dimension dimension) const {
  if (!has(key)) refuse_missing(key);
  return *quantity(key, dimension);
}

std::vector<double> Arguments::quantities(std::string_view key, Dimension dimension) const {
  const std::string list = required_text(key);
  return at(key, [&] {
    std::vector<double> values;
    for (const std::string& entry : parse_list(list)) values.push_back(parse_quantity(entry, dimension, interval_s_));
    return values;
  });
}

std::vector<std::pair<double, double>> Arguments::ranges(std::string_view key, Dimension dimension) const {
  const std::string list = required_text(key);
  std::vector<std::pair<double, double>> ranges;
  for (const std::string& entry : at(key, [&] { return parse_list(list); })) {
    const std::size_t dash = entry.find('-', 1);
    if (dash == std::string::npos)
      refuse(key, fmt::format("'{}' is not a range", entry),
             fmt::format("write {}", shown(fmt::format("{}=5-15,15-25", key))));
    const auto number = [&](const std::string& text) {
      return at(key, [&] { return parse_quantity(text, dimension, interval_s_); });
    };
    ranges.emplace_back(number(entry.substr(0, dash)), number(entry.substr(dash + 1)));
    if (!(ranges.back().first < ranges.back().second)) refuse(key, fmt::format("the range {} is empty", entry));
  }
  return ranges;
}

std::vector<double> Arguments::series(std::string_view key, Dimension dimension, std::int64_t max) const {
  const std::string text = required_text(key);
  const auto refuse_form = [&](const char* problem) {
    refuse(key, problem, fmt::format("write {}", shown(fmt::format("{}=FIRST:LAST:STEP", key))));
  };
  std::array<double, 3> numbers{};
  std::size_t begin = 0;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::size_t end = i + 1 < numbers.size() ? text.find(':', begin) : text.size();
    if (end == std::string::npos || end < begin) refuse_form("it is not a series");
    numbers[i] = at(key, [&] { return parse_quantity(text.substr(begin, end - begin), dimension, interval_s_); });
    begin = end + 1;
  }
  const auto [first, last, step] = numbers;
  if (!(step > 0.0) || !(last >= first)) refuse_form("a series must ascend in a step above 0");
  constexpr double tolerance = 1e-6;
  const double count = std::floor((last - first) / step + tolerance) + 1.0;
  if (count > static_cast<double>(max)) refuse_form("a series is too long");
  std::vector<double> values(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = first + static_cast<double>(i) * step;
  return values;
}

std::optional<segy::TimeWindow> Arguments::time_window(std::string_view key) const {
  const std::optional<std::string> window = text(key);
  if (!window) return std::nullopt;
  return at(key, [&] { return segy::parse_time_window(*window, interval_s_ * 1e6); });
}

std::optional<std::int64_t> Arguments::integer(std::string_view key, std::int64_t min, std::int64_t max) const {
  const std::optional<double> value = quantity(key, Dimension::number);
  if (!value) return std::nullopt;
  if (*value != std::floor(*value) || *value < static_cast<double>(min) || *value > static_cast<double>(max))
    refuse(key, fmt::format("{} must be an integer from {} to {}", shown(fmt::format("{}=", key)), min, max));
  return static_cast<std::int64_t>(*value);
}

std::size_t Arguments::choice(std::string_view key, std::span<const std::string_view> choices) const {
  const Argument* const argument = find(key);
  if (argument == nullptr) return 0;
  const auto found = std::ranges::find(choices, argument->value);
  if (found == choices.end()) {
    std::string names;
    for (const std::string_view name : choices) names += (names.empty() ? "" : ", ") + std::string(name);
    refuse(key, fmt::format("{} is not a value of {}", echoed(argument->value), shown(fmt::format("{}=", key))),
           "choose one of " + names);
  }
  return static_cast<std::size_t>(found - choices.begin());
}

std::vector<Argument> Arguments::others(std::span<const std::string_view> named) const {
  std::vector<Argument> others;
  for (const Argument& argument : step_.arguments)
    if (std::ranges::find(named, argument.key) == named.end()) others.push_back(argument);
  return others;
}

}  // namespace sill::flow
