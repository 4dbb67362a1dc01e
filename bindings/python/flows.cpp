#include "flows.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "sill/flow/operation/arguments.hpp"
#include "sill/flow/operation/operation.hpp"
#include "sill/flow/operations/description.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/flow/value/flow_text.hpp"

namespace nb = nanobind;

namespace sill::python {
namespace {

nb::dict operation_of(const flow::OperationType& type) {
  const auto text = [](std::string_view view) { return nb::str(view.data(), view.size()); };
  nb::list parameters;
  for (const flow::Parameter& parameter : type.parameters) {
    nb::dict stated;
    stated["name"] = text(parameter.name);
    stated["form"] = text(parameter.form);
    stated["is_flag"] = parameter.is_flag;
    stated["is_required"] = !parameter.is_flag && parameter.default_value.empty();
    stated["takes_file"] = parameter.form.find("@FILE") != std::string_view::npos;
    parameters.append(stated);
  }
  nb::list positionals;
  for (const std::string_view name : type.positionals) positionals.append(text(name));
  nb::dict operation;
  operation["summary"] = text(type.summary);
  operation["description"] = flow::description_of(type);
  operation["parameters"] = parameters;
  operation["positionals"] = positionals;
  operation["takes_assignments"] = type.takes_assignments;
  return operation;
}

nb::dict operations() {
  nb::dict all;
  for (const flow::OperationType* type : flow::operation_types())
    all[nb::str(type->name.data(), type->name.size())] = operation_of(*type);
  return all;
}

// Returns true if the values can be checked without the survey and its files: times in samples need its interval.
bool can_be_checked(const flow::Argument& argument) {
  return argument.value.find('@') == std::string::npos && argument.value.find("sample") == std::string::npos;
}

// Returns an operation in the inline form. Errors: usage, as `parse_steps`, and for a value that has a wrong form.
std::string step_text(const std::string& operation, const std::vector<std::pair<std::string, std::string>>& arguments) {
  flow::Step step{.operation = operation, .arguments = {}};
  for (const auto& [key, value] : arguments) step.arguments.push_back({.key = key, .value = value});
  const std::vector<flow::Step> steps = flow::parse_steps(flow::inline_text({step}));
  if (const flow::OperationType* const type = flow::find_operation_type(operation);
      type != nullptr && operation != "apply" && std::ranges::all_of(steps.front().arguments, can_be_checked))
    (void)type->make(flow::Arguments(steps.front()));
  return flow::inline_text(steps);
}

}  // namespace

void add_flows(nb::module_& module) {
  module.def("operations", &operations);
  module.def("step_text", &step_text);
}

}  // namespace sill::python
