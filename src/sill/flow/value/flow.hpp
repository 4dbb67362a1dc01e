// A flow as a value: which files are read, which operations are applied in turn, and where the result goes.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sill::flow {

class OtherSurvey;

/// An argument of an operation, as the user wrote it.
struct Argument {
  std::string key;
  std::string value;      ///< without the quotes around it
  std::size_t begin = 0;  ///< where the whole argument stands in the step's text
  std::size_t end = 0;
  std::shared_ptr<const std::string> table = {};   ///< of a value `@FILE`: what the file holds (`with_files`)
  std::shared_ptr<const OtherSurvey> survey = {};  ///< the same, of a file that is a survey

  /// Two arguments are equal wherever they stand.
  friend bool operator==(const Argument& a, const Argument& b) { return a.key == b.key && a.value == b.value; }
};

/// One operation with its arguments.
struct Step {
  std::string operation;
  std::vector<Argument> arguments;
  std::shared_ptr<const std::string> text = {};  ///< that the places of arguments refer to
  std::size_t begin = 0;                         ///< where the name stands in it

  friend bool operator==(const Step& a, const Step& b) {
    return a.operation == b.operation && a.arguments == b.arguments;
  }
};

/// Local. Throws `problem` about a part of a step's text: a usage error with the text and a caret under the part.
[[noreturn]] void throw_at_text(const std::string& text, std::size_t begin, std::size_t end, const std::string& problem,
                                const std::string& action = {});

/// An option of how a flow is run, as the program has it after `--` and a recipe as a key.
struct FlowOption {
  std::string_view name;
  std::vector<std::string_view> values;  ///< empty: any text
  std::string_view text;                 ///< what it does, and the default
};

/// Local. All there are.
[[nodiscard]] std::span<const FlowOption> flow_options();

/// A flow. It is complete without files: a program that brings them sets them before it runs the flow.
struct Flow {
  std::vector<std::string> inputs;
  std::string output;  ///< empty: none
  std::vector<Step> steps;
  std::map<std::string, std::string> options = {};  ///< values of `flow_options` by name
  std::vector<std::string> taps = {};               ///< "N=FILE": what there is after operation N goes to FILE, too

  friend bool operator==(const Flow&, const Flow&) = default;
};

}  // namespace sill::flow
