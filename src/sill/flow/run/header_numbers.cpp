#include "sill/flow/run/header_numbers.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sill/base/error.hpp"
#include "sill/formats/segy/words/true_value_writing.hpp"

namespace sill::flow {

std::int64_t make_usable(std::span<const HeaderNumber> numbers, std::byte* header, ByteOrder order,
                         NonFinite nonfinite) {
  std::int64_t zeroed = 0;
  for (const HeaderNumber& number : numbers) {
    const double value = segy::true_value(number.word, header, order);
    if (std::abs(value) <= number.max_magnitude) continue;
    const bool is_finite = std::isfinite(value);
    if (!is_finite && nonfinite == NonFinite::zero) {
      segy::write_true_value(number.word, header, order, 0.0);
      ++zeroed;
      continue;
    }
    throw Error({.code = ErrorCode::input,
                 .problem = is_finite ? fmt::format("the word {} (byte {}) is {:.6g}, whose magnitude exceeds {:.6g}",
                                                    number.word.name, number.word.byte, value, number.max_magnitude)
                                      : fmt::format("the word {} (byte {}) is {}, which is not a finite number",
                                                    number.word.name, number.word.byte, value),
                 .clause = number.word.standard != nullptr ? number.word.standard->clause() : "",
                 .action = is_finite ? "correct the header, or omit such traces with select"
                                     : "correct the header; --nonfinite zero treats such words as 0"});
  }
  return zeroed;
}

}  // namespace sill::flow
