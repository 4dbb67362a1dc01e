// Types, values and texts of header words.
#include "sill/formats/segy/words/word.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "sill/base/error.hpp"
#include "sill/base/ibm_float.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/text/text_header.hpp"

namespace sill::segy {
namespace {

std::weak_ordering order_of_doubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) <=> std::isnan(b);
  if (a < b) return std::weak_ordering::less;
  return a > b ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

std::string lower_case_of(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

void store_bits(std::byte* at, int bytes, std::uint64_t bits, ByteOrder order) {
  for (int i = 0; i < bytes; ++i) {
    int to = i;
    if (order == ByteOrder::little) to = bytes - 1 - i;
    if (order == ByteOrder::pairwise && (i ^ 1) < bytes) to = i ^ 1;
    at[to] = static_cast<std::byte>(bits >> (8 * (bytes - 1 - i)));
  }
}

/// Writes one word; refuses values that it cannot store.
struct WordWriter {
  std::byte* at;
  int byte;
  WordType type;
  ByteOrder order;
  const WordValue& value;
  std::string_view name;

  [[noreturn]] void refuse(std::string_view why) const {
    const std::string word = name.empty() ? fmt::format("the word at byte {}", byte) : fmt::format("{}", echoed(name));
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("{} cannot store {}: {}", word, echoed(value.text()), why),
                 .action = fmt::format("its type is {}{}", name_of(type), range())});
  }

  [[nodiscard]] std::string range() const {
    const int bits = 8 * type.bytes;
    const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
    if (type.kind == WordKind::unsigned_integer) return fmt::format(", which stores 0 to {}", all);
    if (type.kind == WordKind::signed_integer) {
      return fmt::format(", which stores -{} to {}", (all >> 1U) + 1, all >> 1U);
    }
    if (type.kind == WordKind::text) return fmt::format(", which stores at most {} characters", type.bytes);
    return ", a floating-point number";
  }

  /// Returns the value as the bits of an integer of the type.
  [[nodiscard]] std::uint64_t integer_bits() const {
    const int bits = 8 * type.bytes;
    const std::uint64_t all = std::numeric_limits<std::uint64_t>::max() >> (64 - bits);
    const bool is_signed = type.kind == WordKind::signed_integer;
    const std::uint64_t largest = is_signed ? all >> 1U : all;
    if (const auto* natural = std::get_if<std::uint64_t>(&value.number)) {
      if (*natural > largest) refuse("it is too large");
      return *natural;
    }
    std::int64_t integer = 0;
    if (const auto* real = std::get_if<double>(&value.number)) {
      if (!(std::trunc(*real) == *real) || std::isinf(*real)) refuse("it is not an integer");
      constexpr double two_to_63 = 9223372036854775808.0;
      if (*real >= two_to_63) {
        if (is_signed || *real >= 2 * two_to_63 || static_cast<std::uint64_t>(*real) > largest) {
          refuse("it is too large");
        }
        return static_cast<std::uint64_t>(*real);
      }
      if (*real < -two_to_63) refuse("it is too small");
      integer = static_cast<std::int64_t>(*real);
    } else {
      integer = std::get<std::int64_t>(value.number);
    }
    if (integer < 0 && !is_signed) refuse("it is negative");
    if (integer > 0 && static_cast<std::uint64_t>(integer) > largest) refuse("it is too large");
    if (integer < 0 && static_cast<std::uint64_t>(-(integer + 1)) > largest) refuse("it is too small");
    return static_cast<std::uint64_t>(integer) & all;
  }

  /// Returns the value as double, for the float types; an integer must not change.
  [[nodiscard]] double real() const {
    return std::visit(
        [&](const auto& number) -> double {
          using Number = std::decay_t<decltype(number)>;
          if constexpr (std::is_same_v<Number, double>) {
            return number;
          } else if constexpr (std::is_same_v<Number, WordText>) {
            refuse("it is text");
          } else {
            const auto as_double = static_cast<double>(number);
            // The largest integers round up to a power of two that the type cannot represent.
            constexpr auto beyond = static_cast<double>(std::numeric_limits<Number>::max());
            if (as_double >= beyond || static_cast<Number>(as_double) != number) refuse("it would be rounded");
            return as_double;
          }
        },
        value.number);
  }

