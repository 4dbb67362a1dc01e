// Stacks the traces of gathers.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `stack by=KEYS`: makes one trace of each gather. See README.md.
[[nodiscard]] const OperationType& stack();

/// Local. Returns `partialstack by=offset bins=...`: makes one trace for each range of a word in each gather. See
/// README.md.
[[nodiscard]] const OperationType& partialstack();

}  // namespace sill::flow
