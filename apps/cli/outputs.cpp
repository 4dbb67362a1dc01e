#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <span>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"
#include "sill/survey/select/name_pattern.hpp"

namespace sill::cli {
namespace {

namespace fs = std::filesystem;

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

int for_each_output(Session& session, const std::vector<InputsOfOutput>& all,
                    const std::function<void(const InputsOfOutput&)>& work) {
  int failed = 0;
  for (const InputsOfOutput& each : all) {
    try {
      work(each);
    } catch (const Error& error) {
      if (all.size() == 1) throw;
      failed = session.continue_after(error);
    }
  }
  return failed;
}

}  // namespace sill::cli
