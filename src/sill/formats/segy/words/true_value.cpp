// True values of words: with their scalars applied, or from the words of extension 1 that override them.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::segy {
namespace {

constexpr int extension_name_bytes = 8;

double stored_value(const std::byte* header, int byte, WordType type, ByteOrder order) {
  if (type == WordType{WordKind::signed_integer, 4}) return load<std::int32_t>(header + (byte - 1), order);
  if (type == WordType{WordKind::signed_integer, 2}) return load<std::int16_t>(header + (byte - 1), order);
  return read_word(header, byte, type, order).as_double();
}

double by_scalar(double value, double scalar) {
  // A negative scalar must divide: multiplication by its reciprocal would round twice.
  if (scalar < 0.0) return value / -scalar;
  return scalar == 0.0 ? value : value * scalar;
}

double scaled(double value, const Scaling& scaling, const std::byte* header, ByteOrder order) {
  switch (scaling.kind) {
    case Scaling::Kind::none:
    case Scaling::Kind::missing: break;
    case Scaling::Kind::factor: return value * scaling.factor;
    case Scaling::Kind::word: return by_scalar(value, stored_value(header, scaling.byte, scaling.type, order));
    case Scaling::Kind::power_of_ten: {
      const double power = stored_value(header, scaling.byte, scaling.type, order);
      // Powers of ten up to 22 are exact, also as divisors; their reciprocals are not. Zero remains zero with every
      // power.
      if (value == 0.0) return 0.0;
      return power < 0.0 ? value / std::pow(10.0, -power) : value * std::pow(10.0, power);
    }
  }
  return value;
}

}  // namespace

double true_value(const WordRef& word, const std::byte* header, ByteOrder order) {
  // Fast path for almost all coordinates and elevations.
  const bool is_plain = word.scaling.kind == Scaling::Kind::word && word.twin_byte == 0 &&
                        word.type == WordType{WordKind::signed_integer, 4} &&
                        word.scaling.type == WordType{WordKind::signed_integer, 2};
  if (is_plain) [[likely]] {
    const double value = load<std::int32_t>(header + (word.byte - 1), order);
    const int scalar = load<std::int16_t>(header + (word.scaling.byte - 1), order);
    return by_scalar(value, scalar);
  }
  if (word.twin_byte != 0 && is_extension_1(header + second_name_at)) {
    const double twin = stored_value(header, word.twin_byte, word.twin_type, order);
    if (twin != 0.0) return twin;
  }
  return scaled(stored_value(header, word.byte, word.type, order), word.scaling, header, order);
}

TrueBytes bytes_of_true_value(const WordRef& word) {
  TrueBytes bytes{word.byte - 1, word.byte - 1 + word.type.bytes};
  const auto include = [&](int first, int length) {
    bytes.first = std::min(bytes.first, first);
    bytes.end = std::max(bytes.end, first + length);
  };
  if (word.scaling.byte != 0) include(word.scaling.byte - 1, word.scaling.type.bytes);
  if (word.twin_byte != 0) {
    include(word.twin_byte - 1, word.twin_type.bytes);
    include(second_name_at, extension_name_bytes);
  }
  return bytes;
}

TrueBytes joined(TrueBytes a, TrueBytes b) {
  if (a.end == 0) return b;
  if (b.end == 0) return a;
  return {std::min(a.first, b.first), std::max(a.end, b.end)};
}

void require_true_value(const WordRef& word, std::string_view asked) {
  if (word.type.kind == WordKind::text) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("'{}' requests the true value of text", echoed(asked)),
                 .action = "give only the name of the word: text is ordered by its bytes"});
  }
  if (word.scaling.kind != Scaling::Kind::missing) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("'{}' needs the scalar of {}, which the header map does not have as an integer",
                                      echoed(asked), echoed(word.name)),
               .action = "map this scalar, give the word another scalar in the map, or give only the name of the word "
                         "to use its stored value"});
}

}  // namespace sill::segy
