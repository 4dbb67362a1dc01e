// A header word of SEG-Y: where it lies, how it is stored, what it is called, and the value it holds.
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

/// Local. The number without its sign; of the least one, too.
[[nodiscard]] constexpr std::uint64_t magnitude_of(std::int64_t value) {
  const auto bits = static_cast<std::uint64_t>(value);
  return value < 0 ? 0 - bits : bits;
}

/// How a word is stored: two's complement, unsigned, IEEE 754 (4 or 8 bytes), IBM hexadecimal float (4 bytes), text.
enum class WordKind : std::uint8_t { signed_integer, unsigned_integer, ieee, ibm, text };

/// The type of a word. Integers and text have 1 to 8 bytes, `ieee` 4 or 8, `ibm` 4.
struct WordType {
  WordKind kind = WordKind::signed_integer;
  int bytes = 4;

  friend constexpr bool operator==(const WordType&, const WordType&) = default;
};

/// Local. Whether a type holds fractions.
[[nodiscard]] constexpr bool is_float(WordType type) {
  return type.kind == WordKind::ieee || type.kind == WordKind::ibm;
}

/// Local. The type that `text` names: "i1" to "i8", "u1" to "u8", "f4", "f8", "ibm4", "a1" to "a8" (text), in any
/// case; nothing if none.
[[nodiscard]] std::optional<WordType> parse_word_type(std::string_view text);

/// Local. The name of a type, as `parse_word_type` reads it.
[[nodiscard]] std::string name_of(WordType type);

/// The header that a word is in.
enum class WordBlock : std::uint8_t {
  binary,      ///< the binary file header
  trace,       ///< the trace header
  extension1,  ///< the first additional trace header, "SEG00001" at its bytes 233-240
  su           ///< the trace header of Seismic Unix, bytes 181-240, where it is not that of SEG-Y
};

/// A revision of SEG-Y that defines a word.
enum class Revision : std::uint8_t { none, rev0, rev1, rev2_0, rev2_1 };

/// Local. "0", "1", "2.0", "2.1"; "SU" for `none`.
[[nodiscard]] std::string_view name_of(Revision revision);

/// A header word as the standard, or Seismic Unix, defines it.
struct Word {
  int byte;                   ///< from 1 in its header; in the file (3201 and up) for the binary header
  WordType type;              ///< as the standard has it, but counts and intervals of samples are unsigned
  std::string_view segyio;    ///< its name in segyio (words of the extension: header and name in its layout), or empty
  std::string_view su;        ///< its Seismic Unix name; where SEG-Y has the word and SU has not, that of segyio.su
  std::string_view standard;  ///< its name after the text of the standard; empty for Seismic Unix's own words
  std::string_view unit;      ///< unit of the stored value (before its scalar), empty for counts and codes
  int scalar_byte;            ///< byte of the trace header word that scales this one, 0 for none; that of the power of
                              ///< ten where it follows the word itself
  std::string_view text;      ///< what it is, in a few words
  WordBlock block = WordBlock::trace;
  Revision since = Revision::rev0;  ///< the first revision that defines it
  std::string_view layout = {};     ///< its name in layout stanzas (SEG-Y rev 2.1, annex D8), or empty
  int overrides = 0;                ///< byte of the trace header word that it stands for where it is not zero, or 0
  Revision until = Revision::none;  ///< the revision that has something else there, `none` if it still stands

  /// Local. The name to show: that of Seismic Unix, else that of segyio, else that of the standard.
  [[nodiscard]] std::string_view shown_name() const { return !su.empty() ? su : !segyio.empty() ? segyio : standard; }

  /// Local. True if `name` is its name in segyio, Seismic Unix or the standard, in any case.
  [[nodiscard]] bool is_called(std::string_view name) const;

  /// Local. Whether a revision has it.
  [[nodiscard]] constexpr bool is_in(Revision revision) const {
    return since <= revision && (until == Revision::none || revision < until);
  }

