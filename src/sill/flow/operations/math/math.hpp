// Operations that combine two surveys.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns the operations math and match.
const OperationType& math();
const OperationType& match();

}  // namespace sill::flow
