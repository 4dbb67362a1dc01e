// Scales traces to equal amplitude.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `normalize max|rms`: divides a trace, or a gather, by its amplitude. See README.md.
[[nodiscard]] const OperationType& normalize();

}  // namespace sill::flow
