#include "sill/flow/value/flow_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <utility>

#include "sill/base/checksum.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/base/user_text.hpp"
#include "sill/flow/operations/operation_types.hpp"

namespace sill::flow {
namespace {

// A word of the inline form, without its quotes.
struct Token {
  std::string text = {};
  std::size_t equals = std::string::npos;  // of the first '=' outside quotes, in `text`
  std::size_t begin = 0;
  std::size_t end = 0;
  bool is_quoted = false;
};

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view needs_quotes = " \t\r\n;#='\"()";

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(std::make_shared<std::string>(text)) {}

  std::vector<Step> read() {
    std::vector<Step> steps;
    while (at_ < text_->size()) {
      const std::vector<Token> tokens = operation();
      if (!tokens.empty()) steps.push_back(step_of(tokens));
    }
    return steps;
  }

 private:
  // Returns the words up to the next ';' or newline.
  std::vector<Token> operation() {
    std::vector<Token> tokens;
    while (at_ < text_->size()) {
      const char next = (*text_)[at_];
      if (next == ';' || next == '\n') {
        ++at_;
        return tokens;
      }
      if (next == '#') {
        at_ = std::min(text_->find('\n', at_), text_->size());
      } else if (blanks.find(next) != std::string_view::npos) {
        ++at_;
      } else {
        tokens.push_back(token());
      }
    }
    return tokens;
  }

  Token token() {
    Token token{.begin = at_};
    for (; at_ < text_->size(); ++at_) {
      const char next = (*text_)[at_];
      if (next == '\'' || next == '"') {
        const std::size_t close = text_->find(next, at_ + 1);
        if (close == std::string::npos) throw_at_text(*text_, at_, at_ + 1, "this quote is not closed");
        token.text.append(*text_, at_ + 1, close - at_ - 1);
        token.is_quoted = true;
        at_ = close;
        continue;
      }
      if (next == ';' || next == '\n' || next == '#' || blanks.find(next) != std::string_view::npos) break;
      if (next == '=' && token.equals == std::string::npos && !token.is_quoted) token.equals = token.text.size();
      token.text += next;
    }
    token.end = at_;
    return token;
  }

  Step step_of(const std::vector<Token>& tokens) {
    const Token& name = tokens.front();
    const OperationType* const type = find_operation_type(name.text);
    if (type == nullptr) {
      std::vector<std::string_view> known;
      for (const OperationType* other : operation_types()) known.push_back(other->name);
      throw_at_text(*text_, name.begin, name.end, fmt::format("unknown operation '{}'", echoed(name.text)),
                    did_you_mean(nearest_names(name.text, known)) + "'sill flow --list' lists all operations");
    }
    Step step{name.text, {}, text_, name.begin};
    std::size_t positionals = 0;
    for (const Token& token : std::span(tokens).subspan(1)) {
      Argument argument = argument_of(*type, token, positionals, !step.arguments.empty());
      const bool is_twice = std::ranges::find(step.arguments, argument.key, &Argument::key) != step.arguments.end();
      if (is_twice)
        throw_at_text(*text_, token.begin, token.end, fmt::format("'{}' is given twice", echoed(argument.key)));
      step.arguments.push_back(std::move(argument));
    }
    order_arguments(*type, step);
    return step;
  }

  Argument argument_of(const OperationType& type, const Token& token, std::size_t& positionals, bool follows_others) {
    const auto place = [&](std::string key, std::string value) {
      return Argument{std::move(key), std::move(value), token.begin, token.end};
    };
    const auto known = [&](std::string_view key) {
      return std::ranges::find(type.parameters, key, &Parameter::name) != type.parameters.end();
    };
    if (token.equals != std::string::npos) {
      const std::string key = token.text.substr(0, token.equals);
      if (!known(key) && !type.takes_assignments) refuse_key(type, token, key);
      return place(key, token.text.substr(token.equals + 1));
    }
    const auto is_flag = [&](const Parameter& parameter) { return parameter.is_flag && parameter.name == token.text; };
    if (!token.is_quoted && std::ranges::any_of(type.parameters, is_flag)) return place(token.text, "yes");
    if (positionals >= type.positionals.size()) {
      if (!token.is_quoted && known(token.text))
        throw_at_text(*text_, token.begin, token.end, fmt::format("'{}' needs a value", token.text),
                      fmt::format("write {}=VALUE", token.text));
      refuse_key(type, token, token.text);
    }
    if (follows_others && positionals == 0)
      throw_at_text(*text_, token.begin, token.end, "values without a key must come before values with a key");
    return place(std::string(type.positionals[positionals++]), token.text);
  }

  [[noreturn]] void refuse_key(const OperationType& type, const Token& token, const std::string& key) {
    std::vector<std::string_view> names;
    for (const Parameter& parameter : type.parameters) names.push_back(parameter.name);
    throw_at_text(*text_, token.begin, token.end, fmt::format("{} has no parameter '{}'", type.name, echoed(key)),
                  did_you_mean(nearest_names(key, names)) +
                      (names.empty() ? std::string("it has no parameters")
                                     : fmt::format("its parameters are {}; 'sill flow --describe {}' explains them",
                                                   fmt::join(names, ", "), type.name)));
  }

  static void order_arguments(const OperationType& type, Step& step) {
    const auto place = [&](const Argument& argument) {
      return std::ranges::find(type.parameters, argument.key, &Parameter::name) - type.parameters.begin();
    };
    std::ranges::stable_sort(step.arguments, {}, place);
  }

  std::shared_ptr<const std::string> text_;
  std::size_t at_ = 0;
};

// Returns the value in quotes if necessary. If it contains both kinds of quotes, sections with either kind follow each
// other.
std::string in_quotes(std::string_view value) {
  if (!value.empty() && value.find_first_of(needs_quotes) == std::string_view::npos) return std::string(value);
  std::string text;
  do {
    const char quote = value.starts_with('\'') ? '"' : '\'';
    const std::string_view piece = value.substr(0, value.find(quote));
    text += quote + std::string(piece) + quote;
    value.remove_prefix(piece.size());
  } while (!value.empty());
  return text;
}

}  // namespace

std::vector<Step> parse_steps(std::string_view text) { return Reader(text).read(); }

std::string inline_text(const std::vector<Step>& steps) {
  std::string text;
  for (const Step& step : steps) {
    if (!text.empty()) text += "; ";
    text += step.operation;
    for (const Argument& argument : step.arguments)
      text += fmt::format(" {}={}", argument.key, in_quotes(argument.value));
  }
  return text;
}

std::uint64_t hash_of(const Flow& flow) {
  Checksum sum;
  const auto add = [&sum](const std::string& text) {
    const auto size = static_cast<std::uint64_t>(text.size());
    sum.add(std::as_bytes(std::span(&size, 1)));
    sum.add(std::as_bytes(std::span(text)));
  };
  for (const std::string& input : flow.inputs) add(input);
  add(flow.output);
  add(inline_text(flow.steps));
  for (const auto& [name, value] : flow.options) add(name + "=" + value);
  return sum.value();
}

}  // namespace sill::flow