  [[nodiscard]] bool is_integer() const { return !std::holds_alternative<double>(value.number); }

  void write_text() const {
    const auto* text = std::get_if<WordText>(&value.number);
    if (text == nullptr) refuse("it is a number");
    if (text->length > type.bytes) refuse("it is too long");
    std::fill_n(at, type.bytes, std::byte{' '});
    std::copy_n(text->bytes.begin(), text->length, at);
  }

  void write_float() const {
    const double wanted = real();
    if (type.kind == WordKind::ibm) {
      const IbmRounded rounded = double_to_ibm(wanted);
      if (rounded.nan) refuse("an IBM float cannot be NaN");
      if (rounded.clipped) refuse("it is too large");
      if (is_integer() && !rounded.exact) refuse("it would be rounded");
      store(at, rounded.bits, order);
      return;
    }
    if (type.bytes == 8) {
      store(at, wanted, order);
      return;
    }
    const auto rounded = static_cast<float>(wanted);
    if (std::isinf(rounded) && !std::isinf(wanted)) refuse("it is too large");
    if (is_integer() && static_cast<double>(rounded) != wanted) refuse("it would be rounded");
    store(at, rounded, order);
  }

  void write() const {
    switch (type.kind) {
      case WordKind::signed_integer:
      case WordKind::unsigned_integer:
        if (std::holds_alternative<WordText>(value.number)) refuse("it is text");
        store_bits(at, type.bytes, integer_bits(), order);
        break;
      case WordKind::ieee:
      case WordKind::ibm: write_float(); break;
      case WordKind::text: write_text(); break;
    }
  }
};

/// Returns the byte of a standard word in its header, from 1.
int byte_in_block(const Word& word) { return word.block == WordBlock::binary ? word.byte - 3200 : word.byte; }

}  // namespace

std::optional<WordType> parse_word_type(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char width = text.back();
  const std::string letters = lower_case_of(text.substr(0, text.size() - 1));
  const int bytes = width - '0';
  if (letters == "i" && bytes >= 1 && bytes <= 8) return WordType{WordKind::signed_integer, bytes};
  if (letters == "u" && bytes >= 1 && bytes <= 8) return WordType{WordKind::unsigned_integer, bytes};
  if (letters == "f" && (bytes == 4 || bytes == 8)) return WordType{WordKind::ieee, bytes};
  if (letters == "a" && bytes >= 1 && bytes <= 8) return WordType{WordKind::text, bytes};
  if (letters == "ibm" && bytes == 4) return WordType{WordKind::ibm, bytes};
  return std::nullopt;
}

std::string name_of(WordType type) {
  switch (type.kind) {
    case WordKind::signed_integer: return fmt::format("i{}", type.bytes);
    case WordKind::unsigned_integer: return fmt::format("u{}", type.bytes);
    case WordKind::ieee: return fmt::format("f{}", type.bytes);
    case WordKind::ibm: return fmt::format("ibm{}", type.bytes);
    case WordKind::text: return fmt::format("a{}", type.bytes);
  }
  return {};
}

std::string_view name_of(Revision revision) {
  switch (revision) {
    case Revision::none: return "SU";
    case Revision::rev0: return "0";
    case Revision::rev1: return "1";
    case Revision::rev2_0: return "2.0";
    case Revision::rev2_1: return "2.1";
  }
  return "";
}

bool Word::is_called(std::string_view name) const {
  if (name.empty()) return false;
  const std::string wanted = lower_case_of(name);
  return std::ranges::any_of(std::array{segyio, su, standard},
                             [&](std::string_view known) { return lower_case_of(known) == wanted; });
}

std::string Word::clause() const {
  std::string_view header;
  if (block == WordBlock::trace) header = "trace header ";
  if (block == WordBlock::extension1) header = "trace header extension 1 ";
  // Revision 1 defines all words of revision 0 in the same way.
  const std::string_view standard_name = block == WordBlock::su      ? "Seismic Unix, segy.h, "
                                         : since == Revision::rev2_0 ? "SEG-Y rev 2.0, "
                                         : since == Revision::rev2_1 ? "SEG-Y rev 2.1, "
                                                                     : "SEG-Y rev 1, ";
  if (type.bytes == 1) return fmt::format("{}{}byte {}", standard_name, header, byte);
  return fmt::format("{}{}bytes {}-{}", standard_name, header, byte, byte + type.bytes - 1);
}

