// The parser of expressions.
#include "sill/formats/segy/expression/expression_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "sill/base/ascii.hpp"
#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill::segy {
namespace {

using detail::Operation;

constexpr int max_levels = 100;

constexpr std::array<std::pair<std::string_view, Operation>, 6> comparisons = {{{"==", Operation::equal},
                                                                                {"!=", Operation::not_equal},
                                                                                {"<=", Operation::less_or_equal},
                                                                                {">=", Operation::more_or_equal},
                                                                                {"<", Operation::less},
                                                                                {">", Operation::more}}};

// Names that are operators.
constexpr std::array<std::string_view, 5> operators = {"and", "or", "not", "in", "between"};

constexpr std::string_view functions_there_are = "abs, min, max, round and true";

bool begins_name(char c) { return is_letter(c) || c == '_'; }
bool continues_name(char c) { return begins_name(c) || is_digit(c) || c == '.' || c == '-'; }

/// Returns true for names that have a meaning without a map.
bool is_reserved(std::string_view name) {
  const std::string small = detail::lower_case(name);
  if (small == "trace" || small == "file" || std::ranges::find(operators, small) != operators.end()) return true;
  return std::ranges::find(DerivedValue::names(), small) != DerivedValue::names().end();
}

std::vector<std::string_view> names_beside_words() {
  std::vector<std::string_view> names(DerivedValue::names().begin(), DerivedValue::names().end());
  names.insert(names.end(), {"trace", "file"});
  return names;
}

}  // namespace

std::string detail::pointed_at(std::string_view text, std::size_t begin, std::size_t end) {
  constexpr std::size_t before = 50;
  constexpr std::size_t max = 100;
  std::size_t from = 0;
  std::size_t to = text.size();
  if (text.size() > max) {
    from = begin > before ? begin - before : 0;
    to = std::min(text.size(), from + max);
  }
  // Each byte becomes one column, so that the caret is at the right position on every terminal.
  std::string line(text.substr(from, to - from));
  for (char& c : line)
    if (c < ' ' || c > '~') c = '?';
  const std::string_view cut_before = from > 0 ? "..." : "";
  const std::size_t last = std::clamp(end, begin + 1, std::max(begin + 1, to));
  return fmt::format("\n    {}{}{}\n    {:{}}{:^>{}}", cut_before, line, to < text.size() ? "..." : "", "",
                     cut_before.size() + begin - from, "", last - begin);
}

void ExpressionReader::skip_blanks() {
  while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
}

bool ExpressionReader::at_end() {
  skip_blanks();
  return at_ == text_.size();
}

bool ExpressionReader::accept(std::string_view symbol) {
  skip_blanks();
  if (!text_.substr(at_).starts_with(symbol)) return false;
  at_ += symbol.size();
  return true;
}

// Returns the next name. Names may contain a minus; if the longest candidate is not the name of a word, the name ends
// at a minus.
std::string_view ExpressionReader::peeked_name() const {
  if (at_ == text_.size() || !begins_name(text_[at_])) return {};
  // No word has a longer name than the words of maps: text beyond this length is not searched, however often it
  // contains a minus.
  std::size_t end = at_;
  while (end < text_.size() && continues_name(text_[end]) && (text_[end] != '-' || end - at_ < longest_word_name))
    ++end;
  std::string_view name = text_.substr(at_, end - at_);
  const std::string_view shortest = name.substr(0, name.find('-'));
  while (name.size() > shortest.size() && map_.find(name) == nullptr) name = name.substr(0, name.rfind('-'));
  return name;
}

bool ExpressionReader::accept_word(std::string_view word) {
  skip_blanks();
  const std::string_view name = peeked_name();
  if (detail::lower_case(name) != word) return false;
  at_ += name.size();
  return true;
}

