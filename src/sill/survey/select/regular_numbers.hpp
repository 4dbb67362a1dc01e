// Words that number the traces of a survey regularly, line after line: determined from few headers, known for all
// traces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill {

/// The regular values of a word: for trace t (from 0) the value is first + step * (t / run % values).
struct Counting {
  std::int64_t first = 0;
  std::int64_t step = 0;    ///< not 0
  std::int64_t run = 0;     ///< number of consecutive traces with one value
  std::int64_t values = 0;  ///< number of values before the word starts again; at least 2

  [[nodiscard]] std::int64_t value_of(std::int64_t trace) const { return first + step * (trace / run % values); }
  /// Local. Returns the number of traces before the word starts again.
  [[nodiscard]] std::int64_t period() const { return run * values; }

  friend constexpr bool operator==(const Counting&, const Counting&) = default;
};

/// Local. Returns the regular values of a word over `traces` traces; nullopt if the values are not regular, or if
/// `traces` is not a multiple of their period. `value_of(t)` returns the word of trace t; it is called for about 4
/// log2(traces) traces, so irregular values between them are not detected. `may_ask`, if given, is called first with
/// traces for some of which `value_of` will be called. Errors: exceptions of both functions.
[[nodiscard]] std::optional<Counting> counting_of(
    std::int64_t traces, const std::function<std::int64_t(std::int64_t trace)>& value_of,
    const std::function<void(std::span<const std::int64_t>)>& may_ask = {});

/// Words and the regular values of each.
class RegularNumbers {
 public:
  /// Local. Stores the words and their regular values. Preconditions: there are as many countings as words; words are
  /// integers of at most 4 bytes; each period divides `traces`.
  RegularNumbers(std::int64_t traces, std::vector<segy::WordRef> words, std::vector<Counting> countings)
      : traces_(traces), words_(std::move(words)), countings_(std::move(countings)) {}

  /// Local. Returns the number of traces of a line: up to the next value of a word that never starts again, or up to
  /// the next start of another word; the minimum over all words.
  [[nodiscard]] std::int64_t line() const;
  /// Local. Returns the number of traces after which all words repeat; all traces if they never do.
  [[nodiscard]] std::int64_t period() const;
  /// Local. Returns the number of consecutive traces, starting at a multiple of this number, in which all words are
  /// constant.
  [[nodiscard]] std::int64_t run() const;

  /// Local. Writes the words of a trace into its header.
  void put(std::int64_t trace, std::byte* header, ByteOrder order) const;
  /// Local. Returns true if the words of a trace have the expected values.
  [[nodiscard]] bool hold(std::int64_t trace, const std::byte* header, ByteOrder order) const;

 private:
  std::int64_t traces_;
  std::vector<segy::WordRef> words_;
  std::vector<Counting> countings_;
};

/// Local. Returns the value of an integer word of at most 4 bytes.
[[nodiscard]] std::int64_t integer_of(const segy::WordRef& word, const std::byte* header, ByteOrder order);

}  // namespace sill
