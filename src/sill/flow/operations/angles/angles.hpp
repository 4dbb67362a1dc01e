// Operations on angles of incidence.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns the operations angles and anglestack.
const OperationType& angles();
const OperationType& anglestack();

}  // namespace sill::flow
