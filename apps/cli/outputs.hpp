// One output per input, for commands that make one file from one file.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "cli/session.hpp"

namespace sill::cli {

/// Local. Returns the last sentence of the help of `-o`, which explains how an output is named for each input.
[[nodiscard]] std::string each_output_grammar();

/// The inputs of one output.
struct InputsOfOutput {
  std::vector<std::string> inputs;
  std::string output;
};

/// Local. Returns an output for each of `inputs` if `given` is a folder (it ends with / or is one), or if it contains
/// {file}. In a folder, outputs keep the names of their inputs; {file} is replaced by the name of an input without
/// folder and ending. Otherwise returns one output `given` for all inputs. Errors: usage if two outputs would have the
/// same name, or for standard input.
[[nodiscard]] std::vector<InputsOfOutput> outputs_of(const std::vector<std::string>& inputs, const std::string& given);

/// Collective. Calls `work` for each of `all` in turn. If there are several, reports errors and continues. Returns the
/// exit code of the last one that failed, or 0. Errors: errors of `work` if there is only one.
int for_each_output(Session& session, const std::vector<InputsOfOutput>& all,
                    const std::function<void(const InputsOfOutput&)>& work);

}  // namespace sill::cli
