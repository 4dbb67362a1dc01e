// Conversion of the ownership of output arrays from C to C++.
#pragma once

#include "sill.h"
#include "sill/move/mover.hpp"

namespace sill::bindings {

/// Local. Converts a number. Any number except SILL_LENT is treated as SILL_COPIED, which is always safe.
[[nodiscard]] inline Memory memory_of(int number) { return number == SILL_LENT ? Memory::lent : Memory::copied; }

}  // namespace sill::bindings
