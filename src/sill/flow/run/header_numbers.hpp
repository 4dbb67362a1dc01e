// Checks the header numbers that an operation is about to use.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/base/byte_order.hpp"
#include "sill/flow/operation/operation.hpp"

namespace sill::flow {

/// Local. With `zero`, sets each of `numbers` that is not finite to 0 in a header, and returns how many numbers were
/// set. Errors: input, without a position but with the word: a number that is not finite, unless `zero`; a number that
/// is too large.
std::int64_t make_usable(std::span<const HeaderNumber> numbers, std::byte* header, ByteOrder order,
                         NonFinite nonfinite);

}  // namespace sill::flow
