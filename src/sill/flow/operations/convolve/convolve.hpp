// convolve, correlate: traces with a wavelet that the user brings; autocorrelate: with themselves.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

[[nodiscard]] const OperationType& convolve();
[[nodiscard]] const OperationType& correlate();
[[nodiscard]] const OperationType& autocorrelate();

}  // namespace sill::flow
