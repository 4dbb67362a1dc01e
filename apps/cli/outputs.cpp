#include "cli/outputs.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string_view>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/comm/agree.hpp"

namespace sill::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view place = "{file}";

std::string output_of(const std::string& input, const std::string& given) {
  const fs::path name = fs::path(input).filename();
  if (given.find(place) == std::string::npos) return (fs::path(given) / name).string();
  std::string output = given;
  const std::string stem = name.stem().string();
  for (std::size_t at = output.find(place); at != std::string::npos; at = output.find(place, at + stem.size()))
    output.replace(at, place.size(), stem);
  return output;
}

}  // namespace

std::string each_output_grammar() {
  return "Of several inputs a folder, or a name with {file}, the name of an input without its ending, makes one output "
         "of each";
}

std::vector<InputsOfOutput> outputs_of(const std::vector<std::string>& inputs, const std::string& given) {
  std::error_code cannot_tell;
  const bool is_of_each = given.find(place) != std::string::npos || given.ends_with('/') ||
                          fs::is_directory(fs::status(given, cannot_tell));
  if (!is_of_each) return {{inputs, given}};
  std::vector<InputsOfOutput> all;
  std::map<std::string, std::string> input_of;
  const auto refuse = [&](std::string problem, std::string action) {
    throw Error({.code = ErrorCode::usage, .problem = std::move(problem), .action = std::move(action)});
  };
  for (const std::string& input : inputs) {
    if (input == "-") refuse("standard input has no name that an output could take", "name the output with -o");
    InputsOfOutput& one = all.emplace_back(InputsOfOutput{{input}, output_of(input, given)});
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
      require_known_to_all(session.comm(), error);
      session.print_error(error);
      failed = static_cast<int>(error.code());
    }
  }
  return failed;
}

}  // namespace sill::cli
