// The operation interpolate: fills in missing traces by prediction.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns the operation interpolate.
const OperationType& interpolate();

}  // namespace sill::flow
