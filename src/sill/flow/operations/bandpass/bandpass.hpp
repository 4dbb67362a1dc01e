// Butterworth filters.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. `bandpass F1 F2`, `bandstop F1 F2`, `highpass F`, `lowpass F`. See README.md for formulas.
[[nodiscard]] const OperationType& bandpass();
[[nodiscard]] const OperationType& bandstop();
[[nodiscard]] const OperationType& highpass();
[[nodiscard]] const OperationType& lowpass();

}  // namespace sill::flow
