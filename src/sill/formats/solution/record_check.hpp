// Verifies that text consists of the records of solution files: numbers in fixed columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sill/formats/solution/solution_file.hpp"

namespace sill::solution {

/// Local. Returns the first byte of `text` that differs from the output of printf for a double with `number_form(form)`
/// and a newline; nullopt if there is none. The output consists of blanks, a sign, a digit, a point, five digits and an
/// exponent of two or three digits, or is "inf" or "nan", all in fixed columns. Text that printf writes for no double
/// is also not a number: a value beyond the range of double, a nonzero number that begins with 0, an exponent of -00,
/// or an exponent of three digits that begins with 0. Reads 8 to 14 GB/s per core if exponents have two digits, about
/// 200 MB/s if they have three. Precondition: `text` consists of complete records.
[[nodiscard]] std::optional<std::int64_t> first_no_number(const Form& form, std::string_view text);

}  // namespace sill::solution
