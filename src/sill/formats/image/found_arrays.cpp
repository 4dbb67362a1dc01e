#include "sill/formats/image/found_arrays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/image/ncml.hpp"

namespace sill::image {
namespace {

template <class T>
std::optional<std::vector<T>> numbers_in(std::string_view text) {
  std::vector<T> numbers;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::string_view one = text.substr(0, text.find_first_of(" \t\r\n"));
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), numbers.emplace_back());
    if (error != std::errc() || end != one.data() + one.size()) return std::nullopt;
    text.remove_prefix(one.size());
  }
  return numbers;
}

}  // namespace

void refuse_image(const std::string& path, const char* clause, std::string problem, std::string action) {
  throw Error({.code = ErrorCode::input,
               .problem = std::move(problem),
               .where = {.file = path},
               .clause = clause,
               .action = std::move(action)});
}

std::optional<std::vector<std::int64_t>> integers_in(std::string_view text) { return numbers_in<std::int64_t>(text); }

std::optional<std::vector<double>> doubles_in(std::string_view text) { return numbers_in<double>(text); }

std::optional<std::int64_t> integer_of(const char* text, std::int64_t missing) {
  if (text == nullptr) return missing;
  const auto numbers = integers_in(text);
  if (!numbers || numbers->size() != 1) return std::nullopt;
  return numbers->front();
}

std::vector<std::pair<std::string, std::int64_t>> named_shape(std::span<const std::int64_t> shape) {
  std::vector<std::pair<std::string, std::int64_t>> named;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t axis = shape.size() < 3 ? d + 3 - shape.size() : d;
    named.emplace_back(axis < 3 ? std::string(1, "zyx"[axis]) : "components", shape[d]);
  }
  return named;
}

void FoundArrays::describe(const std::string& ncml) {
  try {
    description_ = description_in(ncml);
  } catch (const Error& error) {
    throw_at(error, {.file = path_});
  }
  is_described_ = true;
  for (std::size_t v = 0; v < description_.variables.size(); ++v) take_variable(v);
}

void FoundArrays::take_variable(std::size_t number) {
  numbers_.emplace(description_.variables[number].name, number);
  has_steps_.push_back(description_.has_steps(description_.variables[number]));
}

void FoundArrays::add_steps() {
  adds_steps_ = true;
  description_.dimensions.push_back({"time", unlimited});
  lengths_.emplace("time", unlimited);
}

void FoundArrays::add(const std::string& name, ElementType type,
                      std::span<const std::pair<std::string, std::int64_t>> shape) {
  const auto shown = [&] { return echoed(name, 80); };
  constexpr std::size_t max_dimensions = 15;  // and one for steps
  if (numbers_.contains(name)) refuse(fmt::format("array {:?} occurs twice", shown()));
  if (shape.size() > max_dimensions) refuse(fmt::format("array {:?} has {} dimensions", shown(), shape.size()));
  Variable variable{.name = name, .type = type};
  if (adds_steps_) variable.dimensions.emplace_back("time");
  std::int64_t bytes = bytes_of(type);
  for (const auto& [axis, length] : shape) {
    if (length < 1) refuse(fmt::format("array {:?} has a dimension of length {}", shown(), length));
    if (__builtin_mul_overflow(bytes, length, &bytes)) {
      refuse(fmt::format("the size of array {:?} in bytes exceeds a 64-bit number", shown()));
    }
    variable.dimensions.push_back(name_for_length(axis, length, description_.dimensions, lengths_));
  }
  description_.variables.push_back(std::move(variable));
  take_variable(description_.variables.size() - 1);
}

void FoundArrays::set_grid(const std::optional<std::vector<double>>& origin,
                           const std::optional<std::vector<double>>& spacing) {
  const auto set = [&](const char* name, const std::optional<std::vector<double>>& numbers, double usual) {
    if (!numbers || std::all_of(numbers->begin(), numbers->end(), [&](double each) { return each == usual; })) return;
    const std::vector<double> slowest_first(numbers->rbegin(), numbers->rend());
    description_.attributes.emplace_back(name, std::span<const double>(slowest_first));
  };
  set("origin", origin, 0);
  set("spacing", spacing, 1);
}

DatasetDescription FoundArrays::checked_description() const {
  try {
    require_possible(description_);
  } catch (const Error& error) {
    refuse(error.parts().problem);
  }
  return description_;
}

std::size_t FoundArrays::find(const std::string& name, ElementType type) const {
  const auto found = numbers_.find(name);
  if (found == numbers_.end()) refuse(fmt::format("array {:?} is not described", echoed(name, 80)));
  const ElementType described = description_.variables[found->second].type;
  if (type != (described == ElementType::text ? ElementType::u1 : described)) {
    refuse(fmt::format("the type of array {:?} differs from the described type", echoed(name, 80)));
  }
  return found->second;
}

}  // namespace sill::image
