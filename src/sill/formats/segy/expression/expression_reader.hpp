// Reading expressions, one or several in a list, from the text that a user wrote.
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/expression/expression_builder.hpp"

namespace sill::segy {

/// Reads a text from its beginning to its end, entry by entry: what is around the entries is its user's. All errors are
/// usage errors with a caret.
class ExpressionReader {
 public:
  /// Local. `text`, `map` and `columns`, which may be used beside words, outlive the reader. A name that is of a word
  /// and of a column is refused: `column(NAME)` and a position name them unambiguously.
  ExpressionReader(std::string_view text, const HeaderMap& map, std::span<const ExpressionColumn> columns = {})
      : text_(text), map_(map), columns_(columns), builder_(text) {}

  /// Local. Whether nothing but blanks is left.
  [[nodiscard]] bool at_end();
  /// Local. Goes past `symbol` and the blanks before it, if it comes next.
  [[nodiscard]] bool accept(std::string_view symbol);

  /// Local. The expression that comes next; what follows it is left.
  [[nodiscard]] Expression expression();
  /// Local. The same, where a minus in front of all of it means the opposite order, also of text.
  struct Key {
    Expression expression;
    bool descending = false;
  };
  [[nodiscard]] Key key();
  /// Local. The word that comes next, by name or position.
  [[nodiscard]] WordRef word();

  /// Local. Where it stands: what was read ends before it.
  [[nodiscard]] std::size_t position() const { return at_; }
  /// Local. Throws for what stands next: an entry that should have ended.
  [[noreturn]] void refuse_rest();
  /// Local. Throws for the text from `begin` to `end`.
  [[noreturn]] void fail(std::size_t begin, std::size_t end, std::string_view problem, std::string_view action) const {
    builder_.fail(begin, end, problem, action);
  }

 private:
  using Node = detail::ExpressionNode;
  using Operation = detail::Operation;

  void skip_blanks();
  [[nodiscard]] std::string_view peeked_name() const;
  [[nodiscard]] bool accept_word(std::string_view word);
  void begin();

  // Each reads what binds at least as tightly as its name says, and returns the node.
  int either();
  int both();
  int complement();
  int comparison();
  int listed(int value);
  int between(int value);
  int within(int value, int first, int last, std::size_t from);
  int sum();
  int product();
  int sign();
  int primary();
  int number();
  int quoted_text();
  int named(std::string_view name);
  int call(std::string_view name, std::size_t from);
  int parenthesis(std::size_t from);
  int word_value(std::size_t from);
  int named_column(std::size_t from);
  [[nodiscard]] int find_column(std::string_view name) const;

  std::string_view text_;
  const HeaderMap& map_;
  std::span<const ExpressionColumn> columns_;
  std::size_t at_ = 0;
  int depth_ = 0;
  ExpressionBuilder builder_;
};

}  // namespace sill::segy
