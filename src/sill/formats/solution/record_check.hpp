// Whether text is made of the records of solution files: of numbers, each in its place.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sill/formats/solution/solution_file.hpp"

namespace sill::solution {

/// Local. The first byte of `text` that is not as printf writes a double with `number_form(form)` and a newline:
/// blanks, a sign, a digit, a point, five digits, an exponent of two digits or three; or "inf" or "nan"; all in its
/// columns. Nothing if there is none. No number is also what printf makes of no double: what lies beyond all of them,
/// begins with 0 and is not zero, or has an exponent of -00 or one of three digits that begins with 0. Reads
/// 8 to 14 GB/s a core where exponents have two digits, about 200 MB/s where they have three. Precondition: whole
/// records.
[[nodiscard]] std::optional<std::int64_t> first_no_number(const Form& form, std::string_view text);

}  // namespace sill::solution
