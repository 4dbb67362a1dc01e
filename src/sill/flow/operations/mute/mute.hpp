// Mutes the beginning or the end of traces.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `mute top|bottom`: sets samples before or after a time to zero, with a ramp. See README.md for the
/// formula.
[[nodiscard]] const OperationType& mute();

}  // namespace sill::flow
