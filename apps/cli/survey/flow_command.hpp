// What `sill flow` and its recipes have in common: options, running a flow, printing what it did.
#pragma once

#include <string>
#include <vector>

#include "cli/command.hpp"
#include "sill/flow/value/flow.hpp"

namespace sill::cli {

/// How a flow is run, as the user wrote it.
struct FlowRunOptions {
  std::string format;
  std::string nonfinite = "stop";
  std::string memory;
  std::string scratch;
  bool clip = false;
  bool explain = false;
  bool dry_run = false;
  bool no_history = false;
};

/// Local. Adds these options, and those of inputs and maps that a flow heeds, to a command.
void add_flow_run_options(const NewCommand& command, FlowRunOptions& options);

/// Collective. Runs a flow and prints what it did; returns the exit code.
int run_flow_command(Session& session, const flow::Flow& wanted, const FlowRunOptions& options);

}  // namespace sill::cli
