// The operation fk: events of some apparent velocities.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. The operation fk.
const OperationType& fk();

}  // namespace sill::flow
