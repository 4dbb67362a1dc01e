// Writing values of words whose scalars are applied.
#pragma once

#include <cstddef>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::segy {

/// Local. The reverse of `true_value`: stores `value` so that `true_value` returns it, with the scalar that the header
/// states, which is not changed; rounded to the nearest that the word holds with it, halves to even. Where the value of
/// extension 1 counts, that is written, and with 0 both. Errors: usage, if the word cannot hold the value; nothing is
/// written then. Precondition: as `true_value`.
void write_true_value(const WordRef& word, std::byte* header, ByteOrder order, double value);

}  // namespace sill::segy
