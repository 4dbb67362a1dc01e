// Construction of expressions: checks the types of operands and creates nodes.
#pragma once

#include <cstddef>
#include <string_view>

#include "sill/formats/segy/expression/expression.hpp"

namespace sill::segy {

/// Builds one expression after another from sections of a text. Nodes are identified by their indexes; `begin` and
/// `end` are positions in the text. All errors are usage errors with a caret.
class ExpressionBuilder {
 public:
  using Node = detail::ExpressionNode;
  using Operation = detail::Operation;

  /// Local. Creates a builder. `text` must outlive the builder.
  explicit ExpressionBuilder(std::string_view text) : text_(text) {}

  /// Local. Begins an empty expression.
  void begin() { made_ = Expression(); }
  /// Local. Returns the expression that was added since `begin`; its root is the node added last, and its text is from
  /// `from` to `end`.
  [[nodiscard]] Expression finished(std::size_t from, std::size_t end);

  /// Local. Adds a node unchanged and returns its index: a literal number, or the number of the trace or file.
  int add(Node node);
  int text(std::string_view inner, std::size_t begin, std::size_t end);
  int word(const WordRef& word, std::size_t begin, std::size_t end);
  int true_value(const WordRef& word, std::size_t begin, std::size_t end);
  int derived(DerivedValue value, std::size_t begin, std::size_t end);
  int column(const ExpressionColumn& column, int index, std::size_t begin, std::size_t end);

  /// Local. Adds an operation on one operand: negation, abs and round of a number, `not` of a condition.
  int unary(Operation operation, int operand, std::size_t begin, std::size_t end);
  /// Local. Adds an operation on two numbers.
  int arithmetic(Operation operation, int a, int b);
  /// Local. Adds a comparison of two numbers or two texts.
  int compared(Operation operation, int a, int b);
  /// Local. Returns true if both nodes are literal numbers and the first is larger than the second.
  [[nodiscard]] bool is_more(int a, int b) const;
  /// Local. Checks the left side of `and` and `or` before the right side is parsed; returns its node.
  [[nodiscard]] int condition(int node) { return required(node, ValueKind::truth); }
  /// Local. Adds `and` or `or` of two conditions.
  int joined(Operation operation, int a, int b);

  /// Local. Throws Error(usage) that points to the text from `begin` to `end`. `number`: its
  /// `system_error_number`.
  [[noreturn]] void fail(std::size_t begin, std::size_t end, std::string_view problem, std::string_view action,
                         int number = 0) const;

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
/// Local. Returns "a number", "a condition" or "text".
[[nodiscard]] std::string_view name_of(ValueKind kind);
}  // namespace detail

}  // namespace sill::segy
