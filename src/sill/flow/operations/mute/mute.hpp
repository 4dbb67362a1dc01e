// Muting the beginning or the end of traces.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. `mute top|bottom`: zeros before or after a time, with a ramp. See README.md for the formula.
[[nodiscard]] const OperationType& mute();

}  // namespace sill::flow