void ExpressionReader::refuse_rest() {
  skip_blanks();
  if (text_[at_] == '=') fail(at_, at_ + 1, "= assigns, but this is not an assignment", "write == to compare");
  if (text_[at_] == ')') fail(at_, at_ + 1, "a closing parenthesis without an opening one", "omit it");
  const std::size_t length = std::max<std::size_t>(1, peeked_name().size());
  fail(at_, at_ + length, "an operator is missing before this",
       "join the parts by + - * / % < <= == != >= > in between and or");
}

void ExpressionReader::begin() {
  builder_.begin();
  depth_ = 0;
}

Expression ExpressionReader::expression() {
  begin();
  const std::size_t from = at_;
  (void)either();
  return builder_.finished(from, at_);
}

ExpressionReader::Key ExpressionReader::key() {
  begin();
  const std::size_t from = at_;
  if (accept("-")) {
    // The minus applies to the complete expression unless an operator follows that binds less tightly: -a, but not -a +
    // b.
    (void)sign();
    const std::size_t end = at_;
    if (at_end() || text_[at_] == ',') {
      at_ = end;
      Expression expression = builder_.finished(from, at_);
      return {std::move(expression), true};
    }
    at_ = from;
    begin();
  }
  (void)either();
  return {builder_.finished(from, at_), false};
}

WordRef ExpressionReader::word() {
  skip_blanks();
  const std::size_t from = at_;
  std::string_view name = peeked_name();
  if (name.empty() && at_ < text_.size() && text_[at_] == '@') {
    std::size_t end = at_ + 1;
    while (end < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[end])) != 0 || text_[end] == ':'))
      ++end;
    name = text_.substr(at_, end - at_);
  }
  if (name.empty()) fail(from, from + 1, "a header word is missing here", "name one, such as cdp or @189:i4");
  at_ += name.size();
  try {
    return map_.word(name, names_beside_words());
  } catch (const Error& error) {
    fail(from, at_, error.parts().problem, error.parts().action, error.parts().system_error_number);
  }
}

int ExpressionReader::either() {
  int left = both();
  while (accept_word("or") || accept("||")) {
    left = builder_.condition(left);
    left = builder_.joined(Operation::either, left, both());
  }
  return left;
}

int ExpressionReader::both() {
  int left = complement();
  while (accept_word("and") || accept("&&")) {
    left = builder_.condition(left);
    left = builder_.joined(Operation::both, left, complement());
  }
  return left;
}

int ExpressionReader::complement() {
  skip_blanks();
  const std::size_t from = at_;
  const bool is_symbol = text_.substr(at_).starts_with('!') && !text_.substr(at_).starts_with("!=");
  if (!accept_word("not") && !(is_symbol && accept("!"))) return comparison();
  if (++depth_ > max_levels) fail(from, at_, "the expression is nested too deeply", "write a simpler one");
  const int operand = complement();
  --depth_;
  return builder_.unary(Operation::complement, operand, from, at_);
}

int ExpressionReader::comparison() {
  skip_blanks();
  const std::size_t from = at_;
  int left = sum();
  while (true) {
    const std::size_t before = at_;
    const bool is_negated = accept_word("not");
    const bool has_list = accept_word("in");
    if (has_list || accept_word("between")) {
      left = has_list ? listed(left) : between(left);
      if (is_negated) left = builder_.unary(Operation::complement, left, from, at_);
      continue;
    }
    at_ = before;
    const auto* found = std::ranges::find_if(comparisons, [&](const auto& known) { return accept(known.first); });
    if (found == comparisons.end()) return left;
    left = builder_.compared(found->second, left, sum());
  }
}

int ExpressionReader::listed(int value) {
  skip_blanks();
  const std::size_t opening = at_;
  if (!accept("(")) fail(at_, at_ + 1, "a list in parentheses must follow 'in'", "write cdp in (1, 5, 10:20)");
  int any = -1;
  do {
    skip_blanks();
    const std::size_t from = at_;
    const int first = sum();
    const int one = accept(":") ? within(value, first, sum(), from) : builder_.compared(Operation::equal, value, first);
    any = any < 0 ? one : builder_.joined(Operation::either, any, one);
  } while (accept(","));
  if (!accept(")")) {
    if (!at_end()) refuse_rest();
    fail(opening, opening + 1, "this list is not closed", "write the closing parenthesis");
  }
  return any;
}

