// Parsing, evaluating and packing the keys that traces are sorted by.
#include "sill/formats/segy/key.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/ibm_float.hpp"
#include "sill/base/user_text.hpp"

namespace sill::segy {
namespace {

constexpr std::array<std::pair<std::string_view, KeySource>, 5> derived_names = {
    {{"calc_offset", KeySource::calc_offset},
     {"azimuth", KeySource::azimuth},
     {"midpoint_x", KeySource::midpoint_x},
     {"midpoint_y", KeySource::midpoint_y},
     {"file", KeySource::file}}};

constexpr int source_x_byte = 73;
constexpr int source_y_byte = 77;
constexpr int group_x_byte = 81;
constexpr int group_y_byte = 85;
constexpr int cdp_byte = 21;
constexpr int offset_byte = 37;

constexpr std::uint64_t all_ones = std::numeric_limits<std::uint64_t>::max();

[[noreturn]] void throw_text(std::string_view key, std::string_view what) {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("'{}' asks for {} of text", echoed(key), what),
               .action = "name the word alone: text is ordered by its bytes"});
}

void require_true_value(const WordRef& word, std::string_view key) {
  if (word.type.kind == WordKind::text) throw_text(key, "a true value");
  if (word.scaling.kind != Scaling::Kind::missing) return;
  throw Error(
      {.code = ErrorCode::usage,
       .problem = fmt::format("'{}' needs the scalar of {}, which the header map does not have as an integer",
                              echoed(key), echoed(word.name)),
       .action = "map that scalar, give the word another in the map, or name the word alone for what is stored"});
}

/// What stands in the parentheses of `name(...)`; nothing if `text` is not of that form.
std::optional<std::string_view> inside(std::string_view text, std::string_view name, std::string_view key) {
  if (detail::lower_case(text.substr(0, name.size())) != name) return std::nullopt;
  const std::string_view rest = trimmed(text.substr(std::min(text.size(), name.size())));
  if (!rest.starts_with('(')) return std::nullopt;
  if (!rest.ends_with(')')) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("'{}' lacks a closing parenthesis", echoed(key)),
                 .action = fmt::format("write {0}(KEY) or -{0}(KEY)", name)});
  }
  return trimmed(rest.substr(1, rest.size() - 2));
}

[[noreturn]] void throw_angular_coordinates(KeySource source, int unit, const WordRef& word) {
  std::string_view name;
  for (const auto& [known, known_source] : derived_names) {
    if (known_source == source) name = known;
  }
  std::string_view unit_name = "seconds of arc";
  if (unit == 3) unit_name = "decimal degrees";
  if (unit == 4) unit_name = "degrees, minutes and seconds";
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("{} needs coordinates that are lengths, but these are {} (coordinate units {})",
                                      name, unit_name, unit),
               .clause = word.standard != nullptr ? word.standard->clause() : "",
               .action = "sort by words instead (sx, sy, gx, gy, offset)"});
}

double azimuth_degrees(double east, double north) {
  double degrees = std::atan2(east, north) * 180.0 / std::numbers::pi;
  if (degrees < 0.0) degrees += 360.0;
  // A tiny negative angle rounds to 360; adding 0.0 turns -0.0 into 0.0.
  return degrees >= 360.0 ? 0.0 : degrees + 0.0;
}

/// The bits of a float so that unsigned order is the order of values; equal zeros are equal, NaN is all ones.
template <class Bits, class Float>
std::uint64_t ordered_bits(Float value) {
  constexpr Bits sign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
  if (std::isnan(value)) return std::numeric_limits<Bits>::max();
  const auto bits = std::bit_cast<Bits>(value + Float{0});
  return (bits & sign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | sign);
}

