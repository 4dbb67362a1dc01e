// Parses, evaluates and packs the keys by which traces are sorted.
#include "sill/formats/segy/words/key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/ibm_float.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/expression/expression_reader.hpp"

namespace sill::segy {
namespace {

constexpr int source_x_byte = 73;
constexpr int source_y_byte = 77;
constexpr int group_x_byte = 81;
constexpr int group_y_byte = 85;
constexpr int cdp_byte = 21;
constexpr int offset_byte = 37;
constexpr int iline_byte = 189;
constexpr int xline_byte = 193;

constexpr std::uint64_t all_ones = std::numeric_limits<std::uint64_t>::max();

/// Returns the bits of a float, transformed so that their unsigned order is the order of values; all zeros are equal,
/// NaN is all ones.
template <class Bits, class Float>
std::uint64_t ordered_bits(Float value) {
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  if (std::isnan(value)) return std::numeric_limits<Bits>::max();
  const auto bits = std::bit_cast<Bits>(value + Float{0});
  return (bits & sign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
}

int width_of_packed_integer(int bytes) {
  if (bytes <= 2) return bytes;
  return bytes <= 4 ? 4 : 8;
}

/// Returns true if a word, at whatever byte the map puts it, is the standard word at `byte`, or the word of extension 1
/// that overrides it.
bool stands_for(const WordRef& word, int byte) {
  if (word.standard == nullptr) return false;
  return word.standard->block == WordBlock::extension1 ? word.standard->overrides == byte : word.standard->byte == byte;
}

bool is_word(const TraceKey& key, int byte) {
  const WordRef* word = key.word();
  return word != nullptr && !key.absolute() && stands_for(*word, byte);
}

bool are_words_in_any_order(std::span<const TraceKey> keys, int byte_a, int byte_b) {
  return keys.size() >= 2 && ((is_word(keys[0], byte_a) && is_word(keys[1], byte_b)) ||
                              (is_word(keys[0], byte_b) && is_word(keys[1], byte_a)));
}

}  // namespace

TraceKey::TraceKey(Expression expression, bool descending)
    : expression_(std::move(expression)), descending_(descending) {
  using detail::Operation;
  text_ = expression_.text();
  const auto* node = &expression_.root();
  needed_bytes_ = expression_.needed_bytes();
  if (node->operation == Operation::absolute) {
    absolute_ = true;
    node = &expression_.left(*node);
  }
  switch (node->operation) {
    case Operation::word:
      source_ = KeySource::word;
      word_ = expression_.words_.front();
      resolve_word();
      return;
    case Operation::true_value:
      source_ = KeySource::true_value;
      word_ = expression_.words_.front();
      break;
    case Operation::derived:
      if (expression_.derived_.front().kind() == DerivedKind::offset) source_ = KeySource::calc_offset;
      break;
    case Operation::file: source_ = KeySource::file; break;
    default: absolute_ = false; break;  // within an expression it is an ordinary operation
  }
  switch (expression_.kind()) {
    case ValueKind::truth:
      encoding_ = Encoding::truth;
      packed_bytes_ = 1;
      break;
    case ValueKind::integer:
      encoding_ = Encoding::integer;
      packed_bytes_ = 8;
      break;
    case ValueKind::real:
      encoding_ = Encoding::real;
      packed_bytes_ = 8;
      break;
    case ValueKind::text: break;
  }
}

TraceKey TraceKey::parse(std::string_view text, const HeaderMap& map) {
  std::vector<TraceKey> keys = parse_list(text, map);
  if (keys.size() == 1) return std::move(keys.front());
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("'{}' names {} keys where one is expected", echoed(text), keys.size()),
               .action = "name one"});
}

TraceKey TraceKey::ascending() const {
  TraceKey key = *this;
  key.descending_ = false;
  return key;
}

std::vector<TraceKey> TraceKey::parse_list(std::string_view comma_separated, const HeaderMap& map) {
  ExpressionReader reader(comma_separated, map);
  std::vector<TraceKey> keys;
  do {
    const std::size_t from = reader.position();
    if (reader.at_end() || reader.accept(",")) {
      reader.fail(from, reader.position(), fmt::format("key {} of the list is empty", keys.size() + 1),
                  "write keys separated by single commas: cdp,offset");
    }
    ExpressionReader::Key key = reader.key();
    if (key.expression.kind() == ValueKind::text && key.expression.needed_bytes().empty())
      reader.fail(from, reader.position(), "a key is the same for all traces",
                  "give the name of a word without quotes");
    keys.push_back(TraceKey(std::move(key.expression), key.descending));
  } while (reader.accept(","));
  if (!reader.at_end()) reader.refuse_rest();
  return keys;
}

void TraceKey::resolve_word() {
  needed_bytes_ = {word_.byte - 1, word_.type.bytes};
  switch (word_.type.kind) {
    case WordKind::signed_integer:
      encoding_ = absolute_ ? Encoding::magnitude : Encoding::signed_integer;
      packed_bytes_ = width_of_packed_integer(word_.type.bytes);
      break;
    case WordKind::unsigned_integer:
      encoding_ = Encoding::unsigned_integer;
      packed_bytes_ = width_of_packed_integer(word_.type.bytes);
      break;
    case WordKind::ieee:
      encoding_ = word_.type.bytes == 4 ? Encoding::ieee4 : Encoding::ieee8;
      packed_bytes_ = word_.type.bytes;
      break;
    case WordKind::ibm:
      // Packed as double, so that unnormalised forms of a value give the same key.
      encoding_ = Encoding::ibm;
      packed_bytes_ = 8;
      break;
    case WordKind::text:
      encoding_ = Encoding::text;
      packed_bytes_ = width_of_packed_integer(word_.type.bytes);
      break;
  }
}

