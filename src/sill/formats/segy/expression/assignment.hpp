// Assignments to header words: `WORD=EXPRESSION` or `true(WORD)=EXPRESSION`, several in a list.
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

/// A word and the expression that determines its new value.
struct Assignment {
  WordRef word;
  Expression value;
  bool is_true = false;  ///< sets the true value of the word, by the scalar that the trace then has

  /// Local. Returns the left side: "sx" or "true(sx)".
  [[nodiscard]] std::string target() const { return is_true ? "true(" + word.name + ")" : word.name; }

  /// Local. Writes the value for `old` into the word of the trace at `fresh`, which has the same layout as
  /// `old.header`. If the word of extension 1 that overrides this word is not 0, the true value, computed with the
  /// scalar in `fresh`, is also written there. Float words are rounded to the nearest value. Errors: input, without a
  /// location: a value that the word cannot store, a number with a fraction for an integer word, a true value that is
  /// not stored exactly (store_true_value), and the errors of Expression::value.
  void apply(const HeaderView& old, std::byte* fresh) const;

  /// Local. Return the bytes of a trace, from 0, that `apply` may set, and the bytes that it reads in addition to the
  /// bytes needed by the value.
  [[nodiscard]] std::vector<ByteRange> targets() const;
  [[nodiscard]] ByteRange needed_bytes() const;
};

/// Local. Writes `value` into a word as Assignment::apply. Errors: input, without a location, for a value that the word
/// cannot store.
void store_value(const WordRef& word, const WordValue& value, const HeaderView& old, std::byte* fresh);

/// Local. Writes the true value that the word in `fresh` states into the word of extension 1 that overrides it, unless
/// that was 0 in `old`: a word whose scalar is set, too, is written again when both are set.
void store_twin(const WordRef& word, const HeaderView& old, std::byte* fresh);

/// Local. Applies all assignments, true values after the others; the values do not depend on their order. Errors: as
/// Assignment::apply.
void apply(std::span<const Assignment> assignments, const HeaderView& old, std::byte* fresh);

/// Local. Parses assignments, separated by commas within a text. Errors: usage, with a caret: as Expression::parse; a
/// condition or text where a number is needed, or a number where text is needed; words that overlap.
[[nodiscard]] std::vector<Assignment> parse_assignments(std::span<const std::string> texts,
                                                        const HeaderMap& map = HeaderMap::standard(),
                                                        std::span<const ExpressionColumn> columns = {});

/// Local. Returns the columns that the values use, as ascending indexes into `columns`. From now on the values expect
/// only these columns, in this order, at HeaderView::columns.
[[nodiscard]] std::vector<int> place_columns(std::span<Assignment> assignments,
                                             std::span<const ExpressionColumn> columns);

/// Local. Returns the bytes of a trace, from 0, that a word occupies.
[[nodiscard]] inline ByteRange bytes_of(const WordRef& word) { return {word.byte - 1, word.type.bytes}; }

/// Local. Returns "ns" or "dt", the word that states the number or the interval of the samples, if `word` has any of
/// its bytes; otherwise nullptr.
[[nodiscard]] const char* shape_word_in(const HeaderMap& map, const WordRef& word);

/// Local. Returns true if two ranges have a byte in common.
[[nodiscard]] constexpr bool overlap(ByteRange a, ByteRange b) { return a.offset < b.end() && b.offset < a.end(); }

}  // namespace sill::segy
