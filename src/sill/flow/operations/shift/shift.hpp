// Shifting traces in time.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. `shift TIME`: all traces alike; `statics WORD`: each by a header word. See README.md.
[[nodiscard]] const OperationType& shift();
[[nodiscard]] const OperationType& statics();

}  // namespace sill::flow
