// Moveout corrections.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `nmo velocity=`: hyperbolic moveout; `lmo velocity=`: linear moveout. See README.md.
[[nodiscard]] const OperationType& nmo();
[[nodiscard]] const OperationType& lmo();

}  // namespace sill::flow
