// All kinds of operations there are.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. All kinds, by name.
[[nodiscard]] std::span<const OperationType* const> operation_types();

/// Local. The kind of that name, or nullptr.
[[nodiscard]] const OperationType* find_operation_type(std::string_view name);

/// Local. Adds a kind from outside the library, which is planned like any other; not while a flow runs. Errors: usage
/// if there is one of that name.
void add_operation_type(OperationType type);

/// Local. The parameter `name` of the operation of a step, or nullptr.
[[nodiscard]] const Parameter* find_parameter(const Step& step, std::string_view name);

/// Local. Whether `value` is a survey, as `@FILE`, for a parameter.
[[nodiscard]] bool names_survey(const Parameter& parameter, const std::string& value);

/// Local. The files that the operations of a flow write, apart from its output, in their order.
[[nodiscard]] std::vector<std::string> files_written_by(std::span<const Step> steps);
/// Local. Whether a flow is of use without an output, as any of its operations reports something or writes a file.
[[nodiscard]] bool report_anything(std::span<const Step> steps);
/// Local. The surveys that they read beside its input, in their order.
[[nodiscard]] std::vector<std::string> surveys_read_by(std::span<const Step> steps);

}  // namespace sill::flow
