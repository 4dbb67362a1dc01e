// A header word of SEG-Y: where it lies, how it is stored, what it is called, and the value it holds.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "sill/base/byte_order.hpp"

namespace sill::segy {

/// How a word is stored: two's complement, unsigned, IEEE 754 (4 or 8 bytes), IBM hexadecimal float (4 bytes).
enum class WordKind : std::uint8_t { signed_integer, unsigned_integer, ieee, ibm };

/// The type of a word. Integers have 1 to 8 bytes, `ieee` 4 or 8, `ibm` 4.
struct WordType {
  WordKind kind = WordKind::signed_integer;
  int bytes = 4;

  friend constexpr bool operator==(const WordType&, const WordType&) = default;
};

/// Local. The type that `text` names: "i1" to "i8", "u1" to "u8", "f4", "f8", "ibm4", in any case; nothing if none.
[[nodiscard]] std::optional<WordType> parse_word_type(std::string_view text);

/// Local. The name of a type, as `parse_word_type` reads it.
[[nodiscard]] std::string name_of(WordType type);

/// A word of the trace header or the binary header as the standard defines it.
struct Word {
  int byte;                   ///< from 1: in the trace header, or in the file (3201 and up) for the binary header
  WordType type;              ///< as revision 1 defines it, but counts and intervals of samples are unsigned
  std::string_view segyio;    ///< its name in segyio's TraceField or BinField
  std::string_view su;        ///< its Seismic Unix name; where SEG-Y has the word and SU has not, that of segyio.su
  std::string_view standard;  ///< its name after the text of the standard
  std::string_view unit;      ///< unit of the stored value (before its scalar), empty for counts and codes
  int scalar_byte;            ///< byte of the trace header word that scales this one, 0 for none
  std::string_view text;      ///< what it is, in a few words

  /// Local. The shortest of its names.
  [[nodiscard]] std::string_view shown_name() const { return !su.empty() ? su : !segyio.empty() ? segyio : standard; }

  /// Local. The place in the standard, "SEG-Y rev 1, trace header bytes 73-76" or "SEG-Y rev 1, bytes 3217-3218".
  [[nodiscard]] std::string clause() const;
};

/// The value of a word, unscaled. Integers stay integers; both float kinds are held as double, which is exact.
struct WordValue {
  std::variant<std::int64_t, std::uint64_t, double> number = std::int64_t{0};
  bool single_precision = false;  ///< the double was stored in four bytes; only `text` looks at it

  /// Local. Integers in decimal; floats in the fewest digits that read back as the same value (as the same float for
  /// words of four bytes in its range); "nan" for any NaN.
  [[nodiscard]] std::string text() const;

  /// Local. The value as double: exact for words of at most 6 bytes and for floats.
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

}  // namespace sill::segy
