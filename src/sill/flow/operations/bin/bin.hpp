// Operations that assign traces to the bins of a grid or of a line.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns the operations bin, cmpbin and supergather.
const OperationType& bin();
const OperationType& cmpbin();
const OperationType& supergather();

}  // namespace sill::flow
