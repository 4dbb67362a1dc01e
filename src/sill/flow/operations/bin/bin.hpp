// Operations that give traces the bins of a grid, or of a line.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. The operations bin and cmpbin.
const OperationType& bin();
const OperationType& cmpbin();

}  // namespace sill::flow
