// A flow as a value: its input files, its operations in order, and its output.
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
  std::string value;      ///< without quotes
  std::size_t begin = 0;  ///< position of the argument in the step's text
  std::size_t end = 0;
  std::shared_ptr<const std::string> table = {};   ///< for a value `@FILE`: content of the file (`with_files`)
  std::shared_ptr<const OtherSurvey> survey = {};  ///< for a value `@FILE` that is a survey

  /// Two arguments are equal regardless of their positions.
  friend bool operator==(const Argument& a, const Argument& b) { return a.key == b.key && a.value == b.value; }
};

/// One operation with its arguments.
struct Step {
  std::string operation;
  std::vector<Argument> arguments;
  std::shared_ptr<const std::string> text = {};  ///< text to which the positions of arguments refer
  std::size_t begin = 0;                         ///< position of the name in `text`
  /// Returns the option that sets a parameter, "--order" for "order", which messages then name. nullptr: they name the
  /// parameter as in a flow, "order=".
  std::string (*option_of)(std::string_view parameter) = nullptr;

  friend bool operator==(const Step& a, const Step& b) {
    return a.operation == b.operation && a.arguments == b.arguments;
  }
};

/// Local. Throws `problem` about a range of a step's text: a usage error with the text and a caret under the range.
/// `number`: its `system_error_number`.
[[noreturn]] void throw_at_text(const std::string& text, std::size_t begin, std::size_t end, const std::string& problem,
                                const std::string& action = {}, int number = 0);

/// An option for running a flow: on the command line after `--`, in a recipe as a key.
struct FlowOption {
  std::string_view name;
  std::vector<std::string_view> values;  ///< empty: any text
  std::string_view text;                 ///< the effect and the default of the option
};

/// Local. Returns all options.
[[nodiscard]] std::span<const FlowOption> flow_options();

/// The steps, inputs and output of a flow. `inputs` and `output` may be empty at first; a program that supplies the
/// files sets them before it runs the flow.
struct Flow {
  std::vector<std::string> inputs;
  std::string output;  ///< empty: none
  std::vector<Step> steps;
  std::map<std::string, std::string> options = {};  ///< values of `flow_options` by name
  std::vector<std::string> taps = {};               ///< "N=FILE": the traces after operation N are also written to FILE

  friend bool operator==(const Flow&, const Flow&) = default;
};

}  // namespace sill::flow
