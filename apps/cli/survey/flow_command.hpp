// The common elements of `sill flow` and its recipes: options, running a flow, printing its results.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "sill/flow/value/flow.hpp"

namespace sill::cli {

/// Options for running a flow on the command line.
struct FlowRunOptions {
  std::map<std::string, std::string> values;  ///< specified values of flow::flow_options, for Flow::options
  std::vector<std::string> taps;              ///< values of `Flow::taps`
  std::vector<std::string> read_files = {};   ///< other files that no output may replace, such as a recipe
  bool explain = false;
  bool dry_run = false;
};

/// Local. Adds the options of FlowRunOptions to a command, and the options for inputs and header maps that a flow uses.
void add_flow_run_options(const NewCommand& command, FlowRunOptions& options);

/// Collective. Runs a flow, whose options are set, and prints its results. Returns the exit code.
int run_flow_command(Session& session, const flow::Flow& wanted, const FlowRunOptions& options);

}  // namespace sill::cli
