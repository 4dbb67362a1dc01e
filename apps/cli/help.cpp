#include "cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>
#include <string_view>

#include "cli/command.hpp"
#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/formats/segy/expression/expression.hpp"
#include "sill/formats/segy/words/key.hpp"

namespace sill::cli {
namespace {

constexpr std::size_t text_column = 30;
constexpr std::size_t page_columns = 100;

constexpr std::array<std::string_view, 9> common_options{
    "--policy", "--threads", "--memory", "--report", "--log", "--map", "--assume", "--strict", "--ignore-journal"};

struct CommandGroup {
  std::string_view title;
  std::vector<std::string_view> names;
};

const std::vector<CommandGroup>& command_groups() {
  static const std::vector<CommandGroup> groups{
      {"Inspect surveys",
       {"info", "header", "text", "scan", "check", "compare", "view", "map", "plot", "spectrum", "words"}},
      {"Change surveys",
       {"sort", "cut", "split", "merge", "edit", "convert", "repair", "match4d", "index", "make-survey"}},
      {"Process surveys", {"flow", "filter", "agc", "nmo", "velan", "stack"}},
      {"Arrays and records of simulations", {"arrays", "checkpoint", "records", "solutions"}},
      {"Simulate output", {"kernel"}},
      {"Tune input and output", {"policies", "doctor", "tune", "report", "advise", "drain"}},
      {"Help", {"help"}}};
  return groups;
}

constexpr std::string_view exit_status =
    "Exit status: 0 done, 1 the files differ or a test fails, 2 usage, 3 damaged or unknown input, 4 I/O failure, "
    "128+n on signal n.\n";

constexpr std::string_view unit_text =
    R"(Quantities have their unit directly after the number, without a blank.

