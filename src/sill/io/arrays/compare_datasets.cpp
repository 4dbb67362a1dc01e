#include "sill/io/arrays/compare_datasets.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/arrays/dataset_buffer.hpp"

namespace sill {
namespace {

constexpr std::int64_t nowhere = std::numeric_limits<std::int64_t>::max();

// The result of a rank for one variable.
struct Tally {
  std::int64_t elements = 0;
  std::int64_t differing = 0;
  std::int64_t first_step = nowhere;
  std::int64_t first_element = nowhere;
  double max_difference = 0;
};

bool is_before(const Tally& a, const Tally& b) {
  return std::pair(a.first_step, a.first_element) < std::pair(b.first_step, b.first_element);
}

Tally sum_of_ranks(Communicator& comm, const Tally& mine) {
  Tally all;
  for (const Tally& each : all_gather(comm, mine)) {
    all.elements += each.elements;
    all.differing += each.differing;
    all.max_difference = std::max(all.max_difference, each.max_difference);
    if (is_before(each, all)) {
      all.first_step = each.first_step;
      all.first_element = each.first_element;
    }
  }
  return all;
}

// Returns true if two values differ, and their difference.
template <class T>
bool differs(T a, T b, const CompareTolerance& tolerance, double& difference) {
  if (a == b) return false;
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(a) && std::isnan(b)) return false;
    difference = std::abs(static_cast<double>(a) - static_cast<double>(b));
    if (!std::isfinite(a) || !std::isfinite(b)) return true;
  } else {
    // Exact, because a double cannot represent every integer of 8 bytes.
    const auto number = [](auto value) { return static_cast<std::uint64_t>(+value); };
    difference = static_cast<double>(number(std::max(a, b)) - number(std::min(a, b)));
  }
  return difference > tolerance.absolute + tolerance.relative * std::abs(static_cast<double>(b));
}

