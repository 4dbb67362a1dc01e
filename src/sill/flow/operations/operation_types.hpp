// All types of operations.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns all types, sorted by name.
[[nodiscard]] std::span<const OperationType* const> operation_types();

/// Local. Returns the type with the name `name`, or nullptr if there is none.
[[nodiscard]] const OperationType* find_operation_type(std::string_view name);

/// Local. Adds a type from outside the library, which is planned like any other type. Precondition: no flow is running.
/// Errors: usage if a type with the same name exists.
void add_operation_type(OperationType type);

/// Local. Returns the parameter `name` of the operation of a step, or nullptr.
[[nodiscard]] const Parameter* find_parameter(const Step& step, std::string_view name);

/// Local. Returns true if `value` is `@FILE` and names a survey for this parameter.
[[nodiscard]] bool names_survey(const Parameter& parameter, const std::string& value);

/// Local. Returns the files that the operations of a flow write, except its output, in the order of the operations.
[[nodiscard]] std::vector<std::string> files_written_by(std::span<const Step> steps);
/// Local. Returns true if a flow is useful without an output, because any of its operations reports something or writes
/// a file.
[[nodiscard]] bool report_anything(std::span<const Step> steps);
/// Local. Returns the surveys that the operations read in addition to the input, in the order of the operations.
[[nodiscard]] std::vector<std::string> surveys_read_by(std::span<const Step> steps);

}  // namespace sill::flow