int ExpressionReader::between(int value) {
  skip_blanks();
  const std::size_t from = at_;
  const int first = sum();
  if (!accept_word("and") && !accept("&&"))
    fail(from, at_, "'between' needs two values with 'and' in the middle", "write cdp between 10 and 20");
  return within(value, first, sum(), from);
}

// Both ends are included; the text of the range starts at `from` and ends at the current position.
int ExpressionReader::within(int value, int first, int last, std::size_t from) {
  if (builder_.is_more(first, last))
    fail(from, at_, "this range is empty: it ends before it begins", "write the smaller end first");
  const int not_below = builder_.compared(Operation::more_or_equal, value, first);
  return builder_.joined(Operation::both, not_below, builder_.compared(Operation::less_or_equal, value, last));
}

int ExpressionReader::sum() {
  int left = product();
  while (true) {
    if (accept("+")) {
      left = builder_.arithmetic(Operation::add, left, product());
    } else if (accept("-")) {
      left = builder_.arithmetic(Operation::subtract, left, product());
    } else {
      return left;
    }
  }
}

int ExpressionReader::product() {
  int left = sign();
  while (true) {
    if (accept("*")) {
      left = builder_.arithmetic(Operation::multiply, left, sign());
    } else if (accept("/")) {
      left = builder_.arithmetic(Operation::divide, left, sign());
    } else if (accept("%")) {
      left = builder_.arithmetic(Operation::remainder, left, sign());
    } else {
      return left;
    }
  }
}

int ExpressionReader::sign() {
  skip_blanks();
  const std::size_t from = at_;
  if (!accept("-")) return primary();
  if (++depth_ > max_levels) fail(from, at_, "the expression is nested too deeply", "write a simpler one");
  const int operand = sign();
  --depth_;
  return builder_.unary(Operation::negate, operand, from, at_);
}

int ExpressionReader::primary() {
  skip_blanks();
  const std::size_t from = at_;
  if (at_ == text_.size() || text_[at_] == ',')
    fail(from, from + 1, "a value is missing here",
         "name a word, a number or a function, such as cdp, 12 or abs(offset)");
  const char c = text_[at_];
  if (is_digit(c) || c == '.') return number();
  if (c == '\'' || c == '"') return quoted_text();
  if (c == '(') {
    ++at_;
    return parenthesis(from);
  }
  if (c == '@') return word_value(from);
  const std::string_view name = peeked_name();
  if (!name.empty()) return named(name);
  if (c == ')')
    fail(from, from + 1, "a value is missing before this parenthesis", "add a value, or omit the parenthesis");
  fail(from, from + 1, "this cannot begin a value",
       "write words, numbers, + - * / %, comparisons, in, between, and, or, not, parentheses");
}

int ExpressionReader::number() {
  const std::size_t from = at_;
  const char* const begin = text_.data() + at_;
  const char* const limit = text_.data() + text_.size();
  Node node{.begin = static_cast<int>(from)};
  const auto whole = std::from_chars(begin, limit, node.integer);
  const auto real = std::from_chars(begin, limit, node.real);
  const bool is_whole = whole.ptr == real.ptr;
  at_ += static_cast<std::size_t>(std::max(whole.ptr, real.ptr) - begin);
  node.end = static_cast<int>(std::max(at_, from + 1));
  if (real.ptr == begin || (at_ < text_.size() && (continues_name(text_[at_]) && text_[at_] != '-')))
    fail(from, at_ + 1, "this is not a number", "write a number such as 12, -3.5 or 1e6");
  if ((is_whole ? whole.ec : real.ec) != std::errc())
    fail(from, at_, is_whole ? "this integer exceeds 64 bits" : "this number exceeds the range of a double",
         is_whole ? "use a smaller one, or write it with a decimal point" : "use a smaller one");
  node.operation = is_whole ? Operation::integer : Operation::real;
  node.kind = is_whole ? ValueKind::integer : ValueKind::real;
  return builder_.add(node);
}

