// Header words of SEG-Y: position, type, names and value.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "sill/base/byte_order.hpp"

namespace sill::segy {

/// Local. Returns the magnitude of any number, including the smallest 64-bit integer.
[[nodiscard]] constexpr std::uint64_t magnitude_of(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

/// The encoding of a word: two's complement, unsigned, IEEE 754 (4 or 8 bytes), IBM hexadecimal float (4 bytes), text.
enum class WordKind : std::uint8_t { signed_integer, unsigned_integer, ieee, ibm, text };

/// The type of a word. Integers and text have 1 to 8 bytes, `ieee` 4 or 8, `ibm` 4.
struct WordType {
  WordKind kind = WordKind::signed_integer;
  int bytes = 4;

  friend constexpr bool operator==(const WordType&, const WordType&) = default;
};

/// Local. Returns true if values of the type can have fractions.
[[nodiscard]] constexpr bool is_float(WordType type) {
  return type.kind == WordKind::ieee || type.kind == WordKind::ibm;
}

/// Local. Returns the type that `text` names: "i1" to "i8", "u1" to "u8", "f4", "f8", "ibm4", "a1" to "a8" (text); case
/// is ignored. Returns nullopt for any other text.
[[nodiscard]] std::optional<WordType> parse_word_type(std::string_view text);

/// Local. Returns the name of a type, as `parse_word_type` reads it.
[[nodiscard]] std::string name_of(WordType type);

/// The header that contains a word.
enum class WordBlock : std::uint8_t {
  binary,      ///< the binary file header
  trace,       ///< the trace header
  extension1,  ///< the first additional trace header, "SEG00001" at its bytes 233-240
  su           ///< bytes 181-240 of the trace header of Seismic Unix, where it differs from SEG-Y
};

/// A revision of SEG-Y that defines a word.
enum class Revision : std::uint8_t { none, rev0, rev1, rev2_0, rev2_1 };

/// Local. Returns the name of a revision: "0", "1", "2.0" or "2.1"; "SU" for `none`.
[[nodiscard]] std::string_view name_of(Revision revision);

/// A header word as defined by the standard or by Seismic Unix.
struct Word {
  int byte;                   ///< first byte, from 1 in its header; in the file (3201 and up) for the binary header
  WordType type;              ///< as in the standard, except that counts and intervals of samples are unsigned
  std::string_view segyio;    ///< its name in segyio (for words of the extension: the names of header and word in its
                              ///< layout), or empty
  std::string_view su;        ///< its Seismic Unix name; for words that only SEG-Y has, the name in segyio.su
  std::string_view standard;  ///< its name, from the text of the standard; empty for words of Seismic Unix only
  std::string_view unit;      ///< unit of the stored value (before its scalar), empty for counts and codes
  int scalar_byte;            ///< byte of the trace header word that scales this word, 0 for none; or the byte of the
                              ///< power of ten that is stored directly after this word
  std::string_view text;      ///< short description
  WordBlock block = WordBlock::trace;
  Revision since = Revision::rev0;  ///< the first revision that defines it
  std::string_view layout = {};     ///< its name in layout stanzas (SEG-Y rev 2.1, annex D8), or empty
  int overrides = 0;                ///< byte of the trace header word that this word overrides if it is not zero
  Revision until = Revision::none;  ///< the first revision that defines these bytes differently; `none` if the word is
                                    ///< still defined

  /// Local. Returns the name to display: the name in Seismic Unix, else in segyio, else in the standard.
  [[nodiscard]] std::string_view shown_name() const { return !su.empty() ? su : !segyio.empty() ? segyio : standard; }

  /// Local. Returns true if `name` is the name of the word in segyio, Seismic Unix or the standard; case is ignored.
  [[nodiscard]] bool is_called(std::string_view name) const;

  /// Local. Returns true if the revision defines the word.
  [[nodiscard]] constexpr bool is_in(Revision revision) const {
    return since <= revision && (until == Revision::none || revision < until);
  }

  /// Local. Returns the first byte of the word, from 1, in a trace including its additional headers; in the file for
  /// the binary header.
  [[nodiscard]] int byte_in_trace() const { return block == WordBlock::extension1 ? 240 + byte : byte; }

  /// Local. Returns the clause of the standard: "SEG-Y rev 1, trace header bytes 73-76" or "SEG-Y rev 1, bytes
  /// 3217-3218".
  [[nodiscard]] std::string clause() const;
};

/// The bytes of a text word, as stored.
struct WordText {
  std::array<std::byte, 8> bytes{};
  std::uint8_t length = 0;  ///< 1 to 8

  /// Local. Compares unsigned bytes; a text that is a prefix of the other is less.
  friend std::strong_ordering operator<=>(const WordText& a, const WordText& b);
  friend bool operator==(const WordText& a, const WordText& b) { return (a <=> b) == 0; }
};

/// Local. Returns `text` as a value. Throws Error(usage) if it has more than eight characters, or one that is not
/// printable ASCII.
[[nodiscard]] WordText word_text(std::string_view text);

/// The unscaled value of a word. Integers are stored as integers; both float kinds are stored as double, which is
/// exact.
struct WordValue {
  std::variant<std::int64_t, std::uint64_t, double, WordText> number = std::int64_t{0};
  bool single_precision = false;  ///< the double was stored in four bytes; only `text()` uses this flag

  /// Local. Returns the value as text. Integers are decimal; floats have the fewest digits that parse to the same value
  /// (to the same float for four-byte words in the range of float); every NaN is "nan". Text is converted without
  /// trailing blanks and NULs, from ASCII, or from EBCDIC (code page 037) if it is printable only in that encoding;
  /// characters that are not printable become a full stop.
  [[nodiscard]] std::string text() const;

  /// Local. Returns the value as double: exact for words of at most 6 bytes and for floats. Returns NaN for text.
  [[nodiscard]] double as_double() const;

  /// A total order by value: -0.0 equals 0.0; NaN equals NaN and is greater than everything else. Intended for values
  /// of the same word; values of different alternatives are ordered by alternative.
  friend std::weak_ordering operator<=>(const WordValue& a, const WordValue& b);
  friend bool operator==(const WordValue& a, const WordValue& b) { return (a <=> b) == 0; }
};

/// Local. Returns the stored bits of the integer of `bytes` bytes (1 to 8) at `at`, in the low bits of the result; the
/// high bits are zero. In `pairwise` order the pairs count from `at`, and the last byte of an odd width is not moved.
[[nodiscard]] inline std::uint64_t load_bits(const std::byte* at, int bytes, ByteOrder order) {
  switch (bytes) {
    case 1: return load<std::uint8_t>(at, order);
    case 2: return load<std::uint16_t>(at, order);
    case 4: return load<std::uint32_t>(at, order);
    case 8: return load<std::uint64_t>(at, order);
    default: break;
  }
  std::uint64_t bits = 0;
  for (int i = 0; i < bytes; ++i) {
    int from = i;
    if (order == ByteOrder::little) from = bytes - 1 - i;
    if (order == ByteOrder::pairwise && (i ^ 1) < bytes) from = i ^ 1;
    bits = (bits << 8U) | std::to_integer<std::uint64_t>(at[from]);
  }
  return bits;
}

/// Local. Returns `bits`, read as two's complement of `bytes` bytes (1 to 8). Precondition: the higher bits are zero.
[[nodiscard]] constexpr std::int64_t sign_extended(std::uint64_t bits, int bytes) {
  const int unused_bits = 64 - 8 * bytes;
  return static_cast<std::int64_t>(bits << unused_bits) >> unused_bits;
}

/// Local. Returns the value of the word of `type` that starts at byte `byte` (from 1) of the header at `block`, stored
/// in `order`. Only the bytes of the word are read. For the binary header pass `byte - 3200`.
[[nodiscard]] WordValue read_word(const std::byte* block, int byte, WordType type, ByteOrder order);

/// Local. Returns the value of a standard word; `block` is the header that contains it (byte 3201 is the first byte of
/// the binary header).
[[nodiscard]] WordValue read_word(const std::byte* block, const Word& word, ByteOrder order);

/// Local. Writes `value` as the word of `type` at byte `byte` (from 1) of the header at `block`, in `order`; no other
/// byte is changed. Floats are rounded to the nearest value of their type; text is padded with blanks. Errors: usage,
/// with `name` (or the byte if it is empty), value and type, if the word cannot hold the value: an integer out of
/// range, a number with a fraction for an integer, an integer that a float would change, a finite number beyond the
/// range of floats, NaN or infinity as IBM float, text for a number or a number for text, or text that is too long.
/// Nothing is written in this case.
void write_word(std::byte* block, int byte, WordType type, ByteOrder order, const WordValue& value,
                std::string_view name = {});

/// Local. Writes a standard word; `block` is the header that contains it. Errors: as for the other `write_word`.
void write_word(std::byte* block, const Word& word, ByteOrder order, const WordValue& value);

}  // namespace sill::segy