  times         500ms, 1.5s, 250us, 12samples
  frequencies   60Hz
  lengths       25m, 1.2km, 80ft
  velocities    2000m/s, 2km/s, 6500ft/s
  angles        30deg
  shares        98%
  sizes         64M, 1.5G: K, M, G and T are powers of 1024

Time windows include both ends: 1s:3s, 500ms:, :2.5s. Tables of numbers state units in the names of their columns,
such as time_ms or velocity_km/s; without a unit times are in seconds, lengths in the unit of the survey, and velocities
in m/s (docs/flow.md). Printed sizes and rates use powers of 1000: kB, MB, GB.
)";

// Wraps text at `page_columns` characters; all lines except the first begin with `indent` blanks.
std::string wrapped_text(std::string_view text, std::size_t indent) {
  std::string lines;
  std::size_t column = indent;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (column > indent && column + 1 + word.size() > page_columns) {
      lines += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += word;
    column += word.size();
  }
  return lines + "\n";
}

std::string entry(const std::string& label, const std::string& text) {
  const std::string begin = "  " + label;
  const std::string gap = begin.size() + 2 <= text_column ? std::string(text_column - begin.size(), ' ')
                                                          : "\n" + std::string(text_column, ' ');
  return begin + gap + wrapped_text(text, text_column);
}

std::string names_of(const std::set<CLI::Option*>& options) {
  std::vector<std::string> names;
  for (const CLI::Option* option : options) names.push_back(option->get_name());
  std::ranges::sort(names);
  return fmt::format("{}", fmt::join(names, ", "));
}

// Returns true for options that only `sill help options` describes.
bool is_common(const CLI::Option& option) {
  if (std::ranges::find(common_options, option.get_name()) == common_options.end()) return false;
  return option.get_name() != "--memory" || option.get_description() == memory_text;
}

// Returns a command as the user types it: "kernel ior".
std::string called(const CLI::App& app) {
  std::string name = app.get_name();
  for (const CLI::App* above = app.get_parent(); above != nullptr && above->get_parent() != nullptr;
       above = above->get_parent())
    name = above->get_name() + " " + name;
  return name;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

class HelpFormatter final : public CLI::Formatter {
 public:
  std::string make_help(const CLI::App* app, std::string /*name*/, CLI::AppFormatMode /*mode*/) const override {
    return app->get_parent() == nullptr ? help_of_program(*app) : help_of_command(*app);
  }

 private:
  static std::string help_of_program(const CLI::App& program) {
    std::string text = program.get_description() + "\n\nUsage: sill COMMAND ...\n";
    for (const CommandGroup& group : command_groups()) {
      text += fmt::format("\n{}:\n", group.title);
      for (const std::string_view name : group.names)
        text += fmt::format("  {:<13} {}\n", name, summary_of(*program.get_subcommand(std::string(name))));
    }
    return text +
           "\n`sill COMMAND --help` describes a command, `sill help options` the options that most have in common, "
           "and\n"
           "`sill flow --list` the operations of flows.\n"
           "`sill --version` prints the version, the MPI library and the array containers that this build supports.\n";
  }

  static std::string help_of_command(const CLI::App& app) {
    std::string description = app.get_description();
    std::string text;
    while (!description.empty()) {
      const std::string line = first_line(description);
      text += wrapped_text(line, 0);
      description.erase(0, line.size() + 1);
    }
    std::string usage = "\nUsage: sill " + called(app);
    std::string arguments;
    std::string options;
    std::vector<std::string> common;
    for (const CLI::Option* option : app.get_options()) {
      const std::string name = option->get_name();
      if (option == app.get_help_ptr() || is_common(*option)) {
        if (option != app.get_help_ptr()) common.push_back(name);
        continue;
      }
      const OptionText shown(*option);
      (option->get_positional() ? arguments : options) += entry(shown.label, shown.text);
    }
    if (!options.empty() || !common.empty()) usage += " [OPTIONS]";
    for (const CLI::Option* option : app.get_options())
      if (option->get_positional()) {
        const std::string label = OptionText(*option).label;
        usage += option->get_required() ? " " + label : " [" + label + "]";
      }
    const std::vector<const CLI::App*> commands = commands_of(app);
    if (!commands.empty()) usage += " COMMAND ...";
    text += usage + "\n";
    if (!commands.empty()) {
      text += "\nCommands:\n";
      for (const CLI::App* command : commands) text += entry(command->get_name(), summary_of(*command));
    }
    if (!arguments.empty()) text += "\nArguments:\n" + arguments;
    if (!options.empty()) text += "\nOptions:\n" + options;
    if (!app.get_footer().empty()) text += "\n" + app.get_footer() + (app.get_footer().ends_with('\n') ? "" : "\n");
    if (!common.empty())
      text += "\n" + wrapped_text(fmt::format("Common options (sill help options): {}", fmt::join(common, ", ")), 0);
    return text;
  }
};

std::string options_text(const CLI::App& program) {
  std::string text = "Options that most commands have in common:\n\nOptions:\n";
  const CLI::App& sort = *program.get_subcommand("sort");  // a command with all common options
  for (const std::string_view name : common_options) {
    const OptionText shown(*sort.get_option(std::string(name)));
    text += entry(shown.label, shown.text);
  }
  return text + "\n" + std::string(exit_status);
}

std::string expression_text() {
  return "Conditions (--where, select) and values (--set, header) are expressions over the words of a trace "
         "header:\n\n" +
         segy::expression_grammar() +
         "\nExamples: --where 'abs(offset) <= 1500 and trid == 1', --set 'cdpx=true(sx)'.\n" +
         "See `sill words` for the words, and docs/expressions.md.\n";
}

}  // namespace

OptionText::OptionText(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  std::vector<std::string> sentences{std::string(trimmed(option.get_description()))};
  const std::size_t values = type.find(":{");
  if (values != type.npos) {
    const std::string names = type.substr(values + 2, type.rfind('}') - values - 2);
    for (std::size_t at = 0; at <= names.size();) {
      const std::size_t end = std::min(names.find(',', at), names.size());
      choices.push_back(names.substr(at, end - at));
      at = end + 1;
    }
    sentences.push_back(choices.size() == 1 ? "The only value is " + choices.front()
                                            : fmt::format("One of {}", fmt::join(choices, ", ")));
  }
  const std::size_t limits = type.find(" in [");
  const bool is_checked = values != type.npos || limits != type.npos;
  const std::string base = is_checked ? type.substr(0, type.find(':')) : type;
  if (limits != type.npos) {
    const std::string range = type.substr(limits + 5, type.rfind(']') - limits - 5);
    const std::size_t between = range.find(" - ");
    const std::string last = range.substr(between + 3);
    const bool is_open = last == "2147483647" || last == "9223372036854775807";  // the largest integers
    sentences.push_back(is_open ? "At least " + range.substr(0, between)
                                : "From " + range.substr(0, between) + " to " + last);
  }
  if (option.get_required()) sentences.emplace_back("Required");
  if (!option.get_default_str().empty()) sentences.push_back("Default: " + option.get_default_str());
  if (!option.get_excludes().empty()) sentences.push_back("Not with " + names_of(option.get_excludes()));
  if (!option.get_needs().empty()) sentences.push_back("Needs " + names_of(option.get_needs()));
  for (std::string& sentence : sentences) {
    while (sentence.ends_with('.')) sentence.pop_back();
    text += (text.empty() ? "" : " ") + sentence + ".";
  }
  if (option.get_positional()) {
    label = option.get_name(true, false);
    if (option.get_expected_max() > 1) label += "...";
    return;
  }
  for (const std::string& name : option.get_snames()) label += "-" + name + ", ";
  for (const std::string& name : option.get_lnames()) label += "--" + name;
  takes_value = option.get_items_expected_max() != 0;
  if (!takes_value) return;
  const int times = option.get_expected_min() > 1 ? option.get_expected_min() : 1;
  for (int i = 0; i < times; ++i) label += " " + base;
}

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App* /*command*/) { return true; });
}

