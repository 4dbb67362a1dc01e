// The parts of an expression as they are read: what kinds of values go together, and the nodes that they become.
#pragma once

#include <cstddef>
#include <string_view>

#include "sill/formats/segy/expression/expression.hpp"

namespace sill::segy {

/// Makes one expression after another from parts of a text. Nodes are named by their numbers; `begin` and `end` of all
/// that is added are places in the text. All errors are usage errors with a caret.
class ExpressionBuilder {
 public:
  using Node = detail::ExpressionNode;
  using Operation = detail::Operation;

  /// Local. `text` outlives the builder.
  explicit ExpressionBuilder(std::string_view text) : text_(text) {}

  /// Local. Forgets what was added.
  void begin() { made_ = Expression(); }
  /// Local. The expression whose parts were added since `begin`, the last of them the whole, which stands from `from`
  /// to `end`.
  [[nodiscard]] Expression finished(std::size_t from, std::size_t end);

  /// Local. Adds a node as it is: a number, or the number of the trace or file.
  int add(Node node);
  int text(std::string_view inner, std::size_t begin, std::size_t end);
  int word(const WordRef& word, std::size_t begin, std::size_t end);
  int true_value(const WordRef& word, std::size_t begin, std::size_t end);
  int derived(DerivedValue value, std::size_t begin, std::size_t end);
  int column(const ExpressionColumn& column, int index, std::size_t begin, std::size_t end);

  /// Local. Negation, abs, round of a number, `not` of a condition.
  int unary(Operation operation, int operand, std::size_t begin, std::size_t end);
  /// Local. Of two numbers.
  int arithmetic(Operation operation, int a, int b);
  /// Local. Of two numbers or two texts.
  int compared(Operation operation, int a, int b);
  /// Local. Returns true if both are numbers that were written, the first larger than the second.
  [[nodiscard]] bool is_more(int a, int b) const;
  /// Local. The left side of `and` and `or`, before the right one is read; then both.
  [[nodiscard]] int condition(int node) { return required(node, ValueKind::truth); }
  int joined(Operation operation, int a, int b);

  /// Local. Throws for the text from `begin` to `end`.
  [[noreturn]] void fail(std::size_t begin, std::size_t end, std::string_view problem, std::string_view action) const;

 private:
  int binary(Operation operation, ValueKind kind, int a, int b);
  [[nodiscard]] int required(int node, ValueKind kind) const;
  [[nodiscard]] int required_number(int node) const;
  [[nodiscard]] std::optional<long double> written_number(int index) const;
  [[nodiscard]] const Node& node(int index) const { return made_.nodes_[static_cast<std::size_t>(index)]; }

  std::string_view text_;
  Expression made_;
};

namespace detail {
/// Local. "a number", "a condition", "text".
[[nodiscard]] std::string_view name_of(ValueKind kind);
}  // namespace detail

}  // namespace sill::segy