WordValue TraceKey::value(const HeaderView& trace) const {
  if (source_ != KeySource::word) return expression_.value(trace);
  WordValue result = read_word(trace.header, word_.byte, word_.type, trace.order);
  if (!absolute_) return result;
  if (const auto* integer = std::get_if<std::int64_t>(&result.number)) {
    result.number = magnitude_of(*integer);
  } else if (const auto* real = std::get_if<double>(&result.number)) {
    result.number = std::abs(*real);
  }
  return result;
}

std::uint64_t TraceKey::ascending_code(const HeaderView& trace) const {
  const ByteOrder order = trace.order;
  const std::byte* const at = trace.header + needed_bytes_.offset;
  const std::uint64_t packed_sign = std::uint64_t{1} << (8 * packed_bytes_ - 1);
  switch (encoding_) {
    case Encoding::unsigned_integer: return load_bits(at, word_.type.bytes, order);
    case Encoding::signed_integer: {
      const std::int64_t value = sign_extended(load_bits(at, word_.type.bytes, order), word_.type.bytes);
      return static_cast<std::uint64_t>(value) ^ packed_sign;
    }
    case Encoding::magnitude:
      return magnitude_of(sign_extended(load_bits(at, word_.type.bytes, order), word_.type.bytes));
    case Encoding::text: {
      // Text is compared byte by byte in storage order, independent of the byte order of numbers; the additional bytes
      // of the packed word are zero.
      const std::uint64_t bits = load_bits(at, word_.type.bytes, ByteOrder::big);
      return bits << (8 * (packed_bytes_ - word_.type.bytes));
    }
    case Encoding::ieee4: {
      const auto value = load<float>(at, order);
      return ordered_bits<std::uint32_t>(absolute_ ? std::abs(value) : value);
    }
    case Encoding::ieee8: {
      const auto value = load<double>(at, order);
      return ordered_bits<std::uint64_t>(absolute_ ? std::abs(value) : value);
    }
    case Encoding::ibm: {
      const double value = ibm_to_double(load<std::uint32_t>(at, order));
      return ordered_bits<std::uint64_t>(absolute_ ? std::abs(value) : value);
    }
    case Encoding::truth: return expression_.holds(trace) ? 1 : 0;
    case Encoding::integer: return static_cast<std::uint64_t>(expression_.integer(trace)) ^ packed_sign;
    case Encoding::real: return ordered_bits<std::uint64_t>(expression_.real(trace));
  }
  return 0;
}

void TraceKey::pack(const HeaderView& trace, std::byte* out) const {
  std::uint64_t code = ascending_code(trace);
  if (descending_) {
    // NaN remains last. For no other float is the code, or its complement, all ones.
    const bool is_float = encoding_ == Encoding::ieee4 || encoding_ == Encoding::ieee8 || encoding_ == Encoding::ibm ||
                          encoding_ == Encoding::real;
    const std::uint64_t nan_code = all_ones >> (64 - 8 * packed_bytes_);
    if (!is_float || code != nan_code) code = ~code;
  }
  switch (packed_bytes_) {
    case 1: store(out, static_cast<std::uint8_t>(code), ByteOrder::big); break;
    case 2: store(out, static_cast<std::uint16_t>(code), ByteOrder::big); break;
    case 4: store(out, static_cast<std::uint32_t>(code), ByteOrder::big); break;
    default: store(out, code, ByteOrder::big); break;
  }
}

std::string text_of(std::span<const TraceKey> keys, const HeaderView& trace) {
  std::string text;
  for (const TraceKey& key : keys)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", key.text(), key.value(trace).text());
  return text;
}

int sorting_code_of(std::span<const TraceKey> keys, int before) {
  constexpr int horizontally_stacked = 4;
  constexpr int field_record_byte = 9;
  constexpr int energy_source_point_byte = 17;
  constexpr int shotpoint_byte = 197;
  if (keys.empty()) return -1;
  const TraceKey& first = keys[0];
  const auto is_line = [&](int byte) { return is_word(first, byte); };
  if (before == horizontally_stacked && (is_line(cdp_byte) || is_line(iline_byte) || is_line(xline_byte)))
    return before;
  if (is_word(first, cdp_byte)) return 2;
  for (const int byte : {energy_source_point_byte, shotpoint_byte, field_record_byte}) {
    if (is_word(first, byte)) return 5;
  }
  if (are_words_in_any_order(keys, source_x_byte, source_y_byte)) return 5;
  if (are_words_in_any_order(keys, group_x_byte, group_y_byte)) return 6;
  const WordRef* word = first.word();
  const bool is_offset_word = word != nullptr && stands_for(*word, offset_byte);
  if (is_offset_word || first.source() == KeySource::calc_offset) return 7;
  return -1;
}

std::string key_grammar() {
  return "KEY is any expression.\n\n" + expression_grammar() +
         "\n-KEY sorts in descending order. If a trace has extension 1, true(WORD) is the value in the extension, "
         "unless this value is 0.\nazimuth is from source to receiver, in degrees clockwise from +y, from 0 to below "
         "360.\nTies keep the order of the input. NaN comes last, even in descending order.\n";
}

}  // namespace sill::segy