// Compares the elements of a part, row-major; the first is element `first` of the step.
template <class T>
void compare_parts(const ArrayPart& a, const ArrayPart& b, const Index& shape, std::int64_t step,
                   const CompareTolerance& tolerance, Tally& tally) {
  const Index strides = row_major_strides(shape, 1);
  const std::int64_t row = a.box.count.empty() ? 1 : a.box.count.back();
  const std::int64_t count = a.box.items();
  tally.elements += count;
  for (std::int64_t i = 0; i < count; ++i) {
    T of_a;
    T of_b;
    std::memcpy(&of_a, a.first + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    std::memcpy(&of_b, b.first + i * static_cast<std::int64_t>(sizeof(T)), sizeof(T));
    double difference = 0;
    if (!differs(of_a, of_b, tolerance, difference)) continue;
    ++tally.differing;
    tally.max_difference = std::max(tally.max_difference, difference);
    if (tally.first_step < step) continue;
    std::int64_t element = i % row;
    std::int64_t rest = i / row;
    if (!shape.empty()) element += a.box.first.back();
    for (std::size_t d = shape.size() < 2 ? 0 : shape.size() - 1; d-- > 0;) {
      element += (a.box.first[d] + rest % a.box.count[d]) * strides[d];
      rest /= a.box.count[d];
    }
    if (std::pair(step, element) < std::pair(tally.first_step, tally.first_element)) {
      tally.first_step = step;
      tally.first_element = element;
    }
  }
}

// Returns the type that can represent all values of both types.
std::optional<ElementType> type_holding(ElementType a, ElementType b) {
  if (a == b) return a;
  const auto is_float = [](ElementType type) { return type == ElementType::f4 || type == ElementType::f8; };
  const auto is_exact_as_f8 = [&](ElementType type) { return is_float(type) || bytes_of(type) < 8; };
  if (is_float(a) || is_float(b)) {
    return is_exact_as_f8(a) && is_exact_as_f8(b) ? std::optional(ElementType::f8) : std::nullopt;
  }
  if (a != ElementType::u8 && b != ElementType::u8) return ElementType::i8;
  const auto is_unsigned = [](ElementType type) { return name_of(type).starts_with('u'); };
  return is_unsigned(a) && is_unsigned(b) ? std::optional(ElementType::u8) : std::nullopt;
}

std::string shape_text(const DatasetDescription& description, const Variable& variable) {
  return fmt::format("{}{}{}", description.has_steps(variable) ? "unlimited" : "",
                     description.has_steps(variable) && variable.dimensions.size() > 1 ? " x " : "",
                     fmt::join(description.shape_of(variable), " x "));
}

// HDF5 pads texts with zeros, and in netCDF-3 many programs store the zero at the end of a text, or of an empty one.
bool is_same(const Attribute& a, const Attribute& b) {
  if (a.type != ElementType::text || b.type != ElementType::text) return a == b;
  const auto shown = [](const Attribute& each) {
    const std::string text = each.text();
    return text.substr(0, text.find_last_not_of('\0') + 1);
  };
  return a.name == b.name && shown(a) == shown(b);
}

std::string attribute_differences(const std::string& of, const std::vector<Attribute>& a,
                                  const std::vector<Attribute>& b) {
  std::vector<std::string> names;
  for (const auto* from : {&a, &b}) {
    for (const Attribute& each : *from) {
      const auto& other = from == &a ? b : a;
      if (std::any_of(other.begin(), other.end(), [&](const Attribute& one) { return is_same(one, each); })) continue;
      if (std::find(names.begin(), names.end(), each.name) == names.end()) names.push_back(each.name);
    }
  }
  if (names.empty()) return {};
  return fmt::format("attributes of {} differ: {}", of, fmt::join(names, ", "));
}

std::string length_text(std::int64_t length) { return length == unlimited ? "unlimited" : fmt::format("{}", length); }

// Returns the differences of the descriptions.
std::vector<std::string> description_differences(const DatasetReader& a, const DatasetReader& b) {
  std::vector<std::string> findings;
  const auto add = [&](std::string finding) {
    if (!finding.empty()) findings.push_back(std::move(finding));
  };
  if (a.steps() != b.steps()) add(fmt::format("{} and {} complete steps", a.steps(), b.steps()));
  const auto has = [](const auto& all, const std::string& name) {
    return std::find_if(all.begin(), all.end(), [&](const auto& each) { return each.name == name; }) != all.end();
  };
  for (const auto* from : {&a, &b}) {
    const auto& other = (from == &a ? b : a).description();
    const char* const which = from == &a ? "first" : "second";
    for (const Dimension& each : from->description().dimensions) {
      if (!has(other.dimensions, each.name)) {
        add(fmt::format("dimension {} is only in the {} file", each.name, which));
        continue;
      }
      const std::int64_t length = other.dimensions[other.dimension_named(each.name)].length;
      if (from == &a && length != each.length) {
        add(fmt::format("dimension {}: {} and {}", each.name, length_text(each.length), length_text(length)));
      }
    }
    for (const std::string& each : from->left_out()) add(fmt::format("not compared, of the {} file: {}", which, each));
    for (const Variable& each : from->description().variables) {
      if (!has(other.variables, each.name)) add(fmt::format("variable {} is only in the {} file", each.name, which));
    }
  }
  add(attribute_differences("the files", a.description().attributes, b.description().attributes));
  for (const Variable& each : a.description().variables) {
    if (!has(b.description().variables, each.name)) continue;
    const Variable& other = b.description().variables[b.description().variable_named(each.name)];
    add(attribute_differences(fmt::format("variable {}", each.name), each.attributes, other.attributes));
  }
  return findings;
}

}  // namespace

bool DatasetComparison::are_equal() const {
  return findings.empty() && std::all_of(variables.begin(), variables.end(), [](const VariableDifference& each) {
           return each.what.empty() && each.differing == 0;
         });
}

