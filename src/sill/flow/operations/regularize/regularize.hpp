// The operation regularize: gathers with a trace at each of some values.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. The operation regularize.
const OperationType& regularize();

}  // namespace sill::flow
