#include "cli/inputs.hpp"

#include <fmt/format.h>
#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>
#include <sstream>
#include <string_view>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/store/ranged/ranged_source.hpp"
#include "sill/survey/select/name_pattern.hpp"

namespace sill::cli {
namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code cannot_tell;
  return fs::exists(fs::symlink_status(path, cannot_tell));
}

void add_matches(const std::string& path, std::vector<std::string>& files) {
  if (path.empty())
    throw usage_error("the name of a file is empty", "name a file; in a script, check whether a variable is empty");
  if (path.find_first_of("*?[") == std::string::npos || is_url(path) || exists(path)) {
    files.push_back(path);
    return;
  }
  glob_t found{};
  const int result = ::glob(path.c_str(), GLOB_NOSORT | GLOB_ERR, nullptr, &found);
  std::vector<std::string> matches(found.gl_pathv, found.gl_pathv + (result == 0 ? found.gl_pathc : 0));
  ::globfree(&found);
  if (result == GLOB_NOSPACE) throw std::bad_alloc();
  if (result == GLOB_ABORTED)
    throw Error({.code = ErrorCode::io,
                 .problem = fmt::format("a folder in the pattern '{}' cannot be read", echoed(path)),
                 .action = "check the permissions of the folders"});
  if (matches.empty())
    throw usage_error(fmt::format("no file matches '{}'", echoed(path)), "check the pattern and the folder");
  std::ranges::sort(matches);
  files.insert(files.end(), matches.begin(), matches.end());
}

// A longer list would name more files than can be open, and a file that is not a list, such as a device, may be
// infinite.
constexpr std::size_t longest_list_bytes = std::size_t{64} << 20U;

std::string text_of_list(const std::string& path) {
  const auto refuse = [&](std::string problem) {
    throw usage_error(std::move(problem), "write a text file with one path per line", {.file = path});
  };
  std::ifstream list(path);
  if (!list) throw system_error(errno, "opening the list of files", {.file = path});
  std::string text;
  for (std::vector<char> some(64 << 10U); list.read(some.data(), std::ssize(some)), list.gcount() > 0;) {
    const std::string_view read(some.data(), static_cast<std::size_t>(list.gcount()));
    if (read.find('\0') != read.npos) refuse("this is not a list of files: it contains bytes of 0");
    if (text.size() + read.size() > longest_list_bytes)
      refuse(fmt::format("this list of files is longer than {}", format_bytes(longest_list_bytes)));
    text += read;
  }
  if (list.bad()) throw system_error(errno, "reading the list of files", {.file = path});
  return text;
}

void add_list(const std::string& path, std::vector<std::string>& files) {
  std::istringstream list(text_of_list(path));
  const std::size_t before = files.size();
  for (std::string line; std::getline(list, line);) {
    const std::string entry(trimmed(line));
    if (entry.empty() || entry.front() == '#') continue;
    if (entry.front() == '@' && !exists(entry))
      throw usage_error(fmt::format("'{}' is the name of a list inside a list", echoed(entry)),
                        "write only file names into a list, or give both lists to the command", {.file = path});
    add_matches(entry, files);
  }
  if (files.size() == before)
    throw usage_error("this list contains no file names", "write one path per line", {.file = path});
}

// Returns the segments of a name, whose placeholders are all {file}; without a placeholder, the name of a folder.
std::vector<NamePattern::Place> places_in(const std::string& given) {
  if (!NamePattern::has_places(given)) return {{.text = given}};
  std::vector<NamePattern::Place> places = NamePattern::places_in(given);
  for (const NamePattern::Place& place : places)
    if (place.key && (*place.key != "file" || place.digits > 0))
      throw usage_error(
          fmt::format(
              "the output '{}' contains the placeholder {{{}}}, but for inputs the only placeholder is {{file}}",
              echoed(given), echoed(*place.key)),
          "write {file}; 'sill split' and flows divide by header words");
  return places;
}

std::string output_of(const std::string& input, std::span<const NamePattern::Place> places) {
  const fs::path name = fs::path(input).filename();
  if (places.size() == 1) return (fs::path(places.front().text) / name).string();
  std::string output;
  for (const NamePattern::Place& place : places) output += place.text + (place.key ? name.stem().string() : "");
  return output;
}

}  // namespace

CLI::Option& add_inputs(const NewCommand& command, const std::string& name, std::vector<std::string>& files,
                        const std::string& description) {
  command.command.inputs = &files;
  add_input_options(command);
  return *command.parser
              .add_option(name, files,
                          description + "; also quoted patterns, @LIST (a file of paths) and `-` (standard input)")
              ->required();
}

bool names_list(const std::string& given) { return given.size() > 1 && given.front() == '@' && !exists(given); }

std::vector<std::string> expanded(Communicator& comm, const std::vector<std::string>& given) {
  std::string joined;  // each path followed by a NUL
  run_on_rank(comm, 0, [&] {
    std::vector<std::string> files;
    for (const std::string& path : given) {
      if (names_list(path)) {
        add_list(path.substr(1), files);
      } else {
        add_matches(path, files);
      }
    }
    for (const std::string& path : files) joined += path + '\0';
  });
  const std::vector<char> shared = all_gather_all(comm, std::span<const char>(joined));
  std::vector<std::string> files;
  for (auto begin = shared.begin(); begin != shared.end();) {
    const auto end = std::find(begin, shared.end(), '\0');
    files.emplace_back(begin, end);
    begin = end + 1;
  }
  return files;
}

std::string each_output_grammar() {
  return "For one output per input, name a folder, or use {file} in the name, which is replaced with the input's name "
         "without its ending";
}

std::vector<InputsOfOutput> outputs_of(const std::vector<std::string>& inputs, const std::string& given) {
  std::error_code cannot_tell;
  const std::vector<NamePattern::Place> places = places_in(given);
  const bool is_of_each = places.size() > 1 || given.ends_with('/') || fs::is_directory(fs::status(given, cannot_tell));
  if (!is_of_each) return {{inputs, given}};
  std::vector<InputsOfOutput> all;
  std::map<std::string, std::string> input_of;
  const auto refuse = [&](std::string problem, std::string action) {
    throw usage_error(std::move(problem), std::move(action));
  };
  for (const std::string& input : inputs) {
    if (input == "-") refuse("standard input has no name that an output could take", "name the output with -o");
    InputsOfOutput& one = all.emplace_back(InputsOfOutput{{input}, output_of(input, places)});
    const auto [other, is_new] = input_of.try_emplace(fs::path(one.output).lexically_normal().string(), input);
    if (!is_new)
      refuse(
          fmt::format("'{}' and '{}' would both become '{}'", echoed(other->second), echoed(input), echoed(one.output)),
          "give them other names, or call the command once for each folder");
  }
  return all;
}

}  // namespace sill::cli