std::uint64_t magnitude_of(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

int width_of_packed_integer(int bytes) {
  if (bytes <= 2) return bytes;
  return bytes <= 4 ? 4 : 8;
}

std::optional<KeySource> derived_source(std::string_view name) {
  const std::string wanted = detail::lower_case(name);
  for (const auto& [known, source] : derived_names) {
    if (wanted == known) return source;
  }
  return std::nullopt;
}

/// Whether a word, wherever it lies, is the standard's at `byte`, or that of extension 1 that overrides it.
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

TraceKey TraceKey::parse(std::string_view text, const HeaderMap& map) {
  TraceKey key;
  std::string_view rest = trimmed(text);
  key.text_ = std::string(rest);
  if (rest.starts_with('-')) {
    key.descending_ = true;
    rest = trimmed(rest.substr(1));
  }
  if (const auto inner = inside(rest, "abs", key.text_)) {
    key.absolute_ = true;
    rest = *inner;
  }
  bool is_true_value = false;
  if (const auto inner = inside(rest, "true", key.text_)) {
    is_true_value = true;
    rest = *inner;
  }
  if (rest.empty()) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("a sort key is missing in '{}'", echoed(text)),
                 .action = "write KEY, -KEY, abs(KEY) or -abs(KEY)"});
  }
  if (rest.starts_with('-')) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("'{}' has a minus where a key's name should stand", echoed(key.text_)),
                 .action = "write one minus, in front: -KEY or -abs(KEY)"});
  }
  if (is_true_value) {
    key.source_ = KeySource::true_value;
    key.word_ = map.word(rest);
  } else {
    key.read_name(rest, map);
  }
  key.resolve();
  return key;
}

void TraceKey::read_name(std::string_view name, const HeaderMap& map) {
  const auto source = derived_source(name);
  if (!source) {
    std::array<std::string_view, derived_names.size()> also;
    for (std::size_t i = 0; i < also.size(); ++i) also[i] = derived_names[i].first;
    word_ = map.word(name, also);
    return;
  }
  source_ = *source;
  if (source_ == KeySource::file) return;
  for (const std::string_view coordinate : {"sx", "sy", "gx", "gy"}) coordinates_.push_back(map.word(coordinate));
  if (map.find("counit") != nullptr) unit_ = map.word("counit");
}

TraceKey TraceKey::ascending() const {
  TraceKey key = *this;
  key.descending_ = false;
  return key;
}

std::vector<TraceKey> TraceKey::parse_list(std::string_view comma_separated, const HeaderMap& map) {
  std::vector<TraceKey> keys;
  std::size_t from = 0;
  while (from <= comma_separated.size()) {
    const std::size_t comma = std::min(comma_separated.find(',', from), comma_separated.size());
    const std::string_view entry = comma_separated.substr(from, comma - from);
    if (trimmed(entry).empty()) {
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("key {} of the list '{}' is empty", keys.size() + 1, echoed(comma_separated)),
                   .action = "write keys separated by single commas: cdp,offset"});
    }
    keys.push_back(parse(entry, map));
    from = comma + 1;
  }
  return keys;
}

void TraceKey::resolve() {
  if (source_ == KeySource::file) {
    encoding_ = Encoding::file;
    needed_bytes_ = {0, 0};
    packed_bytes_ = 4;
    return;
  }
  if (source_ == KeySource::word) {
    resolve_word();
    return;
  }
  encoding_ = Encoding::derived;
  packed_bytes_ = 8;
  TrueBytes bytes;
  const auto include = [&](const WordRef& word) {
    require_true_value(word, text_);
    const TrueBytes more = bytes_of_true_value(word);
    bytes = bytes.end == 0 ? more : TrueBytes{std::min(bytes.first, more.first), std::max(bytes.end, more.end)};
  };
  if (source_ == KeySource::true_value) include(word_);
  for (const WordRef& coordinate : coordinates_) include(coordinate);
  if (unit_) include(*unit_);
  needed_bytes_ = {bytes.first, bytes.end - bytes.first};
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
      // As double, so that unnormalised forms of one value are one key.
      encoding_ = Encoding::ibm;
      packed_bytes_ = 8;
      break;
    case WordKind::text:
      if (absolute_) throw_text(text_, "a magnitude");
      encoding_ = Encoding::text;
      packed_bytes_ = width_of_packed_integer(word_.type.bytes);
      break;
  }
}

