// The operation interpolate: missing traces by prediction.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. The operation interpolate.
const OperationType& interpolate();

}  // namespace sill::flow
