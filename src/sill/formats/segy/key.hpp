// What traces are sorted by: a header word or a value derived from several, and its order-preserving encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/header_map.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Where the value of a key comes from. `true_value` is that of a word, in double, with its scalar applied. All but
/// these, `word` and `file` are derived from the true values of the map's sx, sy, gx and gy, in double: the distance of
/// source and receiver; the direction from source to receiver in degrees clockwise from +y, in [0, 360), 0 where they
/// coincide; the point midway between them.
enum class KeySource : std::uint8_t { word, true_value, calc_offset, azimuth, midpoint_x, midpoint_y, file };

/// One key of a sort. Its value is never NaN unless a word is a float; NaN comes last, also when descending. Text is
/// ordered by its bytes.
class TraceKey {
 public:
  /// Local. Reads `KEY`, `-KEY` (descending), `abs(KEY)` or `-abs(KEY)`, any case, blanks allowed; KEY is a word as
  /// `map` knows it, `true(WORD)`, or another KeySource by its name. Where the map is of files with additional headers,
  /// true values heed extension 1, and the bytes needed reach there. Throws Error(usage) that names what it may have
  /// been meant to be; also for magnitudes and true values of text, and for what needs a scalar that the map has not.
  [[nodiscard]] static TraceKey parse(std::string_view text, const HeaderMap& map = HeaderMap::standard());

  /// Local. Reads keys separated by commas, at least one. Throws Error(usage), for an empty entry too. A key may stand
  /// there twice.
  [[nodiscard]] static std::vector<TraceKey> parse_list(std::string_view comma_separated,
                                                        const HeaderMap& map = HeaderMap::standard());

  /// Local. The same key without the minus in front.
  [[nodiscard]] TraceKey ascending() const;

  /// As the user wrote it, without the blanks around it.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool descending() const { return descending_; }
  /// True if it is the magnitude of the value that counts.
  [[nodiscard]] bool absolute() const { return absolute_; }
  [[nodiscard]] KeySource source() const { return source_; }
  /// The word, or nullptr unless `source()` is `word` or `true_value`.
  [[nodiscard]] const WordRef* word() const {
    return source_ == KeySource::word || source_ == KeySource::true_value ? &word_ : nullptr;
  }

  /// Local. The bytes of a trace, from 0, that the key looks at: one range, empty for `file`. It lies in the trace
  /// header unless a word lies in an additional header or may be overridden by extension 1.
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
  enum class Encoding : std::uint8_t {
    unsigned_integer,
    signed_integer,
    magnitude,
    text,
    ieee4,
    ieee8,
    ibm,
    derived,
    file
  };

  TraceKey() = default;
  void read_name(std::string_view name, const HeaderMap& map);
  void resolve();
  void resolve_word();
  [[nodiscard]] double real_value(const std::byte* header, ByteOrder order) const;
  [[nodiscard]] double derived_value(const std::byte* header, ByteOrder order) const;
  [[nodiscard]] std::uint64_t ascending_code(const std::byte* header, ByteOrder order, int file) const;

  std::string text_;
  WordRef word_;
  std::vector<WordRef> coordinates_;  // of derived values: sx, sy, gx, gy
  std::optional<WordRef> unit_;       // of the coordinates
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
