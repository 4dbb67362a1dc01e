// sill flow: operations on the traces of a survey, one after another.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/session.hpp"
#include "cli/survey/flow_command.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/operations/description.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/flow/value/flow_text.hpp"
#include "sill/flow/value/recipe.hpp"
#include "sill/io/files/small_text.hpp"

namespace sill::cli {
namespace {

struct FlowArguments {
  std::vector<std::string> files;
  std::string output;
  std::string steps;
  std::string describe;
  bool list = false;
  bool print_recipe = false;
  FlowRunOptions how;
};

constexpr std::int64_t max_recipe_bytes = std::int64_t{16} << 20;

bool is_recipe(const std::string& path) { return path.ends_with(".toml"); }

std::string text_of_operations() {
  std::string text = "operations ('sill flow --describe NAME' explains one):\n";
  for (const flow::OperationType* type : flow::operation_types())
    text += fmt::format("  {:<15}{}\n", type->name, type->summary);
  return text;
}

bool names_recipe(const FlowArguments& options) {
  return options.files.size() == 1 && is_recipe(options.files.front());
}

// Local. Returns the flow. `recipe` is the text of the recipe, if one is named.
flow::Flow flow_of(const FlowArguments& options, const std::string& recipe) {
  flow::Flow wanted;
  if (names_recipe(options)) {
    wanted = flow::parse_recipe(recipe, options.files.front());
    if (!options.steps.empty()) throw usage_error("both the recipe and --do give operations", "omit one of them");
  } else {
    wanted.inputs = options.files;
    wanted.steps = flow::parse_steps(options.steps);
  }
  if (!options.output.empty()) wanted.output = options.output;
  for (const auto& [name, value] : options.how.values) wanted.options[name] = value;
  wanted.taps.insert(wanted.taps.end(), options.how.taps.begin(), options.how.taps.end());
  if (wanted.inputs.empty()) throw usage_error("no input is named", "name files, or a recipe with the key input");
  const bool needs_output = !flow::report_anything(wanted.steps) && wanted.taps.empty();
  if (wanted.output.empty() && needs_output && !options.how.dry_run && !options.print_recipe)
    throw usage_error("no output is named, and no operation prints a report",
                      "give -o FILE, or --dry-run to see the plan");
  return wanted;
}

int run(Session& session, const FlowArguments& options) {
  if (options.list || !options.describe.empty()) {
    const std::string text = run_and_agree(session.comm(), [&] {
      if (options.list) return text_of_operations();
      const std::vector<flow::Step> named = flow::parse_steps(options.describe);
      if (named.size() != 1)
        throw usage_error("--describe needs the name of one operation", "'sill flow --list' lists all operations");
      return flow::description_of(*flow::find_operation_type(named.front().operation));
    });
    session.print(text);
    return session.finish();
  }
  std::string recipe;
  if (names_recipe(options))
    recipe = read_text_on_all_ranks(session.comm(), options.files.front(), max_recipe_bytes, "a recipe");
  flow::Flow wanted = run_and_agree(session.comm(), [&] { return flow_of(options, recipe); });
  if (options.print_recipe) {
    session.print(flow::recipe_text(wanted));
    return session.finish();
  }
  FlowRunOptions how = options.how;
  if (is_recipe(options.files.front())) {
    how.read_files = options.files;
    for (std::string& input : wanted.inputs) input = session.input(input);
  }
  return run_flow_command(session, wanted, how);
}

}  // namespace

void add_flow(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] = add_command(
      program, commands, "flow",
      "Process a survey with a sequence of operations\n`sill flow --list` lists the operations (docs/flow.md).",
      "  sill flow shots.sgy -o out.sgy --do 'agc 500ms; mute top at=300ms ramp=50ms'\n"
      "  sill flow shots.sgy -o stack.sgy --do 'sort cdp,offset; nmo velocity=@v.csv; stack by=cdp'\n"
      "  sill flow recipe.toml --explain\n",
      run);
  add_inputs({parser, command}, "IN", options->files,
             "SEG-Y or Seismic Unix files, read as one survey, or a recipe (NAME.toml)")
      .required(false);
  parser.add_option("-o,--output", options->output,
                    "Output file, which appears when it is complete; with {KEY} in its name, one file per value of "
                    "the keys, as in 'sill split'. Flows that only print reports (such as minmax) need no output");
  parser.add_option("--do", options->steps,
                    "Operations, separated by ';': each is a name, up to two values, and KEY=VALUE arguments");
  parser.add_flag("--list", options->list, "Print all operations");
  parser.add_option("--describe", options->describe, "Print the formula, parameters and units of an operation");
  parser.add_flag("--print-recipe", options->print_recipe, "Print the flow as a recipe and stop");
  add_flow_run_options({parser, command}, options->how);
}

}  // namespace sill::cli
