// radon: gathers as sums along lines or parabolas, the gathers of such sums, and gathers without multiples.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

[[nodiscard]] const OperationType& radon();

}  // namespace sill::flow
