// What an operation is, for people.
#pragma once

#include <string>

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. What `sill flow --describe` prints: formula, example, parameters, what the example reads and writes.
[[nodiscard]] std::string description_of(const OperationType& type);

}  // namespace sill::flow