DatasetComparison compare_datasets(const Resources& resources, const std::string& a, const std::string& b,
                                   const CompareTolerance& tolerance, Missing missing) {
  Communicator& comm = resources.comm;
  run_and_agree(comm, [&] {
    for (const double each : {tolerance.absolute, tolerance.relative}) {
      if (each >= 0 && std::isfinite(each)) continue;
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("a tolerance of {}", each),
                   .action = "give a number of 0 or more"});
    }
  });
  DatasetReader reader_a(resources, a, missing);
  DatasetReader reader_b(resources, b, missing);
  const DatasetDescription& in_a = reader_a.description();
  const DatasetDescription& in_b = reader_b.description();
  DatasetComparison comparison{.findings = description_differences(reader_a, reader_b)};
  DatasetBuffer buffer_a(comm, resources.memory() / 2);
  DatasetBuffer buffer_b(comm, resources.memory() / 2);
  DatasetDescription read_as = in_a;
  for (std::size_t v = 0; v < in_a.variables.size(); ++v) {
    const Variable& variable = in_a.variables[v];
    const auto other = std::find_if(in_b.variables.begin(), in_b.variables.end(),
                                    [&](const Variable& each) { return each.name == variable.name; });
    if (other == in_b.variables.end()) continue;
    VariableDifference& difference = comparison.variables.emplace_back();
    difference.name = variable.name;
    const Index shape = in_a.shape_of(variable);
    if (variable.dimensions != other->dimensions) {
      difference.what = fmt::format("dimensions ({}) and ({})", fmt::join(variable.dimensions, ", "),
                                    fmt::join(other->dimensions, ", "));
      continue;
    }
    if (shape != in_b.shape_of(*other) || in_a.has_steps(variable) != in_b.has_steps(*other)) {
      difference.what = fmt::format("shape {} and {}", shape_text(in_a, variable), shape_text(in_b, *other));
      continue;
    }
    if (!is_convertible(variable.type, other->type)) {
      difference.what = fmt::format("type {} and {}", name_of(variable.type), name_of(other->type));
      continue;
    }
    const std::optional<ElementType> type = type_holding(variable.type, other->type);
    if (!type) {
      difference.what =
          fmt::format("types {} and {}, for which no common type exists", name_of(variable.type), name_of(other->type));
      continue;
    }
    read_as.variables[v].type = *type;
    const bool has_steps = in_a.has_steps(variable);
    const std::int64_t steps = has_steps ? std::min(reader_a.steps(), reader_b.steps()) : 1;
    Tally tally;
    const std::array<std::size_t, 1> only{v};
    for (std::int64_t step = 0; step < steps; ++step) {
      for_each_piece(read_as, only, buffer_a.limits(), [&](std::span<const PieceOfVariable> piece) {
        const std::vector<ArrayPart> of_a = buffer_a.parts_of(read_as, piece);
        const std::vector<ArrayPart> of_b = buffer_b.parts_of(read_as, piece);
        if (has_steps) {
          reader_a.read_step(step, of_a);
          reader_b.read_step(step, of_b);
        } else {
          reader_a.read(of_a);
          reader_b.read(of_b);
        }
        for (std::size_t i = 0; i < of_a.size(); ++i) {
          visit_type(of_a[i].type, [&](auto of_type) {
            compare_parts<decltype(of_type)>(of_a[i], of_b[i], shape, step, tolerance, tally);
          });
        }
      });
    }
    tally = sum_of_ranks(comm, tally);
    difference.elements = tally.elements;
    difference.differing = tally.differing;
    difference.max_difference = tally.max_difference;
    if (tally.differing == 0) continue;
    if (has_steps) difference.first_step = tally.first_step;
    std::int64_t rest = tally.first_element;
    for (const std::int64_t stride : row_major_strides(shape, 1)) {
      difference.first_index.push_back(rest / stride);
      rest %= stride;
    }
  }
  return comparison;
}

}  // namespace sill
