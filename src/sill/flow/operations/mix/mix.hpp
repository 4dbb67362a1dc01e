// Mixes neighbouring traces.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `mix N`: a running mean of N traces. See README.md.
[[nodiscard]] const OperationType& mix();

}  // namespace sill::flow
