// Man pages and shell completions, generated from the parser.
#include "cli/help.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill::cli {
namespace {

// Returns text for a man page, in which characters that troff treats as a request or an escape are quoted.
std::string troff(std::string_view text) {
  std::string safe;
  bool begins = true;
  for (const char c : text) {
    if (c == '\\' || (c == '-')) safe += '\\';
    if (begins && (c == '.' || c == '\'')) safe += "\\&";
    safe += c == '\\' ? 'e' : c;
    begins = c == '\n';
  }
  return safe;
}

std::string man_page(const CLI::App& app, const std::string& name) {
  std::string title;
  for (const char c : name) title += c == ' ' ? '-' : c;
  const std::vector<const CLI::App*> commands = commands_of(app);
  std::string page =
      fmt::format(".TH {} 1 \"\" \"sill {}\"\n.SH NAME\n{} \\- {}\n", title, SILL_VERSION, troff(title),
                  app.get_parent() == nullptr ? "parallel I/O for seismic data" : troff(summary_of(app)));
  const std::string help = own_help(app);
  // Paragraphs of the help become sections. A heading is a line at the left margin that ends with a colon.
  bool in_lines = false;
  const auto add_section = [&](std::string_view heading) {
    if (std::exchange(in_lines, false)) page += ".fi\n";
    std::string upper;
    for (const char c : heading) upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    page += ".SH " + upper + "\n.nf\n";
    in_lines = true;
  };
  add_section("description");
  for (std::size_t at = 0; at < help.size();) {
    const std::size_t end = std::min(help.find('\n', at), help.size());
    const std::string_view line = std::string_view(help).substr(at, end - at);
    if (line.ends_with(':') && !line.starts_with(' '))
      add_section(line.substr(0, line.size() - 1));
    else
      page += troff(line) + "\n";
    at = end + 1;
  }
  page += ".fi\n.SH SEE ALSO\n";
  if (app.get_parent() != nullptr) page += fmt::format(".BR sill (1){}\n", commands.empty() ? "" : ",");
  for (const CLI::App* each : commands)
    page +=
        fmt::format(".BR {}\\-{} (1){}\n", troff(title), troff(each->get_name()), each == commands.back() ? "" : ",");
  return page;
}

// Returns all commands as the user types them, including "kernel ior".
std::vector<std::pair<std::string, const CLI::App*>> all_commands(const CLI::App& program) {
  std::vector<std::pair<std::string, const CLI::App*>> all;
  for (const CLI::App* command : commands_of(program)) {
    all.emplace_back(command->get_name(), command);
    for (const CLI::App* below : commands_of(*command))
      all.emplace_back(command->get_name() + " " + below->get_name(), below);
  }
  return all;
}

std::string names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(app)) names.push_back(command->get_name());
  return fmt::format("{}", fmt::join(names, " "));
}

// Returns what follows `sill help`.
std::string names_of_topics(const CLI::App& program) {
  return fmt::format("{} {}", names_of_commands(program), fmt::join(help_topics, " "));
}

// Returns the commands that have subcommands, as a shell pattern.
std::string pattern_of_groups(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(program))
    if (!commands_of(*command).empty()) names.push_back(command->get_name());
  return fmt::format("{}", fmt::join(names, "|"));
}

std::string bash_completion(const CLI::App& program) {
  std::string options;
  std::string values;
  std::string groups;
  for (const auto& [name, command] : all_commands(program)) {
    if (const std::string below = names_of_commands(*command); !below.empty())
      groups += fmt::format("    {}) [ \"$COMP_CWORD\" -eq 2 ] && words=\"{}\" ;;\n", name, below);
    std::string words;
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_positional()) continue;
      words += " --" + option->get_lnames().front();
      const OptionText text(*option);
      if (!text.choices.empty())
        values += fmt::format("    \"{} --{}\") words=\"{}\" ;;\n", name, option->get_lnames().front(),
                              fmt::join(text.choices, " "));
    }
    options += fmt::format("    \"{}\") words=\"{}\" ;;\n", name, words);
  }
  return fmt::format(R"(# bash completion of sill
_sill() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}} words='' command=${{COMP_WORDS[1]}}
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W "{}" -- "$current")
    return
  fi
  case "$command" in
    help) [ "$COMP_CWORD" -eq 2 ] && words="{}" ;;
{}  esac
  case "$command" in {}) [ "$COMP_CWORD" -gt 2 ] && command+=" ${{COMP_WORDS[2]}}" ;; esac
  case "$command $previous" in
{}  esac
  if [ -z "$words" ] && [[ $current == -* ]]; then
    case "$command" in
{}    esac
  fi
  if [ -n "$words" ]; then
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  fi
}}
complete -F _sill sill
)",
                     names_of_commands(program), names_of_topics(program), groups, pattern_of_groups(program), values,
                     options);
}

