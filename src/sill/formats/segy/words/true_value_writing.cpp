#include "sill/formats/segy/words/true_value_writing.hpp"

#include <fmt/format.h>

#include <cmath>

#include "sill/base/error.hpp"
#include "sill/base/whole_number.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"

namespace sill::segy {
namespace {

double unscaled(double value, const Scaling& scaling, const std::byte* header, ByteOrder order) {
  if (scaling.kind == Scaling::Kind::factor) return value / scaling.factor;
  if (scaling.kind != Scaling::Kind::word && scaling.kind != Scaling::Kind::power_of_ten) return value;
  const double scalar = read_word(header, scaling.byte, scaling.type, order).as_double();
  if (scaling.kind == Scaling::Kind::word) {
    if (scalar < 0.0) return value * -scalar;
    return scalar == 0.0 ? value : value / scalar;
  }
  return scalar < 0.0 ? value * std::pow(10.0, -scalar) : value / std::pow(10.0, scalar);
}

void write_nearest(std::byte* header, int byte, WordType type, ByteOrder order, double value, std::string_view name) {
  const std::optional<std::int64_t> whole = nearest_integer(value);
  if (is_float(type) || !whole)  // write_word refuses values that do not fit into an 8-byte integer
    write_word(header, byte, type, order, {.number = value}, name);
  else
    write_word(header, byte, type, order, {.number = *whole}, name);
}

}  // namespace

void write_true_value(const WordRef& word, std::byte* header, ByteOrder order, double value) {
  if (word.twin_byte != 0 && is_extension_1(header + second_name_at) &&
      read_word(header, word.twin_byte, word.twin_type, order).as_double() != 0.0) {
    write_nearest(header, word.twin_byte, word.twin_type, order, value, word.name);
    if (value != 0.0) return;
  }
  write_nearest(header, word.byte, word.type, order, unscaled(value, word.scaling, header, order), word.name);
}

void store_true_value(const WordRef& word, std::byte* header, ByteOrder order, double value) {
  const double exact = unscaled(value, word.scaling, header, order);
  try {
    write_nearest(header, word.byte, word.type, order, exact, word.name);
  } catch (const Error& error) {
    throw Error({.code = ErrorCode::input, .problem = error.parts().problem, .action = error.parts().action});
  }
  // The product of the value and its scalar is rounded.
  const double rounding = 1e-6 + 1e-12 * std::abs(exact);
  if (is_float(word.type) || std::abs(exact - std::round(exact)) <= rounding) return;
  WordRef base = word;
  base.twin_byte = 0;
  throw Error(
      {.code = ErrorCode::input,
       .problem = fmt::format("true({}) is {}, but with its scalar the word stores {}", word.name, value,
                              true_value(base, header, order)),
       .action = "set its scalar, too, such as scalco=-100 for coordinates with two decimals, or round the value"});
}

}  // namespace sill::segy
