// One output for each input, of commands that make one file of one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/session.hpp"

namespace sill::cli {

/// Local. How `-o` names an output for each input, as the last sentence of its help.
[[nodiscard]] std::string each_output_grammar();

/// Inputs that become one output.
struct InputsOfOutput {
  std::vector<std::string> inputs;
  std::string output;
};

/// Local. Returns `inputs` with an output for each where `given` is a folder (it ends with / or is one), in which they
/// keep their names, or has a place {file}, which is the name of an input without folder and ending; or else all with
/// `given`. Errors: usage if two outputs would have one name, or for standard input.
[[nodiscard]] std::vector<InputsOfOutput> outputs_of(const std::vector<std::string>& inputs, const std::string& given);

/// Collective. Calls `work` for each of `all` in turn. Where there are several, one that fails is reported and the
/// others are done. Returns the exit code of the last that failed, or 0. Errors: of `work` for a single one.
int for_each_output(Session& session, const std::vector<InputsOfOutput>& all,
                    const std::function<void(const InputsOfOutput&)>& work);

}  // namespace sill::cli