  /// Local. Its first byte, from 1, in a trace with its additional headers; in the file for the binary header.
  [[nodiscard]] int byte_in_trace() const { return block == WordBlock::extension1 ? 240 + byte : byte; }

  /// Local. The place in the standard, "SEG-Y rev 1, trace header bytes 73-76" or "SEG-Y rev 1, bytes 3217-3218".
  [[nodiscard]] std::string clause() const;
};

/// The bytes of a word that is text, as stored.
struct WordText {
  std::array<std::byte, 8> bytes{};
  std::uint8_t length = 0;  ///< 1 to 8

  /// Local. By unsigned bytes; the shorter of two that are equal as far as both go is the lesser.
  friend std::strong_ordering operator<=>(const WordText& a, const WordText& b);
  friend bool operator==(const WordText& a, const WordText& b) { return (a <=> b) == 0; }
};

/// Local. `text` as a value, at most eight characters. Throws Error(usage) if there are more or others than printable
/// ASCII.
[[nodiscard]] WordText word_text(std::string_view text);

/// The value of a word, unscaled. Integers stay integers; both float kinds are held as double, which is exact.
struct WordValue {
  std::variant<std::int64_t, std::uint64_t, double, WordText> number = std::int64_t{0};
  bool single_precision = false;  ///< the double was stored in four bytes; only `text` looks at it

  /// Local. Integers in decimal; floats in the fewest digits that read back as the same value (as the same float for
  /// words of four bytes in its range); "nan" for any NaN. Text without the blanks and NUL at its end, as ASCII or, if
  /// it is that alone, EBCDIC (code page 037); a full stop for what is not printable.
  [[nodiscard]] std::string text() const;

  /// Local. The value as double: exact for words of at most 6 bytes and for floats. NaN for text.
  [[nodiscard]] double as_double() const;

  /// A total order: by value, -0.0 equal to 0.0, NaN equal to NaN and after everything else. Meant for values of one
  /// word; values of different alternatives are ordered by alternative.
  friend std::weak_ordering operator<=>(const WordValue& a, const WordValue& b);
  friend bool operator==(const WordValue& a, const WordValue& b) { return (a <=> b) == 0; }
};

/// Local. The stored bits of the `bytes`-byte integer (1 to 8) at `at`, in the low bits of the result, zeros above.
/// In `pairwise` order the pairs count from `at`, and the last byte of an odd width stays where it is.
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

/// Local. `bits` as two's complement of `bytes` bytes (1 to 8). Precondition: the bits above are zero.
[[nodiscard]] constexpr std::int64_t sign_extended(std::uint64_t bits, int bytes) {
  const int unused_bits = 64 - 8 * bytes;
  return static_cast<std::int64_t>(bits << unused_bits) >> unused_bits;
}

/// Local. The word of `type` that starts at byte `byte` (from 1) of the header at `block`, stored in `order`.
/// Only the bytes of the word itself are read. For the binary header pass `byte - 3200`.
[[nodiscard]] WordValue read_word(const std::byte* block, int byte, WordType type, ByteOrder order);

/// Local. The value of a standard word; `block` is the header that it is in (byte 3201 is the binary header's first).
[[nodiscard]] WordValue read_word(const std::byte* block, const Word& word, ByteOrder order);

/// Local. Writes `value` as the word of `type` at byte `byte` (from 1) of the header at `block`, in `order`; no other
/// byte is touched. Floats are rounded to the nearest value of their type; text is filled up with blanks.
/// Errors: usage, naming `name` (empty: the byte), value and type, if the word cannot hold the value: an integer
/// out of range, a number that is not whole for an integer, an integer that a float would change, a finite number
/// beyond the range of floats, NaN or infinity as IBM float, text for a number or a number for text, text too long.
/// Nothing is written then.
void write_word(std::byte* block, int byte, WordType type, ByteOrder order, const WordValue& value,
                std::string_view name = {});

/// Local. The same for a standard word; `block` is the header that it is in. Errors: as above.
void write_word(std::byte* block, const Word& word, ByteOrder order, const WordValue& value);

}  // namespace sill::segy
