// The operation regularize: makes gathers with one trace at each of several values.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns the operation regularize.
const OperationType& regularize();

}  // namespace sill::flow
