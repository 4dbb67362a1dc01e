// sill flow: operations on the traces of a survey, one after another.
#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/operations/description.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/flow/run/run_flow.hpp"
#include "sill/flow/value/flow_text.hpp"
#include "sill/flow/value/recipe.hpp"

namespace sill::cli {
namespace {

struct FlowArguments {
  std::vector<std::string> files;
  std::string output;
  std::string steps;
  std::string format;
  std::string nonfinite = "stop";
  std::string memory;
  std::string scratch;
  std::string describe;
  bool list = false;
  bool clip = false;
  bool explain = false;
  bool dry_run = false;
  bool print_recipe = false;
  bool no_history = false;
};

bool is_recipe(const std::string& path) { return path.ends_with(".toml"); }

std::string text_of_all() {
  std::string text = "operations ('sill flow --describe NAME' explains one):\n";
  for (const flow::OperationType* type : flow::operation_types())
    text += fmt::format("  {:<13}{}\n", type->name, type->summary);
  return text;
}

flow::Flow flow_of(const FlowArguments& options) {
  flow::Flow wanted;
  if (options.files.size() == 1 && is_recipe(options.files.front())) {
    const std::string& path = options.files.front();
    std::ifstream file(path);
    if (!file) throw system_error(errno, "open", {.file = path});
    wanted = flow::parse_recipe(std::string(std::istreambuf_iterator<char>(file), {}), path);
    if (!options.steps.empty())
      throw Error({.code = ErrorCode::usage,
                   .problem = "the recipe has operations, and so has --do",
                   .action = "leave one away"});
  } else {
    wanted.inputs = options.files;
    wanted.steps = flow::parse_steps(options.steps);
  }
  if (!options.output.empty()) wanted.output = options.output;
  if (wanted.inputs.empty())
    throw Error({.code = ErrorCode::usage,
                 .problem = "no input is named",
                 .action = "name files, or a recipe with the key input"});
  if (wanted.output.empty() && !options.dry_run && !options.print_recipe)
    throw Error({.code = ErrorCode::usage,
                 .problem = "no output is named",
                 .action = "give -o FILE, or --dry-run to see the plan"});
  return wanted;
}

int run(Session& session, const FlowArguments& options) {
  if (options.list || !options.describe.empty()) {
    const std::string text = run_and_agree(session.comm(), [&] {
      if (options.list) return text_of_all();
      const flow::OperationType* const type = flow::find_operation_type(options.describe);
      if (type == nullptr) (void)flow::parse_steps(options.describe);
      return flow::description_of(*type);
    });
    session.print(text);
    session.finish({});
    return 0;
  }
  const flow::Flow wanted = run_and_agree(session.comm(), [&] {
    session.bound_memory(options.memory);
    return flow_of(options);
  });
  if (options.print_recipe) {
    session.print(flow::recipe_text(wanted));
    session.finish({});
    return 0;
  }
  flow::FlowOptions how;
  if (!options.dry_run) how.output = session.output(wanted.output);
  if (!options.format.empty()) how.format = segy::sample_format_from_word(options.format);
  how.rules.clip = options.clip;
  how.nonfinite = options.nonfinite == "zero"   ? flow::NonFinite::zero
                  : options.nonfinite == "keep" ? flow::NonFinite::keep
                                                : flow::NonFinite::stop;
  how.history = !options.no_history;
  how.scratch = options.scratch;
  how.dry_run = options.dry_run;
  if (options.explain || options.dry_run) how.explain = [&](const std::string& plan) { session.print(plan); };
  session.reserve_files(wanted.inputs, how.output.empty() ? std::vector<std::string>{} : std::vector{how.output});
  const SurveyReader reader(session.resources(), wanted.inputs, session.map(), session.rules());
  session.report_diagnostics(reader.files());
  const flow::FlowResult result = flow::run_flow(session.resources(), reader, wanted.steps, how);
  if (!options.dry_run) {
    std::string text = fmt::format("{} traces of {} samples into {}\n", format_count(result.traces_out),
                                   format_count(result.samples_out), wanted.output);
    text += fmt::format("  read          {} traces, in {} pass{}\n", format_count(result.traces_in), result.passes,
                        result.passes == 1 ? "" : "es");
    if (result.zeroed > 0)
      text += fmt::format("  zeroed        {} samples that were not finite\n", format_count(result.zeroed));
    if (result.samples.clipped > 0)
      text += fmt::format("  clipped       {} samples\n", format_count(result.samples.clipped));
    for (const std::string& note : result.notes) text += fmt::format("  note          {}\n", note);
    text += fmt::format("  time          {} ({})", format_duration(session.seconds()),
                        format_rate(result.bytes_out, session.seconds()));
    session.print(text);
  }
  Done done;
  done.traces_in = result.traces_in;
  done.traces_out = result.traces_out;
  done.more = {{"passes", result.passes}, {"flow", flow::inline_text(wanted.steps)}};
  session.finish(done);
  return 0;
}

}  // namespace

void add_flow(CLI::App& program, Commands& commands) {
  const auto [parser, command] =
      add_command(program, commands, "flow", "Applies processing operations to a survey, one after another",
                  "  sill flow shots.sgy -o out.sgy --do 'agc 500ms; mute top at=300ms ramp=50ms'\n"
                  "  sill flow shots.sgy -o stack.sgy --do 'sort cdp,offset; nmo velocity=@v.csv; stack by=cdp'\n"
                  "  sill flow recipe.toml --explain\n"
                  "  sill flow --describe agc\n");
  auto options = std::make_shared<FlowArguments>();
  add_inputs({parser, command}, "IN", options->files,
             "SEG-Y or Seismic Unix files, taken as one survey; or a recipe, a file that ends with .toml")
      .required(false);
  parser.add_option("-o,--output", options->output, "The file; it appears when it is complete");
  parser.add_option("--do", options->steps,
                    "Operations, separated by ';', each a name, up to two values, and KEY=VALUE");
  parser.add_flag("--list", options->list, "Print the operations there are");
  parser.add_option("--describe", options->describe, "Print formula, parameters and units of an operation");
  parser.add_option("--sample-format", options->format, "Sample format of the output; default: that of the input")
      ->check(CLI::IsMember(segy::words_of_sample_formats(2)));
  parser.add_flag("--clip", options->clip, "Write the nearest value that the sample format has for samples beyond it");
  parser
      .add_option("--nonfinite", options->nonfinite,
                  "What to do with samples that are NaN or infinite, when an operation reads them: stop with an error, "
                  "take them as 0, or compute with them")
      ->check(CLI::IsMember({"stop", "zero", "keep"}))
      ->capture_default_str();
  parser.add_option("--memory", options->memory,
                    "Bound of what a rank holds of traces in flight, such as 512M; default: a quarter of what the "
                    "process may use, shared by the ranks of the node");
  parser.add_option("--scratch", options->scratch,
                    "Folder of the files between passes, if there are several; default: that of the output");
  parser.add_flag("--explain", options->explain, "Print the plan: passes, their order, and why");
  parser.add_flag("--dry-run", options->dry_run, "Print the plan and stop");
  parser.add_flag("--print-recipe", options->print_recipe, "Print the flow as a recipe and stop");
  parser.add_flag("--no-history", options->no_history, "Write no lines about the flow into the text header");
  add_map_option({parser, command});
  command.run = [options](Session& session) { return run(session, *options); };
}

}  // namespace sill::cli
