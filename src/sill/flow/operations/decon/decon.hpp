// decon: predictive deconvolution.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

[[nodiscard]] const OperationType& decon();

}  // namespace sill::flow
