#include "sill/flow/value/recipe.hpp"

#include <fmt/format.h>

#include <toml++/toml.h>
#include <algorithm>
#include <sstream>

#include "sill/base/error.hpp"
#include "sill/base/nearest_names.hpp"
#include "sill/flow/value/flow_text.hpp"

namespace sill::flow {
namespace {

class Recipe {
 public:
  explicit Recipe(const std::string& source_name) : source_name_(source_name) {}

  Flow read(std::string_view text) {
    toml::table table;
    try {
      table = toml::parse(text, source_name_);
    } catch (const toml::parse_error& error) {
      refuse(static_cast<std::int64_t>(error.source().begin.line), std::string(error.description()),
             "a recipe is TOML");
    }
    Flow flow;
    for (const auto& [key, node] : table) {
      if (key == "input")
        flow.inputs = texts_of("input", node);
      else if (key == "output")
        flow.output = text_of("output", node);
      else if (key == "tap")
        flow.taps = texts_of("tap", node);
      else if (key == "do")
        flow.steps = steps_of(node);
      else
        flow.options[std::string(key.str())] = option_of(key.str(), node);
    }
    if (!table.contains("do")) refuse(1, "the recipe has no operations", "write do = \"...\" or tables [[do]]");
    return flow;
  }

 private:
  [[noreturn]] void refuse(std::int64_t line, const std::string& problem, const std::string& action) const {
    throw Error({.code = ErrorCode::usage,
                 .problem = problem,
                 .where = {.file = source_name_, .item = line, .item_word = "line"},
                 .action = action});
  }
  static std::int64_t line_of(const toml::node& node) { return static_cast<std::int64_t>(node.source().begin.line); }

  [[noreturn]] void refuse_key(std::string_view key, const toml::node& node) const {
    std::vector<std::string_view> keys{"input", "output", "tap", "do"};
    for (const FlowOption& option : flow_options()) keys.push_back(option.name);
    refuse(line_of(node), fmt::format("a recipe has no key '{}'", key),
           fmt::format("{}its keys are {}", did_you_mean(nearest_names(key, keys)), fmt::join(keys, ", ")));
  }

  [[nodiscard]] std::string option_of(std::string_view key, const toml::node& node) const {
    const auto option = std::ranges::find(flow_options(), key, &FlowOption::name);
    if (option == flow_options().end()) refuse_key(key, node);
    std::string value = text_of(key, node);
    if (!option->values.empty() && std::ranges::find(option->values, value) == option->values.end())
      refuse(line_of(node), fmt::format("'{}' is not a value of {}", value, key),
             fmt::format("its values are {}", fmt::join(option->values, ", ")));
    return value;
  }

  [[nodiscard]] std::string text_of(std::string_view key, const toml::node& node) const {
    if (const auto* const text = node.as_string()) {
      if (text->get().find('\0') == std::string::npos) return text->get();
      refuse(line_of(node), fmt::format("'{}' contains a NUL, which is not allowed in names", key),
             "write it without \\u0000");
    }
    if (const auto* const number = node.as_integer()) return fmt::format("{}", number->get());
    if (const auto* const number = node.as_floating_point()) return fmt::format("{}", number->get());
    if (const auto* const truth = node.as_boolean()) return truth->get() ? "yes" : "no";
    refuse(line_of(node), fmt::format("'{}' is not a string", key), "write a string in quotes");
  }

  [[nodiscard]] std::vector<std::string> texts_of(std::string_view key, const toml::node& node) const {
    const auto* const list = node.as_array();
    if (list == nullptr) return {text_of(key, node)};
    std::vector<std::string> texts;
    for (const toml::node& text : *list) texts.push_back(text_of(key, text));
    return texts;
  }

  [[nodiscard]] std::vector<Step> steps_of(const toml::node& node) const {
    const auto at_line = [&](const toml::node& of, const std::string& text) {
      try {
        return parse_steps(text);
      } catch (const Error& error) {
        throw_at(error, {.file = source_name_, .item = line_of(of), .item_word = "line"});
      }
    };
    if (const auto* const text = node.as_string()) return at_line(node, text->get());
    const auto* const tables = node.as_array();
    if (tables == nullptr)
      refuse(line_of(node), "'do' is neither a string nor a list of tables", "write do = \"...\" or [[do]]");
    std::vector<Step> steps;
    for (const toml::node& entry : *tables) {
      const auto* const table = entry.as_table();
      if (table == nullptr || !table->contains("op"))
        refuse(line_of(entry), "an operation has no name", "write op = \"agc\" in its [[do]] table");
      Step step{.operation = text_of("op", *table->get("op")), .arguments = {}};
      for (const auto& [key, value] : *table)
        if (key != "op") step.arguments.push_back({std::string(key.str()), text_of(key.str(), value), 0, 0});
      // Uses the inline form, so that only one place knows the operations, their keys and their order.
      const std::vector<Step> read = at_line(entry, inline_text({step}));
      steps.insert(steps.end(), read.begin(), read.end());
    }
    return steps;
  }

  const std::string& source_name_;
};

std::string toml_text(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

std::string toml_list(const std::vector<std::string>& texts) {
  std::string list;
  for (const std::string& text : texts) list += (list.empty() ? "[" : ", ") + toml_text(text);
  return (list.empty() ? "[" : list) + "]\n";
}

}  // namespace

Flow parse_recipe(std::string_view text, const std::string& source_name) { return Recipe(source_name).read(text); }

std::string recipe_text(const Flow& flow) {
  std::string text = "input = " + toml_list(flow.inputs);
  if (!flow.output.empty()) text += "output = " + toml_text(flow.output) + "\n";
  if (!flow.taps.empty()) text += "tap = " + toml_list(flow.taps);
  for (const auto& [name, value] : flow.options) text += fmt::format("{} = {}\n", name, toml_text(value));
  for (const Step& step : flow.steps) {
    text += "\n[[do]]\nop = " + toml_text(step.operation) + "\n";
    for (const Argument& argument : step.arguments)
      text += fmt::format("{} = {}\n", toml_text(argument.key), toml_text(argument.value));
  }
  return text;
}

}  // namespace sill::flow