int ExpressionReader::quoted_text() {
  const std::size_t from = at_;
  const std::size_t end = text_.find(text_[at_], at_ + 1);
  if (end == std::string_view::npos) fail(from, from + 1, "a closing quote is missing", "write 'text'");
  const std::string_view inner = text_.substr(from + 1, end - from - 1);
  at_ = end + 1;
  try {
    (void)segy::word_text(inner);
  } catch (const Error& error) {
    fail(from, at_, error.parts().problem, error.parts().action, error.parts().system_error_number);
  }
  return builder_.text(inner, from, at_);
}

int ExpressionReader::named(std::string_view name) {
  const std::size_t from = at_;
  std::size_t after = at_ + name.size();
  while (after < text_.size() && text_[after] == ' ') ++after;
  const bool is_call = after < text_.size() && text_[after] == '(' && !is_reserved(name);
  if (is_call) {
    at_ = after + 1;
    return call(name, from);
  }
  if (const int column = find_column(name); column >= 0) {
    at_ += name.size();
    if (!is_reserved(name) && map_.find(name) == nullptr)
      return builder_.column(columns_[static_cast<std::size_t>(column)], column, from, at_);
    fail(from, at_, fmt::format("'{}' is both a column of the table and a name with another meaning", name),
         fmt::format("write column({}) for the column; a word can be named by its position, as in @73:i4", name));
  }
  if (!is_reserved(name)) return word_value(from);
  at_ += name.size();
  Node node{.begin = static_cast<int>(from), .end = static_cast<int>(at_)};
  const std::string small = detail::lower_case(name);
  if (std::ranges::find(operators, small) != operators.end())
    fail(from, at_, fmt::format("'{}' is given where a value is needed", small),
         small == "in" || small == "between" ? "write cdp in (1, 5, 10:20), or cdp between 10 and 20"
                                             : "join conditions: cdp > 10 and not offset == 0");
  if (small == "trace" || small == "file") {
    node.operation = small == "trace" ? Operation::trace : Operation::file;
    return builder_.add(node);
  }
  std::optional<DerivedValue> value;
  try {
    value = DerivedValue::named(name, map_);
  } catch (const Error& error) {
    fail(from, at_, error.parts().problem, error.parts().action, error.parts().system_error_number);
  }
  return builder_.derived(std::move(*value), from, at_);
}

int ExpressionReader::word_value(std::size_t from) {
  const WordRef found = word();
  return builder_.word(found, from, at_);
}

int ExpressionReader::parenthesis(std::size_t from) {
  if (++depth_ > max_levels) fail(from, from + 1, "the expression is nested too deeply", "write a simpler one");
  const int inner = either();
  if (!accept(")")) {
    if (!at_end()) refuse_rest();
    fail(from, from + 1, "this parenthesis is not closed", "write the closing parenthesis");
  }
  --depth_;
  return inner;
}

int ExpressionReader::find_column(std::string_view name) const {
  const std::string small = detail::lower_case(name);
  const auto found =
      std::ranges::find_if(columns_, [&](const auto& column) { return detail::lower_case(column.name) == small; });
  return found == columns_.end() ? -1 : static_cast<int>(found - columns_.begin());
}

