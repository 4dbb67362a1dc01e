// Expressions over the header words of a trace: one language for keys, conditions and assignments.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sill/formats/segy/words/derived_value.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/formats/segy/words/header_view.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// What the value of an expression is: a whole number of 64 bits, a double, true or false, the text of a word.
enum class ValueKind : std::uint8_t { integer, real, truth, text };

/// A column of a table whose rows belong to traces, by its name in expressions.
struct ExpressionColumn {
  std::string name;
  ValueKind kind = ValueKind::integer;  ///< integer or real
  std::string trouble = {};             ///< why it cannot be used, "holds ...", or empty
};

namespace detail {

/// What a node of an expression does with its operands.
enum class Operation : std::uint8_t {
  integer,  ///< a number that was written
  real,
  text,
  word,  ///< looked up in the trace
  true_value,
  derived,
  column,  ///< of the row of a table that belongs to the trace
  trace,
  file,
  negate,
  absolute,
  round,
  add,
  subtract,
  multiply,
  divide,
  remainder,
  smaller,
  larger,
  equal,
  not_equal,
  less,
  less_or_equal,
  more,
  more_or_equal,
  both,
  either,
  complement
};

struct ExpressionNode {
  Operation operation = Operation::integer;
  ValueKind kind = ValueKind::integer;
  int left = -1;  ///< index of the first operand, -1 for none
  int right = -1;
  int begin = 0;  ///< where it stands in the text
  int end = 0;
  std::int64_t integer = 0;  ///< the number written; of words, derived values, columns and texts, which
  double real = 0.0;
};

}  // namespace detail

/// What the value of an expression depends on, where that is whole numbers alone.
struct WholeNumbers {
  std::vector<WordRef> words;  ///< integer words of at most 4 bytes, each once
  bool position = false;       ///< the numbers of the trace or of its file
};

/// An expression, typed when it is read: what holds for one trace holds for all. Integers stay integers under + - *,
/// % and the functions, and exceed 64 bits with an error, never silently; `/` and true values are doubles. A number is
/// compared with another by exact value. NaN compares as IEEE 754 has it: unequal to all. `%` has the sign of its
/// divisor. `round` takes halves to even.
class Expression {
 public:
  /// Local. Reads one expression with the words of `map`. Errors: usage, with a caret under what is wrong: syntax,
  /// unknown names (with the nearest), operands of a wrong kind, numbers beyond 64 bits, more than 2,000 operations or
  /// 100 levels of nesting.
  [[nodiscard]] static Expression parse(std::string_view text, const HeaderMap& map = HeaderMap::standard());

  /// Local. Reads an expression that is true or false, such as "iline == 1200 and offset < 3000". Errors: usage, also
  /// for any other expression.
  [[nodiscard]] static Expression parse_condition(std::string_view text, const HeaderMap& map = HeaderMap::standard());

  /// As the user wrote it, without the blanks around it.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] ValueKind kind() const { return root().kind; }

  /// Local. The bytes of a trace, from 0, that it looks at: one range, empty if none.
  [[nodiscard]] ByteRange needed_bytes() const { return {bytes_.first, bytes_.end - bytes_.first}; }

  /// Local. What it looks at, if that is integer words of at most 4 bytes and the numbers of trace and file alone.
  [[nodiscard]] std::optional<WholeNumbers> whole_numbers() const;

  /// Local. Whether it looks at the number of the trace, or at that of its file.
  [[nodiscard]] bool reads_trace_number() const { return reads(detail::Operation::trace); }
  [[nodiscard]] bool reads_file_number() const { return reads(detail::Operation::file); }

  /// Local. The columns that it was read with and looks at, ascending.
  [[nodiscard]] std::vector<int> columns() const;
  /// Local. From now on column i is at HeaderView::columns[places[i]].
  void place_columns(std::span<const int> places);

  /// Local. The value for a trace: 0 or 1 for `truth`. Only `needed_bytes()` are read. Errors: input, without a place,
  /// with a caret: an integer beyond 64 bits, an integer remainder by 0, a derived value of angles.
  [[nodiscard]] WordValue value(const HeaderView& trace) const;

  /// Local. Whether it is true of a trace. Precondition: kind() is truth. Errors: as `value`.
  [[nodiscard]] bool holds(const HeaderView& trace) const { return truth(root(), trace); }

  /// Local. Its value as a whole number. Precondition: kind() is integer. Errors: as `value`.
  [[nodiscard]] std::int64_t integer(const HeaderView& trace) const { return integer(root(), trace); }

  /// Local. Its value as a double, an integer rounded to the nearest. Precondition: kind() is integer or real.
  /// Errors: as `value`.
  [[nodiscard]] double real(const HeaderView& trace) const { return real(root(), trace); }

 private:
  friend class ExpressionBuilder;
  friend class TraceKey;
  using Node = detail::ExpressionNode;

  [[nodiscard]] bool reads(detail::Operation number) const;
  [[nodiscard]] const Node& root() const { return nodes_.back(); }
  [[nodiscard]] const Node& left(const Node& node) const { return nodes_[static_cast<std::size_t>(node.left)]; }
  [[nodiscard]] const Node& right(const Node& node) const { return nodes_[static_cast<std::size_t>(node.right)]; }
  [[nodiscard]] std::int64_t integer(const Node& node, const HeaderView& trace) const;
  [[nodiscard]] std::int64_t rounded(const Node& node, const HeaderView& trace) const;
  [[nodiscard]] double real(const Node& node, const HeaderView& trace) const;
  [[nodiscard]] bool truth(const Node& node, const HeaderView& trace) const;
  [[nodiscard]] std::string word_text(const Node& node, const HeaderView& trace) const;
  [[nodiscard]] bool compared(const Node& node, const HeaderView& trace) const;
  [[nodiscard]] std::int64_t word_integer(const Node& node, const HeaderView& trace) const;
  [[noreturn]] void fail(const Node& node, std::string_view problem, std::string_view action) const;

  std::string text_;
  std::vector<Node> nodes_;  // operands before what they are operands of; the last is the whole
  std::vector<WordRef> words_;
  std::vector<DerivedValue> derived_;
  std::vector<std::string> texts_;
  TrueBytes bytes_;
};

namespace detail {
/// Local. Two lines to be put behind an error's sentence: `text`, or the part of it around the place, and a caret under
/// each character from `begin` to `end`.
[[nodiscard]] std::string pointed_at(std::string_view text, std::size_t begin, std::size_t end);
}  // namespace detail

/// Local. What an expression may hold, as lines of text for `--help`.
[[nodiscard]] std::string expression_grammar();

}  // namespace sill::segy
