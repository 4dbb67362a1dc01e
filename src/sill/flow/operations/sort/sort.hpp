// Sorts the traces of a flow.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `sort KEYS`: sorts traces by keys, with the syntax of `sill sort`. See README.md.
[[nodiscard]] const OperationType& sort();

}  // namespace sill::flow
