// Stacking the traces of gathers.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. `stack by=KEYS`: one trace for each gather. See README.md.
[[nodiscard]] const OperationType& stack();

/// Local. `partialstack by=offset bins=...`: one trace for each range of a word, of each gather. See README.md.
[[nodiscard]] const OperationType& partialstack();

}  // namespace sill::flow
