// Expressions of the header words of a trace: one language for keys, conditions and assignments.
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

/// The type of the value of an expression: a 64-bit integer, a double, true or false, or the text of a word.
enum class ValueKind : std::uint8_t { integer, real, truth, text };

/// A column of a table whose rows belong to traces, with its name in expressions.
struct ExpressionColumn {
  std::string name;
  ValueKind kind = ValueKind::integer;  ///< integer or real
  std::string trouble = {};             ///< the reason why the column cannot be used, "holds ...", or empty
};

namespace detail {

/// The operation of a node on its operands.
enum class Operation : std::uint8_t {
  integer,  ///< a literal number
  real,
  text,
  word,  ///< read from the trace
  true_value,
  derived,
  column,  ///< value in the table row that belongs to the trace
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
  int begin = 0;  ///< first character in the text
  int end = 0;
  std::int64_t integer = 0;  ///< the literal number; for words, derived values, columns and texts, their index
  double real = 0.0;
};

}  // namespace detail

/// The inputs of an expression that depends only on integers.
struct WholeNumbers {
  std::vector<WordRef> words;  ///< integer words of at most 4 bytes, each once
  bool position = false;       ///< the expression uses the number of the trace or of its file
};

/// An expression whose types are checked when it is parsed, so that the types hold for all traces. Integers remain
/// integers under + - *, % and the functions; a result beyond 64 bits is an error, never silent overflow. `/` and true
/// values are doubles. Numbers are compared by exact value. NaN compares as in IEEE 754: unequal to everything. `%` has
/// the sign of its divisor. `round` rounds ties to even.
class Expression {
 public:
  /// Local. Parses one expression with the words of `map`. Errors: usage, with a caret under the error: syntax, unknown
  /// names (with the nearest known names), operands of a wrong type, numbers beyond 64 bits, more than 2,000 operations
  /// or 100 levels of nesting.
  [[nodiscard]] static Expression parse(std::string_view text, const HeaderMap& map = HeaderMap::standard());

  /// Local. Parses a condition, such as "iline == 1200 and offset < 3000". Errors: usage, as `parse`, and for an
  /// expression that is not a condition.
  [[nodiscard]] static Expression parse_condition(std::string_view text, const HeaderMap& map = HeaderMap::standard());

  /// Local. Returns the expression as the user wrote it, without surrounding blanks.
  [[nodiscard]] const std::string& text() const { return text_; }
  [[nodiscard]] ValueKind kind() const { return root().kind; }

  /// Local. Returns the bytes of a trace, from 0, that the expression reads: one range, empty if it reads none.
  [[nodiscard]] ByteRange needed_bytes() const { return {bytes_.first, bytes_.end - bytes_.first}; }

  /// Local. Returns the inputs of the expression if it uses only integer words of at most 4 bytes and the numbers of
  /// trace and file; otherwise nullopt.
  [[nodiscard]] std::optional<WholeNumbers> whole_numbers() const;

  /// Local. Return true if the expression uses the number of the trace, or the number of its file.
  [[nodiscard]] bool reads_trace_number() const { return reads(detail::Operation::trace); }
  [[nodiscard]] bool reads_file_number() const { return reads(detail::Operation::file); }

  /// Local. Returns the indexes of the columns that the expression uses, ascending.
  [[nodiscard]] std::vector<int> columns() const;
  /// Local. Sets the positions of the columns: from now on column i is at HeaderView::columns[places[i]].
  void place_columns(std::span<const int> places);

  /// Local. Returns the value for a trace; false and true are returned as 0 and 1. Only `needed_bytes()` are read.
  /// Errors: input, without a location, with a caret: an integer beyond 64 bits, an integer remainder by 0, a derived
  /// value of coordinates that are angles.
  [[nodiscard]] WordValue value(const HeaderView& trace) const;

  /// Local. Returns true if the condition holds for a trace. Precondition: kind() is truth. Errors: as `value`.
  [[nodiscard]] bool holds(const HeaderView& trace) const { return truth(root(), trace); }

  /// Local. Returns the value as an integer. Precondition: kind() is integer. Errors: as `value`.
  [[nodiscard]] std::int64_t integer(const HeaderView& trace) const { return integer(root(), trace); }

  /// Local. Returns the value as a double; an integer is rounded to the nearest double. Precondition: kind() is integer
  /// or real. Errors: as `value`.
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
  std::vector<Node> nodes_;  // operands precede the nodes that use them; the last node is the root
  std::vector<WordRef> words_;
  std::vector<DerivedValue> derived_;
  std::vector<std::string> texts_;
  TrueBytes bytes_;
};

namespace detail {
/// Local. Returns two lines to append to an error message: `text`, or the section of `text` around the error, and a
/// caret under each character from `begin` to `end`.
[[nodiscard]] std::string pointed_at(std::string_view text, std::size_t begin, std::size_t end);
}  // namespace detail

/// Local. Returns the grammar of expressions, as lines of text for `--help`.
[[nodiscard]] std::string expression_grammar();

}  // namespace sill::segy
