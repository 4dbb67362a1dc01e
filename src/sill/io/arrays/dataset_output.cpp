#include "sill/io/arrays/dataset_output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/base/error.hpp"

namespace sill {

DatasetDescription with_attribute(DatasetDescription description, const Attribute& attribute,
                                  const std::string& variable) {
  std::vector<Attribute>& attributes = variable.empty()
                                           ? description.attributes
                                           : description.variables[description.variable_named(variable)].attributes;
  const auto found = std::find_if(attributes.begin(), attributes.end(),
                                  [&](const Attribute& each) { return each.name == attribute.name; });
  if (found == attributes.end()) {
    attributes.push_back(attribute);
  } else {
    *found = attribute;
  }
  return description;
}

void refuse_dataset(const std::string& path, std::string problem, std::string action) {
  throw Error(
      {.code = ErrorCode::usage, .problem = std::move(problem), .where = {.file = path}, .action = std::move(action)});
}

void refuse_closed(const std::string& path) {
  refuse_dataset(path, "arrays: the dataset was closed before", "close it when everything is written");
}

void refuse_no_steps(const std::string& path) {
  refuse_dataset(path, "arrays: a step of a dataset in which no variable has steps",
                 "give a variable the unlimited dimension");
}

Error calls_differ() {
  return Error({.code = ErrorCode::usage,
                .problem = "arrays: some ranks complete a step, or more steps, than others",
                .action = "let all ranks make the same calls"});
}

void require_own_steps(const std::string& path, std::int64_t step, std::span<const ArrayPart> parts,
                       std::int64_t steps) {
  const auto require = [&](std::int64_t each) {
    if (each >= 0 && each < steps) return;
    refuse_dataset(
        path, fmt::format("arrays: step {} is written by one rank, of {} that all ranks have written", each, steps),
        "let all ranks write the step first, if with nothing");
  };
  require(step);
  for (const ArrayPart& part : parts) {
    std::int64_t of_part = 0;
    require(part.step < 0 || __builtin_add_overflow(step, part.step, &of_part) ? -1 : of_part);
  }
}

void require_filled(const std::string& path, std::span<const ArrayPart> parts, const DatasetDescription& description,
                    const FillAccount& account) {
  for (const ArrayPart& part : parts) {
    const std::size_t variable = description.variable_named(part.variable);
    if (description.has_steps(description.variables[variable]) || !account.may_fill(variable)) continue;
    refuse_dataset(
        path,
        fmt::format("arrays: variable {} is written by one rank, of which nothing was written before", part.variable),
        "let all ranks write something of it first, or complete a step");
  }
}

void refuse_late(const Attribute& attribute, const std::string& path) {
  refuse_dataset(path, fmt::format("attribute {} is set when something was written already", attribute.name),
                 "set attributes first");
}

}  // namespace sill
