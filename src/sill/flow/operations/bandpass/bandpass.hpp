// Recursive filters: Butterworth and notch.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `bandpass F1 F2`, `bandstop F1 F2`, `highpass F`, `lowpass F`. See README.md for formulas.
[[nodiscard]] const OperationType& bandpass();
[[nodiscard]] const OperationType& bandstop();
[[nodiscard]] const OperationType& highpass();
[[nodiscard]] const OperationType& lowpass();

/// Local. Returns `notch F`. See README.md for the formula.
[[nodiscard]] const OperationType& notch();

}  // namespace sill::flow
