// What is written into header words: `WORD=EXPRESSION`, several at once.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// A word and the expression whose value it gets.
struct Assignment {
  WordRef word;
  Expression value;

  /// Local. Writes the value for `old` into the word of the trace at `fresh`, which is laid out as `old.header` is.
  /// Where the word of extension 1 that stands for it counts, as it is not 0, that gets the true value, too, by the
  /// scalar of `fresh`. Float words are rounded to the nearest. Errors: input, without a place: a value that the word
  /// cannot hold, a number that is not whole for an integer word; those of Expression::value.
  void apply(const HeaderView& old, std::byte* fresh) const;

  /// Local. The bytes of a trace, from 0, that `apply` may set, and those that it reads beside what the value needs.
  [[nodiscard]] std::vector<ByteRange> targets() const;
  [[nodiscard]] ByteRange needed_bytes() const;
};

/// Local. Reads assignments, separated by commas within a text. Errors: usage, with a caret: as Expression::parse; a
/// condition or text where a number is needed and the reverse; words that overlap.
[[nodiscard]] std::vector<Assignment> parse_assignments(std::span<const std::string> texts,
                                                        const HeaderMap& map = HeaderMap::standard(),
                                                        std::span<const ExpressionColumn> columns = {});

/// Local. The columns, by their index in `columns`, that the values look at, ascending; from now on the values expect
/// these alone, in this order, at HeaderView::columns.
[[nodiscard]] std::vector<int> place_columns(std::span<Assignment> assignments,
                                             std::span<const ExpressionColumn> columns);

/// Local. The bytes of a trace, from 0, that a word takes.
[[nodiscard]] inline ByteRange bytes_of(const WordRef& word) { return {word.byte - 1, word.type.bytes}; }

/// Local. Whether two ranges have a byte in common.
[[nodiscard]] constexpr bool overlap(ByteRange a, ByteRange b) { return a.offset < b.end() && b.offset < a.end(); }

}  // namespace sill::segy
