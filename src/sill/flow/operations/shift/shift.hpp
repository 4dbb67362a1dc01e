// Shifts traces in time.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `shift TIME`: shifts all traces by the same time; `statics WORD`: shifts each trace by a header word.
/// See README.md.
[[nodiscard]] const OperationType& shift();
[[nodiscard]] const OperationType& statics();

}  // namespace sill::flow
