// What `sill flow` and its recipes have in common: options, running a flow, printing what it did.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/command.hpp"
#include "sill/flow/value/flow.hpp"

namespace sill::cli {

/// What is said about a run of a flow on the command line.
struct FlowRunOptions {
  std::map<std::string, std::string> values;  ///< of flow::flow_options, where given; for Flow::options
  std::vector<std::string> taps;              ///< for Flow::taps
  std::vector<std::string> read_files = {};   ///< apart from inputs and tables: a recipe, which no output may replace
  bool explain = false;
  bool dry_run = false;
};

/// Local. Adds these options, and those of inputs and maps that a flow heeds, to a command.
void add_flow_run_options(const NewCommand& command, FlowRunOptions& options);

/// Collective. Runs a flow, whose options are set, and prints what it did; returns the exit code.
int run_flow_command(Session& session, const flow::Flow& wanted, const FlowRunOptions& options);

}  // namespace sill::cli
