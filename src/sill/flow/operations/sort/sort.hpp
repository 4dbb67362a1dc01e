// Sorting the traces of a flow.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. `sort KEYS`: traces in the order of keys, as `sill sort` has them. See README.md.
[[nodiscard]] const OperationType& sort();

}  // namespace sill::flow
