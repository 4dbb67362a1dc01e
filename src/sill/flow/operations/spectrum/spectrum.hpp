// The mean amplitude spectrum of a survey.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `spectrum`: reports the mean amplitude spectrum, and changes nothing. See README.md.
[[nodiscard]] const OperationType& spectrum();

}  // namespace sill::flow
