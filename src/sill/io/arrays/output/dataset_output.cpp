#include "sill/io/arrays/output/dataset_output.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sill/io/arrays/dataset_errors.hpp"

namespace sill {

void require_own_steps(const std::string& path, std::int64_t step, std::span<const ArrayPart> parts,
                       std::int64_t steps) {
  const auto require = [&](std::int64_t each) {
    if (each >= 0 && each < steps) return;
    refuse_dataset(
        path, fmt::format("arrays: step {} is written by one rank, of {} that all ranks have written", each, steps),
        "let all ranks write the step first, if with nothing");
  };
  require(step);
  for (const ArrayPart& part : parts) require(step_of(part, step));
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

}  // namespace sill
