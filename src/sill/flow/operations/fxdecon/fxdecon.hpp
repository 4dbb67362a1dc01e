// fxdecon: removes random noise by prediction from trace to trace.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

[[nodiscard]] const OperationType& fxdecon();

}  // namespace sill::flow
