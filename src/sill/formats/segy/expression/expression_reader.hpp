// Parsing of one expression, or of several in a list, from a text that a user wrote.
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

/// Parses a text from beginning to end, entry by entry; the caller parses the text around the entries. All errors are
/// usage errors with a caret.
class ExpressionReader {
 public:
  /// Local. Creates a reader. `text`, `map` and `columns` must outlive the reader. Columns may be used in addition to
  /// words. A name that both a word and a column have is refused: `column(NAME)` and a position denote them
  /// unambiguously.
  ExpressionReader(std::string_view text, const HeaderMap& map, std::span<const ExpressionColumn> columns = {})
      : text_(text), map_(map), columns_(columns), builder_(text) {}

  /// Local. Returns true if only blanks remain.
  [[nodiscard]] bool at_end();
  /// Local. Skips blanks, and `symbol` if it follows the blanks; returns true if `symbol` followed.
  [[nodiscard]] bool accept(std::string_view symbol);

  /// Local. Parses the next expression; the text after it remains.
  [[nodiscard]] Expression expression();
  /// A key: an expression, and whether a minus before the complete expression requests descending order, also for text.
  struct Key {
    Expression expression;
    bool descending = false;
  };
  /// Local. Parses the next key.
  [[nodiscard]] Key key();
  /// Local. Advances past `word` and returns true if it is the next name, in any case.
  [[nodiscard]] bool accept_word(std::string_view word);
  /// Local. Parses the next word, a name or a position.
  [[nodiscard]] WordRef word();
  /// Local. Parses `WORD)` after `true(`, which begins at `from`. Errors: usage, also if the word has no true value.
  [[nodiscard]] WordRef word_of_true(std::size_t from);

  /// Local. Returns the position of the reader: the end of the text that was parsed.
  [[nodiscard]] std::size_t position() const { return at_; }
  /// Local. Throws Error(usage) for the text at the current position, because the entry should have ended there.
  [[noreturn]] void refuse_rest();
  /// Local. Throws Error(usage) that points to the text from `begin` to `end`. `number`: its
  /// `system_error_number`.
  [[noreturn]] void fail(std::size_t begin, std::size_t end, std::string_view problem, std::string_view action,
                         int number = 0) const {
    builder_.fail(begin, end, problem, action, number);
  }

 private:
  using Node = detail::ExpressionNode;
  using Operation = detail::Operation;

  void skip_blanks();
  [[nodiscard]] std::string_view peeked_name() const;
  void begin();

  // Each function parses an expression whose operators bind at least as tightly as the operator in its name, and
  // returns the node.
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
