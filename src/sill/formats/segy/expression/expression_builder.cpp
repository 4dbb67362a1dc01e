#include "sill/formats/segy/expression/expression_builder.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill::segy {
namespace {

constexpr std::size_t max_operations = 2'000;  // each may be a nested call, on the small stack of a thread

bool is_number(ValueKind kind) { return kind == ValueKind::integer || kind == ValueKind::real; }

}  // namespace

std::string_view detail::name_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::integer:
    case ValueKind::real: return "a number";
    case ValueKind::truth: return "a condition";
    case ValueKind::text: return "text";
  }
  return "text";
}

void ExpressionBuilder::fail(std::size_t begin, std::size_t end, std::string_view problem, std::string_view action,
                             int number) const {
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("{}{}", problem, detail::pointed_at(text_, begin, end)),
               .action = std::string(action),
               .system_error_number = number});
}

Expression ExpressionBuilder::finished(std::size_t from, std::size_t end) {
  const std::string_view own = trimmed(text_.substr(from, end - from));
  const auto begin = static_cast<int>(own.data() - text_.data());
  for (Node& made : made_.nodes_) {
    made.begin -= begin;
    made.end -= begin;
  }
  made_.text_ = std::string(own);
  return std::move(made_);
}

int ExpressionBuilder::add(Node node) {
  if (made_.nodes_.size() == max_operations)
    fail(static_cast<std::size_t>(node.begin), static_cast<std::size_t>(node.end),
         fmt::format("the expression has more than {} operations", max_operations), "write a shorter one");
  made_.nodes_.push_back(node);
  return static_cast<int>(made_.nodes_.size()) - 1;
}

int ExpressionBuilder::text(std::string_view inner, std::size_t begin, std::size_t end) {
  made_.texts_.emplace_back(inner);
  return add({.operation = Operation::text,
              .kind = ValueKind::text,
              .begin = static_cast<int>(begin),
              .end = static_cast<int>(end),
              .integer = static_cast<std::int64_t>(made_.texts_.size()) - 1});
}

int ExpressionBuilder::word(const WordRef& word, std::size_t begin, std::size_t end) {
  ValueKind kind = ValueKind::integer;
  if (is_float(word.type)) kind = ValueKind::real;
  if (word.type.kind == WordKind::text) kind = ValueKind::text;
  made_.words_.push_back(word);
  made_.bytes_ = segy::joined(made_.bytes_, {word.byte - 1, word.byte - 1 + word.type.bytes});
  return add({.operation = Operation::word,
              .kind = kind,
              .begin = static_cast<int>(begin),
              .end = static_cast<int>(end),
              .integer = static_cast<std::int64_t>(made_.words_.size()) - 1});
}

int ExpressionBuilder::true_value(const WordRef& word, std::size_t begin, std::size_t end) {
  made_.words_.push_back(word);
  made_.bytes_ = segy::joined(made_.bytes_, bytes_of_true_value(word));
  return add({.operation = Operation::true_value,
              .kind = ValueKind::real,
              .begin = static_cast<int>(begin),
              .end = static_cast<int>(end),
              .integer = static_cast<std::int64_t>(made_.words_.size()) - 1});
}

int ExpressionBuilder::derived(DerivedValue value, std::size_t begin, std::size_t end) {
  made_.derived_.push_back(std::move(value));
  made_.bytes_ = segy::joined(made_.bytes_, made_.derived_.back().needed_bytes());
  return add({.operation = Operation::derived,
              .kind = ValueKind::real,
              .begin = static_cast<int>(begin),
              .end = static_cast<int>(end),
              .integer = static_cast<std::int64_t>(made_.derived_.size()) - 1});
}

int ExpressionBuilder::column(const ExpressionColumn& column, int index, std::size_t begin, std::size_t end) {
  if (!column.trouble.empty())
    fail(begin, end, fmt::format("the column '{}' {}", echoed(column.name), column.trouble),
         "correct the table, or use another column");
  return add({.operation = Operation::column,
              .kind = column.kind,
              .begin = static_cast<int>(begin),
              .end = static_cast<int>(end),
              .integer = index});
}

int ExpressionBuilder::required(int index, ValueKind kind) const {
  const Node& found = node(index);
  if (found.kind == kind) return index;
  const std::string_view action = kind == ValueKind::truth
                                      ? "compare it with a value, as in offset > 0"
                                      : "conditions are joined by and, or and not; numbers by + - * / %";
  fail(static_cast<std::size_t>(found.begin), static_cast<std::size_t>(found.end),
       fmt::format("{} is given where {} is needed", detail::name_of(found.kind), detail::name_of(kind)), action);
}

int ExpressionBuilder::required_number(int index) const {
  if (is_number(node(index).kind)) return index;
  return required(index, ValueKind::integer);
}

int ExpressionBuilder::unary(Operation operation, int operand, std::size_t begin, std::size_t end) {
  ValueKind kind = ValueKind::truth;
  if (operation == Operation::complement) {
    operand = required(operand, ValueKind::truth);
  } else {
    operand = required_number(operand);
    kind = operation == Operation::round ? ValueKind::integer : node(operand).kind;
  }
  return add({.operation = operation,
              .kind = kind,
              .left = operand,
              .begin = static_cast<int>(begin),
              .end = static_cast<int>(end)});
}

int ExpressionBuilder::binary(Operation operation, ValueKind kind, int a, int b) {
  return add({.operation = operation, .kind = kind, .left = a, .right = b, .begin = node(a).begin, .end = node(b).end});
}

int ExpressionBuilder::arithmetic(Operation operation, int a, int b) {
  a = required_number(a);
  b = required_number(b);
  const bool integers = node(a).kind == ValueKind::integer && node(b).kind == ValueKind::integer;
  return binary(operation, integers && operation != Operation::divide ? ValueKind::integer : ValueKind::real, a, b);
}

int ExpressionBuilder::compared(Operation operation, int a, int b) {
  for (const int side : {a, b})
    if (node(side).kind == ValueKind::truth)
      fail(static_cast<std::size_t>(node(side).begin), static_cast<std::size_t>(node(side).end),
           "a condition cannot be compared", "join conditions by and: 10 < cdp and cdp < 20");
  if (node(a).kind == ValueKind::text || node(b).kind == ValueKind::text) {
    a = required(a, ValueKind::text);
    b = required(b, ValueKind::text);
  }
  return binary(operation, ValueKind::truth, a, b);
}

// A long double represents every 64-bit integer.
std::optional<long double> ExpressionBuilder::written_number(int index) const {
  const Node& found = node(index);
  if (found.operation == Operation::integer) return static_cast<long double>(found.integer);
  if (found.operation == Operation::real) return static_cast<long double>(found.real);
  if (found.operation != Operation::negate) return std::nullopt;
  const std::optional<long double> number = written_number(found.left);
  return number ? std::optional(-*number) : std::nullopt;
}

bool ExpressionBuilder::is_more(int a, int b) const {
  const std::optional<long double> first = written_number(a);
  const std::optional<long double> last = written_number(b);
  return first && last && *first > *last;
}

int ExpressionBuilder::joined(Operation operation, int a, int b) {
  a = condition(a);
  b = condition(b);
  return binary(operation, ValueKind::truth, a, b);
}

}  // namespace sill::segy