// Returns text for single quotes in a shell. Brackets and colons would end a text in zsh.
std::string quoted_text(std::string_view text, bool is_zsh) {
  std::string safe;
  for (const char c : text.substr(0, text.find(". "))) {
    if (c == '\'') continue;
    if (is_zsh && (c == '[' || c == ']' || c == ':' || c == '\\')) safe += '\\';
    safe += c == '\n' ? ' ' : c;
  }
  while (safe.ends_with('.')) safe.pop_back();
  return safe;
}

std::string zsh_completion(const CLI::App& program) {
  std::string commands;
  for (const CLI::App* command : commands_of(program))
    commands += fmt::format("    '{}:{}'\n", command->get_name(), quoted_text(summary_of(*command), true));
  std::string cases;
  for (const auto& [name, command] : all_commands(program)) {
    std::string arguments;
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_positional()) continue;
      const OptionText text(*option);
      arguments += fmt::format(" \\\n      '--{}[{}]{}'", option->get_lnames().front(), quoted_text(text.text, true),
                               !text.takes_value      ? ""
                               : text.choices.empty() ? ":value:_files"
                                                      : fmt::format(":value:({})", fmt::join(text.choices, " ")));
    }
    const std::string below = name == "help" ? names_of_topics(program) : names_of_commands(*command);
    cases += fmt::format("    '{}') _arguments '*:file:{}'{} ;;\n", name, below.empty() ? "_files" : "(" + below + ")",
                         arguments);
  }
  return fmt::format(R"(#compdef sill
_sill() {{
  local -a commands=(
{}  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=${{words[2]}}
  case $command in {}) (( CURRENT > 3 )) && command+=" ${{words[3]}}" ;; esac
  case $command in
{}  esac
}}
_sill "$@"
)",
                     commands, pattern_of_groups(program), cases);
}

std::string fish_completion(const CLI::App& program) {
  std::string text =
      "# fish completion of sill\n"
      "function __sill_command -d 'Whether the command line begins with these words'\n"
      "  set -l words (commandline -opc)\n"
      "  for word in $argv\n"
      "    set -e words[1]\n"
      "    test \"$words[1]\" = $word; or return 1\n"
      "  end\n"
      "end\n";
  text += fmt::format("complete -c sill -f -n '__sill_command help' -a '{}'\n", names_of_topics(program));
  for (const CLI::App* command : commands_of(program)) {
    const std::string& name = command->get_name();
    text += fmt::format("complete -c sill -f -n __fish_use_subcommand -a {} -d '{}'\n", name,
                        quoted_text(summary_of(*command), false));
    for (const CLI::App* below : commands_of(*command))
      text += fmt::format("complete -c sill -f -n '__sill_command {}' -a {} -d '{}'\n", name, below->get_name(),
                          quoted_text(summary_of(*below), false));
  }
  for (const auto& [name, command] : all_commands(program)) {
    for (const CLI::Option* option : command->get_options()) {
      if (option->get_positional()) continue;
      const OptionText shown(*option);
      text += fmt::format("complete -c sill -n '__sill_command {}' -l {}{}{} -d '{}'\n", name,
                          option->get_lnames().front(), shown.takes_value ? " -r" : "",
                          shown.choices.empty() ? "" : fmt::format(" -a '{}'", fmt::join(shown.choices, " ")),
                          quoted_text(shown.text, false));
    }
  }
  return text;
}

void write_file(const std::filesystem::path& path, const std::string& text) {
  std::error_code failed;
  std::filesystem::create_directories(path.parent_path(), failed);
  std::ofstream file(path);
  file << text;
  file.close();
  if (file) return;
  throw Error({.code = ErrorCode::io,
               .problem = "the file cannot be written",
               .where = {.file = path.string()},
               .action = "check that the folder is writable and has room"});
}

}  // namespace

void write_manual(const CLI::App& program, const std::string& prefix) {
  const std::filesystem::path share = std::filesystem::path(prefix) / "share";
  write_file(share / "man/man1/sill.1", man_page(program, "sill"));
  for (const auto& [name, command] : all_commands(program)) {
    std::string file = "sill-" + name;
    for (char& c : file)
      if (c == ' ') c = '-';
    write_file(share / "man/man1" / (file + ".1"), man_page(*command, "sill " + name));
  }
  write_file(share / "bash-completion/completions/sill", bash_completion(program));
  write_file(share / "zsh/site-functions/_sill", zsh_completion(program));
  write_file(share / "fish/vendor_completions.d/sill.fish", fish_completion(program));
}

}  // namespace sill::cli
