// velocity: makes traces whose samples are velocities.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

[[nodiscard]] const OperationType& velocity();

}  // namespace sill::flow
