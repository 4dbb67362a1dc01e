// Writing of true values into words that have a scalar.
#pragma once

#include <cstddef>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::segy {

/// Local. Writes `value` so that `true_value` returns it, rounded to the nearest value that the word can hold with the
/// scalar in the header, ties to even. The scalar is not changed. If the twin word in extension 1 is not 0, only the
/// twin is written, or both words if `value` is 0. Errors: usage, if the word cannot hold the value; nothing is written
/// then. Precondition: as for `true_value`.
void write_true_value(const WordRef& word, std::byte* header, ByteOrder order, double value);

/// Local. Writes `value` into the word itself by the scalar in the header, not into its twin. Errors: input, without a
/// location: a value that the word cannot hold, or not exactly, up to the rounding of its product with the scalar;
/// `header` may have been changed.
void store_true_value(const WordRef& word, std::byte* header, ByteOrder order, double value);

}  // namespace sill::segy
