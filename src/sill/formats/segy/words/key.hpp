// Sort keys of traces: a header word or an expression of several words, and its order-preserving encoding.
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

/// The source of the value of a key: the stored value of a word, the true value of a word, the distance between source
/// and receiver, the number of the file, or any other expression.
enum class KeySource : std::uint8_t { word, true_value, calc_offset, file, expression };

/// One key of a sort: an expression with ordered values. NaN sorts last, even in descending order. Text is ordered by
/// its bytes; false sorts before true.
class TraceKey {
 public:
  /// Local. Parses an expression, or `-EXPRESSION` for descending order of any expression, including text. If the map
  /// belongs to files with additional headers, true values take extension 1 into account, and the needed bytes extend
  /// into it. Errors: usage, as Expression::parse.
  [[nodiscard]] static TraceKey parse(std::string_view text, const HeaderMap& map = HeaderMap::standard());

  /// Local. Parses a comma-separated list of at least one key. Duplicates are allowed. Errors: usage, as `parse`, and
  /// for an empty entry.
  [[nodiscard]] static std::vector<TraceKey> parse_list(std::string_view comma_separated,
                                                        const HeaderMap& map = HeaderMap::standard());

  /// Local. Returns the same key in ascending order.
  [[nodiscard]] TraceKey ascending() const;

  /// Local. Returns the key as the user wrote it, without surrounding blanks.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] bool descending() const { return descending_; }
  /// Local. Returns true if the key is the magnitude of its source (see `source()`).
  [[nodiscard]] bool absolute() const { return absolute_; }
  [[nodiscard]] KeySource source() const { return source_; }
  /// Local. Returns the word, or nullptr unless `source()` is `word` or `true_value`.
  [[nodiscard]] const WordRef* word() const {
    return source_ == KeySource::word || source_ == KeySource::true_value ? &word_ : nullptr;
  }

  /// Local. Returns the bytes of a trace, from 0, that the key reads: one range, empty if it reads none. The range is
  /// within the trace header unless a word is in an additional header or may be overridden by extension 1.
  [[nodiscard]] ByteRange needed_bytes() const { return needed_bytes_; }

  /// Local. Return true if the key reads the number of the trace, or the number of its file.
  [[nodiscard]] bool reads_trace_number() const { return expression_.reads_trace_number(); }
  [[nodiscard]] bool reads_file_number() const { return expression_.reads_file_number(); }

  /// Local. Returns the value for one trace, of which only `needed_bytes()` are read. The magnitude of a word is
  /// unsigned; `descending` does not change the value. Errors: input without a location, as Expression::value.
  [[nodiscard]] WordValue value(const HeaderView& trace) const;

  /// Local. Returns the length of the encoding: 1, 2, 4 or 8 bytes.
  [[nodiscard]] int packed_bytes() const { return packed_bytes_; }

  /// Local. Writes `packed_bytes()` bytes at `out` whose order as unsigned bytes (memcmp) is the order of the key:
  /// equal values have equal bytes, NaN is all ones, and descending keys are complemented (except NaN). Parameters and
  /// errors: as `value`.
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

/// Local. Returns the keys with their values in a trace: "iline 5, xline 6". Errors: as TraceKey::value.
[[nodiscard]] std::string text_of(std::span<const TraceKey> keys, const HeaderView& trace);

/// Local. Returns the trace sorting code (SEG-Y rev 1, bytes 3229-3230) after a sort by `keys`:
/// 4 horizontally stacked: the code `before` is 4, and the first key is `cdp`, `iline` or `xline`.
/// 2 CDP ensemble: the first key is `cdp`.
/// 5 common source point: the first key is the energy source point, shotpoint or field record; or the first two keys
///   are the coordinates of the source, in either order.
/// 6 common receiver point: the first two keys are the coordinates of the receiver group, in either order.
/// 7 common offset point: the first key is the offset word or `calc_offset`, or the magnitude of one of them.
/// -1 other, for every other list. The direction of a key does not matter: the ensembles are the same. A magnitude of
/// anything except the offset would join ensembles of opposite numbers, so the result is -1.
[[nodiscard]] int sorting_code_of(std::span<const TraceKey> keys, int before = -1);

/// Local. Returns the description of keys, as lines of text for `--help`.
[[nodiscard]] std::string key_grammar();

}  // namespace sill::segy