double TraceKey::real_value(const std::byte* header, ByteOrder order) const {
  return source_ == KeySource::true_value ? true_value(word_, header, order) : derived_value(header, order);
}

double TraceKey::derived_value(const std::byte* header, ByteOrder order) const {
  if (unit_) {
    const double unit = true_value(*unit_, header, order);
    if (unit >= 2.0 && unit <= 4.0) [[unlikely]]
      throw_angular_coordinates(source_, static_cast<int>(unit), *unit_);
  }
  const auto at = [&](std::size_t i) { return true_value(coordinates_[i], header, order); };
  switch (source_) {
    case KeySource::calc_offset: return std::hypot(at(2) - at(0), at(3) - at(1));
    case KeySource::azimuth: return azimuth_degrees(at(2) - at(0), at(3) - at(1));
    case KeySource::midpoint_x: return (at(0) + at(2)) / 2.0;
    case KeySource::midpoint_y: return (at(1) + at(3)) / 2.0;
    case KeySource::word:
    case KeySource::true_value:
    case KeySource::file: break;
  }
  return 0.0;
}

WordValue TraceKey::value(const std::byte* header, ByteOrder order, int file) const {
  WordValue result;
  if (source_ == KeySource::word) {
    result = read_word(header, word_.byte, word_.type, order);
  } else if (source_ == KeySource::file) {
    result.number = std::int64_t{file};
  } else {
    result.number = real_value(header, order);
  }
  if (!absolute_) return result;
  if (const auto* integer = std::get_if<std::int64_t>(&result.number)) {
    result.number = magnitude_of(*integer);
  } else if (const auto* real = std::get_if<double>(&result.number)) {
    result.number = std::abs(*real);
  }
  return result;
}

std::uint64_t TraceKey::ascending_code(const std::byte* header, ByteOrder order, int file) const {
  const std::byte* at = header + needed_bytes_.offset;
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
      // Bytes compare as they lie, whatever the order of numbers; what a packed word has more is zero.
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
    case Encoding::derived: {
      const double value = real_value(header, order);
      return ordered_bits<std::uint64_t>(absolute_ ? std::abs(value) : value);
    }
    case Encoding::file:
      return absolute_ ? magnitude_of(file) : static_cast<std::uint64_t>(std::int64_t{file}) ^ packed_sign;
  }
  return 0;
}

void TraceKey::pack(const std::byte* header, ByteOrder order, int file, std::byte* out) const {
  std::uint64_t code = ascending_code(header, order, file);
  if (descending_) {
    // NaN stays last. No other float has all ones as its code or as the complement of it.
    const bool is_float = encoding_ >= Encoding::ieee4 && encoding_ <= Encoding::ibm;
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

int sorting_code_of(std::span<const TraceKey> keys) {
  constexpr int field_record_byte = 9;
  constexpr int energy_source_point_byte = 17;
  constexpr int shotpoint_byte = 197;
  if (keys.empty()) return -1;
  const TraceKey& first = keys[0];
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
  return "KEY      ascending; -KEY descending; abs(KEY) and -abs(KEY) by magnitude\n"
         "KEY is   a trace header word by the name segyio, Seismic Unix or the standard gives it, any case:\n"
         "           cdp, CDP, ensemble_num; offset; sx, SourceX, source_coord_x; iline, INLINE_3D, inline; ...\n"
         "         or a position @BYTE:TYPE, BYTE from 1 (241 is the first of the first additional header), TYPE\n"
         "           i1-i8, u1-u8, f4, f8, ibm4 or a1-a8 (text): @189:i4\n"
         "         or true(WORD), the value with its scalar applied; where a trace has extension 1, its value there\n"
         "           unless that is 0: true(sx)\n"
         "         or a derived value, scalars applied: calc_offset, azimuth (source to receiver, degrees clockwise\n"
         "           from +y, from 0 to below 360), midpoint_x, midpoint_y\n"
         "         or file, the number of the input file, from 1\n"
         "Ties keep the order of the input. NaN comes last, also when descending.\n";
}

}  // namespace sill::segy
