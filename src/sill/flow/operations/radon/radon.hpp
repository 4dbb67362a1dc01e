// radon: transforms gathers to sums along lines or parabolas and back, and removes multiples.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

[[nodiscard]] const OperationType& radon();

}  // namespace sill::flow
