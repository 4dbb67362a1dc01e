// The description of an operation for users.
#pragma once

#include <string>

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns the text and the default of a parameter, or that it is required, without the last period.
[[nodiscard]] std::string text_of(const Parameter& parameter);

/// Local. Returns the output of `sill flow --describe`: formula, example, parameters, and the data that the example
/// reads and writes.
[[nodiscard]] std::string description_of(const OperationType& type);

}  // namespace sill::flow