std::strong_ordering operator<=>(const WordText& a, const WordText& b) {
  return std::lexicographical_compare_three_way(a.bytes.begin(), a.bytes.begin() + a.length, b.bytes.begin(),
                                                b.bytes.begin() + b.length);
}

WordText word_text(std::string_view text) {
  WordText result;
  const bool printable = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
  if (text.size() > result.bytes.size() || !printable) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("'{}' cannot be stored in a header word", echoed(text)),
                 .action = "a word stores at most eight characters, printable ASCII"});
  }
  std::ranges::transform(text, result.bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  result.length = static_cast<std::uint8_t>(text.size());
  return result;
}

std::string WordValue::text() const {
  if (const auto* integer = std::get_if<std::int64_t>(&number)) return fmt::format("{}", *integer);
  if (const auto* integer = std::get_if<std::uint64_t>(&number)) return fmt::format("{}", *integer);
  if (const auto* characters = std::get_if<WordText>(&number)) {
    return decode_short_text(std::span(characters->bytes).first(characters->length));
  }
  const double value = std::get<double>(number);
  if (std::isnan(value)) return "nan";
  // The range of IBM floats exceeds the range of float; inside this range, they have no more digits than a float.
  const bool in_range = std::isinf(value) || std::abs(value) <= std::numeric_limits<float>::max();
  if (single_precision && in_range) {
    const auto as_float = static_cast<float>(value);
    if (order_of_doubles(static_cast<double>(as_float), value) == 0) return fmt::format("{}", as_float);
  }
  return fmt::format("{}", value);
}

double WordValue::as_double() const {
  if (const auto* integer = std::get_if<std::int64_t>(&number)) return static_cast<double>(*integer);
  if (const auto* integer = std::get_if<std::uint64_t>(&number)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&number)) return *real;
  return std::numeric_limits<double>::quiet_NaN();
}

std::weak_ordering operator<=>(const WordValue& a, const WordValue& b) {
  if (a.number.index() != b.number.index()) return a.number.index() <=> b.number.index();
  if (const auto* value = std::get_if<std::int64_t>(&a.number)) return *value <=> std::get<std::int64_t>(b.number);
  if (const auto* value = std::get_if<std::uint64_t>(&a.number)) return *value <=> std::get<std::uint64_t>(b.number);
  if (const auto* text = std::get_if<WordText>(&a.number)) return *text <=> std::get<WordText>(b.number);
  return order_of_doubles(std::get<double>(a.number), std::get<double>(b.number));
}

WordValue read_word(const std::byte* block, int byte, WordType type, ByteOrder order) {
  const std::byte* at = block + (byte - 1);
  switch (type.kind) {
    case WordKind::signed_integer: return {sign_extended(load_bits(at, type.bytes, order), type.bytes)};
    case WordKind::unsigned_integer: return {load_bits(at, type.bytes, order)};
    case WordKind::ieee:
      if (type.bytes == 8) return {load<double>(at, order)};
      return {static_cast<double>(load<float>(at, order)), true};
    case WordKind::ibm: return {ibm_to_double(load<std::uint32_t>(at, order)), true};
    case WordKind::text: {
      WordText text;
      std::copy_n(at, type.bytes, text.bytes.begin());
      text.length = static_cast<std::uint8_t>(type.bytes);
      return {text};
    }
  }
  return {};
}

WordValue read_word(const std::byte* block, const Word& word, ByteOrder order) {
  return read_word(block, byte_in_block(word), word.type, order);
}

void write_word(std::byte* block, int byte, WordType type, ByteOrder order, const WordValue& value,
                std::string_view name) {
  WordWriter{block + (byte - 1), byte, type, order, value, name}.write();
}

void write_word(std::byte* block, const Word& word, ByteOrder order, const WordValue& value) {
  write_word(block, byte_in_block(word), word.type, order, value, word.shown_name());
}

}  // namespace sill::segy
