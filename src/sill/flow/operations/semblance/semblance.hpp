// semblance: measures the similarity of the traces of a gather along the moveouts of several velocities.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

[[nodiscard]] const OperationType& semblance();

}  // namespace sill::flow
