// The operation fk: removes or keeps events in a range of apparent velocities.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns the operation fk.
const OperationType& fk();

}  // namespace sill::flow
