// trim: traces of a gather moved to where they are most like its mean.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

[[nodiscard]] const OperationType& trim();

}  // namespace sill::flow
