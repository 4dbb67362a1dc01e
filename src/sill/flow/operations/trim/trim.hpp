// trim: shifts the traces of a gather to the best match with the mean of the gather.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

[[nodiscard]] const OperationType& trim();

}  // namespace sill::flow
