// What traces are sorted by: a header word or a value derived from several, and its order-preserving encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Where the value of a key comes from. All but `word` and `file` are derived from the coordinates at 73-88, scaled by
/// 71-72, in double: the distance of source and receiver; the direction from source to receiver in degrees clockwise
/// from +y, in [0, 360), 0 where they coincide; the point midway between them.
enum class KeySource : std::uint8_t { word, calc_offset, azimuth, midpoint_x, midpoint_y, file };

/// One key of a sort. Its value is never NaN unless the word is a float; NaN comes last, also when descending.
class TraceKey {
 public:
  /// Local. Reads `KEY`, `-KEY` (descending), `abs(KEY)` or `-abs(KEY)`, any case, blanks allowed; KEY is a word as
  /// `parse_word` reads it, or a KeySource by its name. Throws Error(usage) that names what it may have been meant
  /// to be.
  [[nodiscard]] static TraceKey parse(std::string_view text);

  /// Local. Reads keys separated by commas, at least one. Throws Error(usage), for an empty entry too. A key may stand
  /// there twice.
  [[nodiscard]] static std::vector<TraceKey> parse_list(std::string_view comma_separated);

  /// As the user wrote it, without the blanks around it.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool descending() const { return descending_; }
  /// True if it is the magnitude of the value that counts.
  [[nodiscard]] bool absolute() const { return absolute_; }
  [[nodiscard]] KeySource source() const { return source_; }
  /// The word, or nullptr unless `source()` is `word`.
  [[nodiscard]] const WordRef* word() const { return source_ == KeySource::word ? &word_ : nullptr; }

  /// Local. The bytes of a trace header, from 0, that the key looks at: one range, empty for `file`.
  [[nodiscard]] ByteRange needed_bytes() const { return needed_bytes_; }

  /// Local. The value for one trace. `header` is the address its byte 1 has or would have: only `needed_bytes()` are
  /// read. `file` is the number of the trace's file. The magnitude of an integer is unsigned; `descending` changes
  /// nothing. Throws Error(input) without `where` if a derived value is asked of coordinates that are angles.
  [[nodiscard]] WordValue value(const std::byte* header, ByteOrder order, int file) const;

  /// Local. The length of the encoding: 1, 2, 4 or 8 bytes.
  [[nodiscard]] int packed_bytes() const { return packed_bytes_; }

  /// Local. Writes `packed_bytes()` bytes at `out` whose order as unsigned bytes (memcmp) is the order of the key:
  /// equal values have equal bytes, a NaN is all ones, descending keys are complemented. Parameters and errors as of
  /// `value`.
  void pack(const std::byte* header, ByteOrder order, int file, std::byte* out) const;

 private:
  enum class Encoding : std::uint8_t { unsigned_integer, signed_integer, magnitude, ieee4, ieee8, ibm, derived, file };

  TraceKey() = default;
  void resolve();
  [[nodiscard]] std::uint64_t ascending_code(const std::byte* header, ByteOrder order, int file) const;

  std::string text_;
  WordRef word_;
  ByteRange needed_bytes_;
  KeySource source_ = KeySource::word;
  Encoding encoding_ = Encoding::signed_integer;
  bool descending_ = false;
  bool absolute_ = false;
  int packed_bytes_ = 4;
};

/// Local. What the trace sorting code (SEG-Y rev 1, bytes 3229-3230) is after a sort by `keys`:
/// 2 CDP ensemble: `cdp` is first.
/// 5 common source point: first is energy source point, shotpoint or field record; or the first two are the source's
///   coordinates, in either order.
/// 6 common receiver point: the first two are the receiver group's coordinates, in either order.
/// 7 common offset point: the offset word or `calc_offset` is first, or the magnitude of one.
/// -1 other, for every other list. The direction of a key does not matter: the ensembles are the same. Magnitudes
/// other than of the offset would join ensembles of opposite numbers and count as other.
[[nodiscard]] int sorting_code_of(std::span<const TraceKey> keys);

/// Local. What a key may be, as lines of text for `--help`.
[[nodiscard]] std::string key_grammar();

}  // namespace sill::segy