std::string summary_of(const CLI::App& app) { return first_line(app.get_description()); }

std::string own_help(const CLI::App& app) {
  return app.get_formatter()->make_help(&app, app.get_name(), CLI::AppFormatMode::Normal);
}

void format_help(CLI::App& program) { program.formatter(std::make_shared<HelpFormatter>()); }

void add_help(CLI::App& program, HelpRequest& request) {
  CLI::App& parser =
      *program.add_subcommand("help", fmt::format("Describe a command, or: {}", fmt::join(help_topics, ", ")));
  parser.add_option("TOPIC", request.topic, "A command or a topic");
  parser.add_option("--write-manual", request.manual,
                    "Write man pages and completions for bash, zsh and fish into share/ under this prefix");
  parser.footer("Examples:\n  sill help sort\n  sill help options\n  sill help expressions\n");
}

std::string help_text(const CLI::App& program, const std::vector<std::string>& topic) {
  if (topic.empty()) return own_help(program);
  if (topic.size() == 1) {
    if (topic.front() == "options") return options_text(program);
    if (topic.front() == "expressions") return expression_text();
    if (topic.front() == "keys")
      return "Keys of sorts and gathers (--by, --keys), separated by commas.\n" + segy::key_grammar();
    if (topic.front() == "units") return std::string(unit_text);
    if (topic.front() == "policies") return text_of_policies() + "\n\n" + own_help(*program.get_subcommand("policies"));
  }
  const CLI::App* found = &program;
  for (const std::string& name : topic) {
    const std::vector<const CLI::App*> commands = commands_of(*found);
    const auto next = std::ranges::find(commands, name, [](const CLI::App* each) { return each->get_name(); });
    if (next == commands.end())
      throw usage_error(fmt::format("`{}` is not a command or a topic", echoed(name)),
                        fmt::format("topics are {}; `sill --help` lists the commands", fmt::join(help_topics, ", ")));
    found = *next;
  }
  return own_help(*found);
}

}  // namespace sill::cli
