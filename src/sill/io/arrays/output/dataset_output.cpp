#include "sill/io/arrays/output/dataset_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "sill/base/first_index.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/arrays/dataset_errors.hpp"
#include "sill/store/part/part_name.hpp"

namespace sill {

Where place_in(const DatasetDescription& description, Where where,
               const std::function<std::optional<std::int64_t>(std::size_t v)>& begin_of) {
  for (std::size_t v = 0; v < description.variables.size(); ++v) {
    const Variable& variable = description.variables[v];
    const std::optional<std::int64_t> begin = begin_of(v);
    if (!begin || *where.byte < *begin || *where.byte - *begin >= description.element_bytes(variable)) continue;
    where.item = (*where.byte - *begin) / bytes_of(variable.type) + first_index();
    where.item_word = fmt::format("element of {}", variable.name);
    break;
  }
  return where;
}

void require_own_steps(const std::string& path, std::int64_t step, std::span<const ArrayPart> parts,
                       std::int64_t steps) {
  const auto require = [&](std::int64_t each) {
    if (each >= 0 && each < steps) return;
    refuse_dataset(
        path, fmt::format("arrays: one rank writes step {}, but all ranks have written only {} steps", each, steps),
        "write the step on all ranks first, with empty data if necessary");
  };
  require(step);
  for (const ArrayPart& part : parts) require(step_of(part, step));
}

void require_filled(const std::string& path, std::span<const ArrayPart> parts, const DatasetDescription& description,
                    const FillAccount& account) {
  for (const ArrayPart& part : parts) {
    const std::size_t variable = description.variable_named(part.variable);
    if (description.has_steps(description.variables[variable]) || !account.may_fill(variable)) continue;
    refuse_dataset(path,
                   fmt::format("arrays: one rank writes variable {}, to which the ranks have not yet written together",
                               part.variable),
                   "write some of it on all ranks first, or complete a step");
  }
}

void require_once(const std::string& path, const DatasetDescription& description, const FillAccount::Call& call,
                  std::int64_t step) {
  if (!call.repeated) return;
  refuse_dataset(path,
                 fmt::format("arrays: elements of variable {} are passed more than once for step {}",
                             description.variables[*call.repeated].name, step),
                 "pass each element once");
}

void account_for_lacking(const Resources& resources, const std::string& path, const DatasetDescription& description,
                         const FillAccount& account, std::int64_t steps) {
  const std::vector<FillAccount::Total> totals = account.totals(resources.comm, steps);
  std::vector<std::string> texts;
  for (std::size_t v = 0; v < totals.size(); ++v) {
    const Variable& variable = description.variables[v];
    if (totals[v].lacking > 0)
      texts.push_back(fmt::format(
          "{} of the {} elements of {}", format_count(totals[v].lacking),
          format_count(whole(description.shape_of(variable)).items() * (description.has_steps(variable) ? steps : 1)),
          variable.name));
    if (!totals[v].may_be_lacking) continue;
    run_and_agree(resources.comm, [&] {
      refuse_dataset(
          path, fmt::format("elements of {} were passed more than once, perhaps in place of others", variable.name),
          "pass each element once, or all of them again, or write with fill values");
    });
  }
  if (texts.empty()) return;
  if (account.fills())
    return note(resources, fmt::format("{}: no rank wrote {}: these elements contain fill values", target_of_part(path),
                                       fmt::join(texts, ", ")));
  run_and_agree(resources.comm, [&] {
    refuse_dataset(
        path,
        fmt::format("no rank wrote {}, and without fill values the file does not show this", fmt::join(texts, ", ")),
        "write all elements, or write with fill values");
  });
}

}  // namespace sill
