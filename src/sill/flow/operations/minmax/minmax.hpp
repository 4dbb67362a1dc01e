// Minimum, maximum and mean values of a survey.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `minmax OF`: reports on samples, words or expressions, and changes nothing. See README.md.
[[nodiscard]] const OperationType& minmax();

}  // namespace sill::flow
