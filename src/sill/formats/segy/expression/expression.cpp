// Evaluates expressions for one trace.
#include "sill/formats/segy/expression/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "sill/base/error.hpp"

namespace sill::segy {
namespace {

using detail::Operation;

// A type that represents every 64-bit integer, so that comparisons are exact.
using Exact = long double;
static_assert(std::numeric_limits<Exact>::digits >= 64);

template <class Value>
bool holds_between(Operation operation, const Value& a, const Value& b) {
  switch (operation) {
    case Operation::equal: return a == b;
    case Operation::not_equal: return a != b;
    case Operation::less: return a < b;
    case Operation::less_or_equal: return a <= b;
    case Operation::more: return a > b;
    default: return a >= b;
  }
}

double floored_remainder(double a, double b) {
  const double rest = std::fmod(a, b);
  return rest != 0.0 && (rest < 0.0) != (b < 0.0) ? rest + b : rest;
}

// Returns the remainder with the sign of `b`, as in Python. Precondition: b is not 0.
std::int64_t remainder_of(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;  // the quotient may overflow, the remainder cannot
  const std::int64_t result = a % b;
  return result != 0 && (result < 0) != (b < 0) ? result + b : result;
}

// Returns true if the result of the operation needs more than 64 bits; otherwise sets `result`.
bool exceeds_integers(Operation operation, std::int64_t a, std::int64_t b, std::int64_t& result) {
  switch (operation) {
    case Operation::add: return __builtin_add_overflow(a, b, &result);
    case Operation::subtract: return __builtin_sub_overflow(a, b, &result);
    case Operation::multiply: return __builtin_mul_overflow(a, b, &result);
    case Operation::negate: return __builtin_sub_overflow(std::int64_t{0}, a, &result);
    case Operation::absolute: return a < 0 ? __builtin_sub_overflow(std::int64_t{0}, a, &result) : (result = a, false);
    case Operation::remainder: result = remainder_of(a, b); return false;
    case Operation::smaller: result = std::min(a, b); return false;
    default: result = std::max(a, b); return false;
  }
}

}  // namespace

void Expression::fail(const Node& node, std::string_view problem, std::string_view action) const {
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format(
                   "{}{}", problem,
                   detail::pointed_at(text_, static_cast<std::size_t>(node.begin), static_cast<std::size_t>(node.end))),
               .action = std::string(action)});
}

