// convolve, correlate: traces with a wavelet that the user brings.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

[[nodiscard]] const OperationType& convolve();
[[nodiscard]] const OperationType& correlate();

}  // namespace sill::flow
