// What traces are sorted by: a header word or an expression over several, and its order-preserving encoding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/expression/expression.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// Where the value of a key comes from: a word as it is stored, the true value of a word, the distance of source and
/// receiver, the number of the file, or any other expression.
enum class KeySource : std::uint8_t { word, true_value, calc_offset, file, expression };

/// One key of a sort: an expression, whose values have an order. NaN comes last, also when descending. Text is ordered
/// by its bytes, false comes before true.
class TraceKey {
 public:
  /// Local. Reads an expression, or `-EXPRESSION` for the descending order of any, also of text. Where the map is of
  /// files with additional headers, true values heed extension 1, and the bytes needed reach there. Errors: usage, as
  /// Expression::parse.
  [[nodiscard]] static TraceKey parse(std::string_view text, const HeaderMap& map = HeaderMap::standard());

  /// Local. Reads keys separated by commas, at least one. Errors: usage, for an empty entry too. A key may stand there
  /// twice.
  [[nodiscard]] static std::vector<TraceKey> parse_list(std::string_view comma_separated,
                                                        const HeaderMap& map = HeaderMap::standard());

  /// Local. The same key without the minus in front.
  [[nodiscard]] TraceKey ascending() const;

  /// As the user wrote it, without the blanks around it.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool descending() const { return descending_; }
  /// True if it is the magnitude of the source that counts.
  [[nodiscard]] bool absolute() const { return absolute_; }
  [[nodiscard]] KeySource source() const { return source_; }
  /// The word, or nullptr unless `source()` is `word` or `true_value`.
  [[nodiscard]] const WordRef* word() const {
    return source_ == KeySource::word || source_ == KeySource::true_value ? &word_ : nullptr;
  }

  /// Local. The bytes of a trace, from 0, that the key looks at: one range, empty if none. It lies in the trace header
  /// unless a word lies in an additional header or may be overridden by extension 1.
  [[nodiscard]] ByteRange needed_bytes() const { return needed_bytes_; }

  /// Local. Whether it looks at the number of the trace, or at that of its file.
  [[nodiscard]] bool reads_trace_number() const { return expression_.reads_trace_number(); }
  [[nodiscard]] bool reads_file_number() const { return expression_.reads_file_number(); }

  /// Local. The value for one trace, of which only `needed_bytes()` are read. The magnitude of a word is unsigned;
  /// `descending` changes nothing. Errors: input without a place, as Expression::value.
  [[nodiscard]] WordValue value(const HeaderView& trace) const;

  /// Local. The length of the encoding: 1, 2, 4 or 8 bytes.
  [[nodiscard]] int packed_bytes() const { return packed_bytes_; }

  /// Local. Writes `packed_bytes()` bytes at `out` whose order as unsigned bytes (memcmp) is the order of the key:
  /// equal values have equal bytes, a NaN is all ones, descending keys are complemented. Parameters and errors as of
  /// `value`.
  void pack(const HeaderView& trace, std::byte* out) const;

 private:
  enum class Encoding : std::uint8_t {
    unsigned_integer,
    signed_integer,
    magnitude,
    text,
    ieee4,
    ieee8,
    ibm,
    truth,
    integer,
    real
  };

  TraceKey(Expression expression, bool descending);
  void resolve_word();
  [[nodiscard]] std::uint64_t ascending_code(const HeaderView& trace) const;

  std::string text_;
  Expression expression_;
  WordRef word_;
  ByteRange needed_bytes_;
  KeySource source_ = KeySource::expression;
  Encoding encoding_ = Encoding::signed_integer;
  bool descending_ = false;
  bool absolute_ = false;
  int packed_bytes_ = 4;
};

/// Local. The keys of a trace with their values: "iline 5, xline 6". Errors: as TraceKey::value.
[[nodiscard]] std::string text_of(std::span<const TraceKey> keys, const HeaderView& trace);

/// Local. What the trace sorting code (SEG-Y rev 1, bytes 3229-3230) is after a sort by `keys`:
/// 4 horizontally stacked: it was that `before`, and `cdp`, `iline` or `xline` is first: a stack remains one.
/// 2 CDP ensemble: `cdp` is first.
/// 5 common source point: first is energy source point, shotpoint or field record; or the first two are the source's
///   coordinates, in either order.
/// 6 common receiver point: the first two are the receiver group's coordinates, in either order.
/// 7 common offset point: the offset word or `calc_offset` is first, or the magnitude of one.
/// -1 other, for every other list. The direction of a key does not matter: the ensembles are the same. Magnitudes
/// other than of the offset would join ensembles of opposite numbers and count as other.
[[nodiscard]] int sorting_code_of(std::span<const TraceKey> keys, int before = -1);

/// Local. What a key may be, as lines of text for `--help`.
[[nodiscard]] std::string key_grammar();

}  // namespace sill::segy
