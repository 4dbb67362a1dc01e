// Words that number the traces of a survey regularly, line after line: found from few headers, known for any trace.
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

/// How a word counts: for trace t (from 0) it is first + step * (t / run % values).
struct Counting {
  std::int64_t first = 0;
  std::int64_t step = 0;    ///< not 0
  std::int64_t run = 0;     ///< consecutive traces of one value
  std::int64_t values = 0;  ///< after so many it begins again; at least 2

  [[nodiscard]] std::int64_t value_of(std::int64_t trace) const { return first + step * (trace / run % values); }
  /// Traces until it begins again.
  [[nodiscard]] std::int64_t period() const { return run * values; }

  friend constexpr bool operator==(const Counting&, const Counting&) = default;
};

/// Local. How a word counts `traces` traces, if it counts and the traces are a multiple of its period; `value_of(t)` is
/// the word of trace t, asked for about 4 log2(traces) traces. Whether it counts so everywhere is not found out.
/// `may_ask`, if given, is called beforehand with traces that `value_of` may be asked for, several of which it will be.
/// Errors: what they throw.
[[nodiscard]] std::optional<Counting> counting_of(
    std::int64_t traces, const std::function<std::int64_t(std::int64_t trace)>& value_of,
    const std::function<void(std::span<const std::int64_t>)>& may_ask = {});

/// Words and how each counts.
class RegularNumbers {
 public:
  /// Preconditions: as many countings as words, which are integers of at most 4 bytes; each period divides `traces`.
  RegularNumbers(std::int64_t traces, std::vector<segy::WordRef> words, std::vector<Counting> countings)
      : traces_(traces), words_(std::move(words)), countings_(std::move(countings)) {}

  /// Local. Traces of a line: to the next value of a word that never begins again, to the next beginning of another;
  /// the shortest of all words.
  [[nodiscard]] std::int64_t line() const;
  /// Local. Traces after which all words are as they were; all traces if they never are.
  [[nodiscard]] std::int64_t period() const;
  /// Local. Consecutive traces, from a multiple of their number on, of which all words are equal.
  [[nodiscard]] std::int64_t run() const;

  /// Local. Writes the words of a trace into its header.
  void put(std::int64_t trace, std::byte* header, ByteOrder order) const;
  /// Local. Whether a trace has the words that it should have.
  [[nodiscard]] bool hold(std::int64_t trace, const std::byte* header, ByteOrder order) const;

 private:
  std::int64_t traces_;
  std::vector<segy::WordRef> words_;
  std::vector<Counting> countings_;
};

/// Local. An integer word of at most 4 bytes.
[[nodiscard]] std::int64_t integer_of(const segy::WordRef& word, const std::byte* header, ByteOrder order);

}  // namespace sill
