// Sets header words.
#pragma once

#include "sill/flow/operation/operation_type.hpp"

namespace sill::flow {

/// Local. Returns `header WORD=EXPRESSION ...`: computes header words. See README.md.
[[nodiscard]] const OperationType& header();

}  // namespace sill::flow
