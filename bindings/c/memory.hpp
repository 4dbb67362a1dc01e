// Whose memory output works from, as C has it and as C++ has it.
#pragma once

#include "sill.h"
#include "sill/move/mover.hpp"

namespace sill::bindings {

/// Local. Any other number than SILL_LENT is SILL_COPIED, which is right whatever was meant.
[[nodiscard]] inline Memory memory_of(int number) { return number == SILL_LENT ? Memory::lent : Memory::copied; }

}  // namespace sill::bindings