std::int64_t Expression::word_integer(const Node& node, const HeaderView& trace) const {
  const WordRef& word = words_[static_cast<std::size_t>(node.integer)];
  const std::uint64_t bits = load_bits(trace.header + (word.byte - 1), word.type.bytes, trace.order);
  if (word.type.kind == WordKind::signed_integer) return sign_extended(bits, word.type.bytes);
  if (bits > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
    fail(node, fmt::format("{} exceeds the range of integers in expressions", bits),
         "omit the word, sort by the word itself, or map it as i8");
  return static_cast<std::int64_t>(bits);
}

std::int64_t Expression::rounded(const Node& node, const HeaderView& trace) const {
  if (left(node).kind != ValueKind::real) return integer(left(node), trace);
  const double rounded = std::nearbyint(real(left(node), trace));
  if (!(rounded >= -0x1p63 && rounded < 0x1p63))
    fail(node, fmt::format("{} is not a 64-bit integer", std::isnan(rounded) ? "NaN" : fmt::format("{}", rounded)),
         "omit traces without such a value");
  return static_cast<std::int64_t>(rounded);
}

std::int64_t Expression::integer(const Node& node, const HeaderView& trace) const {
  switch (node.operation) {
    case Operation::word: return word_integer(node, trace);
    case Operation::integer: return node.integer;
    case Operation::column: return trace.columns[node.integer];
    case Operation::trace: return trace.trace;
    case Operation::file: return trace.file;
    case Operation::round: return rounded(node, trace);
    default: break;
  }
  const std::int64_t a = integer(left(node), trace);
  const std::int64_t b = node.right >= 0 ? integer(right(node), trace) : 0;
  if (node.operation == Operation::remainder && b == 0)
    fail(node, "the remainder of a division by 0 is undefined", "omit traces with this value");
  std::int64_t result = 0;
  if (exceeds_integers(node.operation, a, b, result))
    fail(node, "the result does not fit 64 bits", "compute with doubles: multiply by 1.0 first");
  return result;
}

double Expression::real(const Node& node, const HeaderView& trace) const {
  if (node.kind == ValueKind::integer) return static_cast<double>(integer(node, trace));
  switch (node.operation) {
    case Operation::real: return node.real;
    case Operation::column: return std::bit_cast<double>(trace.columns[node.integer]);
    case Operation::word: {
      const WordRef& word = words_[static_cast<std::size_t>(node.integer)];
      return read_word(trace.header, word.byte, word.type, trace.order).as_double();
    }
    case Operation::true_value:
      return true_value(words_[static_cast<std::size_t>(node.integer)], trace.header, trace.order);
    case Operation::derived: return derived_[static_cast<std::size_t>(node.integer)].value(trace.header, trace.order);
    default: break;
  }
  const double a = real(left(node), trace);
  if (node.operation == Operation::negate) return -a;
  if (node.operation == Operation::absolute) return std::abs(a);
  const double b = real(right(node), trace);
  const bool is_nan = std::isnan(a) || std::isnan(b);
  switch (node.operation) {
    case Operation::add: return a + b;
    case Operation::subtract: return a - b;
    case Operation::multiply: return a * b;
    case Operation::divide: return a / b;
    case Operation::remainder: return floored_remainder(a, b);
    case Operation::smaller: return is_nan ? std::numeric_limits<double>::quiet_NaN() : std::min(a, b);
    default: return is_nan ? std::numeric_limits<double>::quiet_NaN() : std::max(a, b);
  }
}

std::string Expression::word_text(const Node& node, const HeaderView& trace) const {
  if (node.operation == Operation::text) return texts_[static_cast<std::size_t>(node.integer)];
  const WordRef& word = words_[static_cast<std::size_t>(node.integer)];
  return read_word(trace.header, word.byte, word.type, trace.order).text();
}

bool Expression::compared(const Node& node, const HeaderView& trace) const {
  const Node& a = left(node);
  const Node& b = right(node);
  if (a.kind == ValueKind::text) return holds_between(node.operation, word_text(a, trace), word_text(b, trace));
  if (a.kind == ValueKind::integer && b.kind == ValueKind::integer)
    return holds_between(node.operation, integer(a, trace), integer(b, trace));
  if (a.kind == b.kind) return holds_between(node.operation, real(a, trace), real(b, trace));
  const auto exact = [&](const Node& side) {
    return side.kind == ValueKind::integer ? static_cast<Exact>(integer(side, trace))
                                           : static_cast<Exact>(real(side, trace));
  };
  return holds_between(node.operation, exact(a), exact(b));
}

bool Expression::truth(const Node& node, const HeaderView& trace) const {
  switch (node.operation) {
    case Operation::both: return truth(left(node), trace) && truth(right(node), trace);
    case Operation::either: return truth(left(node), trace) || truth(right(node), trace);
    case Operation::complement: return !truth(left(node), trace);
    default: return compared(node, trace);
  }
}

bool Expression::reads(detail::Operation number) const {
  return std::ranges::find(nodes_, number, &Node::operation) != nodes_.end();
}

std::optional<WholeNumbers> Expression::whole_numbers() const {
  constexpr int max_bytes = 4;
  WholeNumbers found;
  for (const Node& node : nodes_) {
    switch (node.operation) {
      case Operation::trace:
      case Operation::file: found.position = true; break;
      case Operation::text:
      case Operation::true_value:
      case Operation::derived:
      case Operation::column: return std::nullopt;
      case Operation::word: {
        const WordRef& word = words_[static_cast<std::size_t>(node.integer)];
        if (node.kind != ValueKind::integer || word.type.bytes > max_bytes) return std::nullopt;
        const bool is_new = std::ranges::none_of(
            found.words, [&](const WordRef& other) { return other.byte == word.byte && other.type == word.type; });
        if (is_new) found.words.push_back(word);
        break;
      }
      default: break;
    }
  }
  return found;
}

std::vector<int> Expression::columns() const {
  std::vector<int> found;
  for (const Node& node : nodes_)
    if (node.operation == Operation::column) found.push_back(static_cast<int>(node.integer));
  std::ranges::sort(found);
  found.erase(std::ranges::unique(found).begin(), found.end());
  return found;
}

void Expression::place_columns(std::span<const int> places) {
  for (Node& node : nodes_)
    if (node.operation == Operation::column) node.integer = places[static_cast<std::size_t>(node.integer)];
}

WordValue Expression::value(const HeaderView& trace) const {
  const Node& node = root();
  if (node.operation == Operation::word) {
    const WordRef& word = words_[static_cast<std::size_t>(node.integer)];
    return read_word(trace.header, word.byte, word.type, trace.order);
  }
  WordValue result;
  switch (node.kind) {
    case ValueKind::integer: result.number = integer(node, trace); break;
    case ValueKind::real: result.number = real(node, trace); break;
    case ValueKind::truth: result.number = std::int64_t{truth(node, trace)}; break;
    case ValueKind::text: result.number = segy::word_text(texts_[static_cast<std::size_t>(node.integer)]); break;
  }
  return result;
}

}  // namespace sill::segy