// Parses the name in the parentheses of column(): all text up to the closing parenthesis, or a quoted text.
int ExpressionReader::named_column(std::size_t from) {
  skip_blanks();
  const bool is_quoted = at_ < text_.size() && (text_[at_] == '\'' || text_[at_] == '"');
  const char end = is_quoted ? text_[at_++] : ')';
  const std::size_t closing = text_.find(end, at_);
  if (closing == std::string_view::npos) fail(from, from + 6, "column() is not closed", "write column(NAME)");
  const std::string_view name =
      is_quoted ? text_.substr(at_, closing - at_) : trimmed(text_.substr(at_, closing - at_));
  at_ = is_quoted ? closing + 1 : closing;
  if (!accept(")")) fail(from, at_, "column() needs one name and a closing parenthesis", "write column(NAME)");
  const int column = find_column(name);
  if (column >= 0) return builder_.column(columns_[static_cast<std::size_t>(column)], column, from, at_);
  std::string there;
  for (const ExpressionColumn& known : columns_) there += (there.empty() ? "" : ", ") + echoed(known.name);
  fail(from, at_, fmt::format("no column is called '{}'", echoed(name)), fmt::format("the table has {}", there));
}

WordRef ExpressionReader::word_of_true(std::size_t from) {
  WordRef asked = word();
  try {
    require_true_value(asked, asked.name);
  } catch (const Error& error) {
    fail(from, at_, error.parts().problem, error.parts().action, error.parts().system_error_number);
  }
  if (!accept(")")) fail(from, at_, "true() needs one word and a closing parenthesis", "write true(sx)");
  return asked;
}

int ExpressionReader::call(std::string_view name, std::size_t from) {
  const std::string function = detail::lower_case(name);
  if (function == "column" && !columns_.empty()) return named_column(from);
  if (function == "true") {
    const WordRef asked = word_of_true(from);
    return builder_.true_value(asked, from, at_);
  }
  const bool is_smaller = function == "min";
  if (is_smaller || function == "max") {
    if (++depth_ > max_levels) fail(from, at_, "the expression is nested too deeply", "write a simpler one");
    int result = either();
    if (!accept(",")) fail(from, at_, fmt::format("{}() needs two or more values", function), "write min(a, b)");
    do {
      result = builder_.arithmetic(is_smaller ? Operation::smaller : Operation::larger, result, either());
    } while (accept(","));
    if (!accept(")")) {
      if (!at_end()) refuse_rest();
      fail(from, from + name.size(), "the parenthesis of this function is not closed", "write the closing parenthesis");
    }
    --depth_;
    return result;
  }
  if (function != "abs" && function != "round")
    fail(from, from + name.size(), fmt::format("unknown function '{}'", function),
         fmt::format("the functions are {}", functions_there_are));
  const int operand = parenthesis(at_ - 1);
  return builder_.unary(function == "abs" ? Operation::absolute : Operation::round, operand, from, at_);
}

Expression Expression::parse(std::string_view text, const HeaderMap& map) {
  ExpressionReader reader(text, map);
  Expression expression = reader.expression();
  if (!reader.at_end()) {
    if (reader.accept(","))
      reader.fail(reader.position() - 1, reader.position(), "a list is given where one expression is needed",
                  "omit the comma and the text after it");
    reader.refuse_rest();
  }
  return expression;
}

Expression Expression::parse_condition(std::string_view text, const HeaderMap& map) {
  Expression expression = parse(text, map);
  if (expression.kind() == ValueKind::truth) return expression;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{} is given where a condition is needed{}", detail::name_of(expression.kind()),
                                      detail::pointed_at(expression.text(), 0, expression.text().size())),
               .action = "compare it with a value, as in offset > 0"});
}

std::string expression_grammar() {
  return R"(words        names of segyio, Seismic Unix or the standard (cdp, CDP, ensemble_num), or @BYTE:TYPE (@189:i4);
             BYTE counts from 1, and 241 is the first byte of the first additional header;
             TYPE is i1-i8, u1-u8, f4, f8, ibm4, or a1-a8 for text
constants    numbers, 'text'
operators    + - * / %; == != < <= > >=; and, or, not; in (1, 5, 10:20), not in;
             between 10 and 20 (both ends included), not between
functions    abs(), min(), max(), round(); true(WORD), the value with its scalar applied
computed     calc_offset, azimuth, midpoint_x, midpoint_y, with scalars applied;
             trace, the number of the trace across all files, and file, the number of its file, both from 1
)";
}

}  // namespace sill::segy
