// Types, values and texts of header words.
#include "sill/formats/segy/word.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

#include "sill/base/ibm_float.hpp"

namespace sill::segy {
namespace {

std::weak_ordering order_of_doubles(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) <=> std::isnan(b);
  if (a < b) return std::weak_ordering::less;
  return a > b ? std::weak_ordering::greater : std::weak_ordering::equivalent;
}

}  // namespace

std::optional<WordType> parse_word_type(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char width = text.back();
  std::string letters;
  for (const char c : text.substr(0, text.size() - 1)) {
    letters += (c >= 'A' && c <= 'Z') ? static_cast<char>(c - 'A' + 'a') : c;
  }
  const int bytes = width - '0';
  if (letters == "i" && bytes >= 1 && bytes <= 8) return WordType{WordKind::signed_integer, bytes};
  if (letters == "u" && bytes >= 1 && bytes <= 8) return WordType{WordKind::unsigned_integer, bytes};
  if (letters == "f" && (bytes == 4 || bytes == 8)) return WordType{WordKind::ieee, bytes};
  if (letters == "ibm" && bytes == 4) return WordType{WordKind::ibm, bytes};
  return std::nullopt;
}

std::string name_of(WordType type) {
  switch (type.kind) {
    case WordKind::signed_integer: return fmt::format("i{}", type.bytes);
    case WordKind::unsigned_integer: return fmt::format("u{}", type.bytes);
    case WordKind::ieee: return fmt::format("f{}", type.bytes);
    case WordKind::ibm: return fmt::format("ibm{}", type.bytes);
  }
  return {};
}

std::string Word::clause() const {
  const std::string_view header = byte > 240 ? "" : "trace header ";
  if (type.bytes == 1) return fmt::format("SEG-Y rev 1, {}byte {}", header, byte);
  return fmt::format("SEG-Y rev 1, {}bytes {}-{}", header, byte, byte + type.bytes - 1);
}

std::string WordValue::text() const {
  if (const auto* integer = std::get_if<std::int64_t>(&number)) return fmt::format("{}", *integer);
  if (const auto* integer = std::get_if<std::uint64_t>(&number)) return fmt::format("{}", *integer);
  const double value = std::get<double>(number);
  if (std::isnan(value)) return "nan";
  // IBM floats reach beyond the range of float; those inside have no more digits than a float.
  const bool in_range = std::isinf(value) || std::abs(value) <= std::numeric_limits<float>::max();
  if (single_precision && in_range) {
    const auto as_float = static_cast<float>(value);
    if (order_of_doubles(static_cast<double>(as_float), value) == 0) return fmt::format("{}", as_float);
  }
  return fmt::format("{}", value);
}

double WordValue::as_double() const {
  return std::visit([](auto value) { return static_cast<double>(value); }, number);
}

std::weak_ordering operator<=>(const WordValue& a, const WordValue& b) {
  if (a.number.index() != b.number.index()) return a.number.index() <=> b.number.index();
  if (const auto* value = std::get_if<std::int64_t>(&a.number)) return *value <=> std::get<std::int64_t>(b.number);
  if (const auto* value = std::get_if<std::uint64_t>(&a.number)) return *value <=> std::get<std::uint64_t>(b.number);
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
  }
  return {};
}

}  // namespace sill::segy
