// sill agc, sill filter, sill nmo, sill velan, sill stack: flows of one operation, whose parameters are options.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/session.hpp"
#include "cli/survey/flow_command.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operations/description.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/flow/value/flow_text.hpp"

namespace sill::cli {
namespace {

struct RecipeArguments {
  std::vector<std::string> files;
  std::string output;
  std::string operation;
  std::map<std::string, std::string> values;
  std::map<std::string, bool> flags;
  FlowRunOptions how;
  // For stacks by angles of incidence.
  std::string angles;
  std::string velocity_kind;
  std::string velocities;
  std::string location;
  std::string taper;
  bool corrects_moveout = false;
};

std::string without_blanks(std::string_view text) {
  std::string result(text);
  std::erase(result, ' ');
  return result;
}

std::string option_of(std::string_view parameter) { return fmt::format("--{}", parameter); }

// As `option_of`, for stacks by angles of incidence.
std::string angle_option_of(std::string_view parameter) {
  static const std::map<std::string_view, std::string_view> options{
      {"ranges", "--angles"}, {"kind", "--velocity"}, {"velocity", "--velocity-file"}};
  const auto found = options.find(parameter);
  return found != options.end() ? std::string(found->second) : option_of(parameter);
}

// Adds an option for each parameter of the operations, which share parameters of the same name.
void add_parameters(CLI::App& parser, const std::vector<std::string>& operations, RecipeArguments& options) {
  std::vector<std::string_view> added;
  for (const std::string& name : operations)
    for (const flow::Parameter& parameter : flow::find_operation_type(name)->parameters) {
      if (std::ranges::find(added, parameter.name) != added.end()) continue;
      added.push_back(parameter.name);
      const std::string option = "--" + std::string(parameter.name);
      flow::Parameter shown = parameter;
      if (shown.default_value == flow::NamedKeys::parameter().default_value)
        shown.default_value = {};  // no sort precedes
      const bool is_required = shown.default_value.empty() && !shown.is_flag && operations.size() == 1;
      std::string text = is_required ? std::string(shown.text) : flow::text_of(shown);
      std::vector<std::string> with;
      std::vector<std::string> without;
      std::set<std::string> forms;
      for (const std::string& type : operations) {
        const std::vector<flow::Parameter>& all = flow::find_operation_type(type)->parameters;
        const auto found = std::ranges::find(all, parameter.name, &flow::Parameter::name);
        (found != all.end() ? with : without).push_back(type);
        if (found != all.end()) forms.insert(without_blanks(found->form));
      }
      if (!without.empty())
        text += with.size() > without.size() ? fmt::format(". Not with --type {}", fmt::join(without, ", "))
                                             : fmt::format(". Only with --type {}", fmt::join(with, ", "));
      if (parameter.is_flag) {
        parser.add_flag(option, options.flags[std::string(parameter.name)], text);
        continue;
      }
      parser.add_option(option, options.values[std::string(parameter.name)], text)
          ->type_name(fmt::format("{}", fmt::join(forms, "|")))
          ->required(is_required);
    }
}

flow::Step step_of(std::string operation, const std::vector<std::pair<std::string, std::string>>& arguments) {
  flow::Step step{.operation = std::move(operation), .arguments = {}};
  for (const auto& [name, value] : arguments)
    if (!value.empty()) step.arguments.push_back({name, value, 0, 0});
  return step;
}

// Returns the steps with their arguments in the order of the parameters. Errors about them do not quote the inline
// form, and name options.
std::vector<flow::Step> ordered(const std::vector<flow::Step>& steps, std::string (*name_of)(std::string_view)) {
  std::vector<flow::Step> ordered = flow::parse_steps(flow::inline_text(steps));
  for (flow::Step& step : ordered) {
    step.text = nullptr;
    step.option_of = name_of;
  }
  return ordered;
}

// Returns a flow with a stack for each range of angles. The placeholder {angle} of the output stands for the angle.
flow::Flow angle_stack_of(const RecipeArguments& options) {
  const auto refuse = [](const std::string& problem, const std::string& action) { throw usage_error(problem, action); };
  if (options.velocity_kind.empty() || options.velocities.empty())
    refuse("--angles needs velocities", "give --velocity rms --velocity-file FILE");
  for (const auto& [name, value] : options.values)
    if (!value.empty() && name != "by")
      refuse(fmt::format("--{} applies to stacks of all angles, but --angles is given", name),
             fmt::format("omit --{}", name));
  const std::string velocities = "@" + options.velocities;
  flow::Flow wanted{options.files, options.output, {}, options.how.values, options.how.taps};
  if (options.corrects_moveout) {
    if (options.velocity_kind != "rms") refuse("the moveout correction needs rms velocities", "give --velocity rms");
    wanted.steps.push_back(step_of("nmo", {{"velocity", velocities}, {"location", options.location}}));
  }
  wanted.steps.push_back(step_of("anglestack", {{"ranges", options.angles},
                                                {"velocity", velocities},
                                                {"kind", options.velocity_kind},
                                                {"location", options.location},
                                                {"taper", options.taper},
                                                {"by", options.values.at("by")}}));
  wanted.steps = ordered(wanted.steps, angle_option_of);
  // The offset word of each trace contains its angle.
  constexpr std::string_view place = "{angle}";
  if (const std::size_t at = wanted.output.find(place); at != std::string::npos)
    wanted.output.replace(at, place.size(), "{offset}");
  return wanted;
}

flow::Flow flow_of(const RecipeArguments& options) {
  if (!options.angles.empty()) return angle_stack_of(options);
  const bool has_some = !options.velocity_kind.empty() || !options.velocities.empty() || !options.location.empty() ||
                        !options.taper.empty() || options.corrects_moveout;
  if (has_some)
    throw usage_error("velocities and tapers apply to stacks by angles, but --angles is missing",
                      "give --angles 5-15,15-25");
  flow::Step step = step_of(options.operation, {options.values.begin(), options.values.end()});
  for (const auto& [name, is_set] : options.flags)
    if (is_set) step.arguments.push_back({name, "yes", 0, 0});
  const std::vector<flow::Parameter>& known = flow::find_operation_type(options.operation)->parameters;
  for (const flow::Argument& argument : step.arguments)
    if (std::ranges::find(known, argument.key, &flow::Parameter::name) == known.end())
      throw usage_error(fmt::format("--{} does not apply to --type {}", argument.key, options.operation),
                        "omit it, or choose another --type");
  return {options.files, options.output, ordered({step}, option_of), options.how.values, options.how.taps};
}

std::shared_ptr<RecipeArguments> add_recipe(CLI::App& program, Commands& commands, const std::string& name,
                                            const std::vector<std::string>& operations, const std::string& description,
                                            const std::string& example) {
  const auto [parser, command] = add_command(program, commands, name, description, example);
  auto options = std::make_shared<RecipeArguments>();
  add_inputs({parser, command}, "IN", options->files, "SEG-Y or Seismic Unix files, read as one survey");
  parser.add_option("-o,--output", options->output, "Output file; it appears when it is complete")->required();
  options->operation = operations.front();
  if (operations.size() > 1) add_choice(parser, "--type", options->operation, operations, "Kind of filter");
  add_parameters(parser, operations, *options);
  add_flow_run_options({parser, command}, options->how);
  command.run = [options](Session& session) {
    const flow::Flow wanted = run_and_agree(session.comm(), [&] { return flow_of(*options); });
    return run_flow_command(session, wanted, options->how);
  };
  return options;
}

void add_angle_options(CLI::App& parser, RecipeArguments& options) {
  parser.add_option("--angles", options.angles,
                    "Make one stack per range of angles of incidence, in degrees, such as 5-15,15-25; {angle} in the "
                    "name of the output is replaced with the middle of the range");
  add_choice(parser, "--velocity", options.velocity_kind, {"rms", "interval"},
             "With --angles: kind of the velocities in the file");
  parser.add_option(
      "--velocity-file", options.velocities,
      "With --angles: file with the velocities: a survey (recognized by the ending of its name), or a table "
      "in the form that nmo reads");
  parser.add_option("--location", options.location,
                    "With --angles: header word, or keys, of the locations in the velocity file. Default: cdp");
  parser.add_option(
      "--taper", options.taper,
      "With --angles: width in degrees of the taper outside each end of a range, in which the weight falls to 0");
  parser.add_flag("--nmo", options.corrects_moveout,
                  "With --angles: apply normal moveout correction first, with the same velocities");
}

}  // namespace

void add_recipes(CLI::App& program, Commands& commands) {
  add_recipe(program, commands, "agc", {"agc"}, "Apply automatic gain control\nRuns the operation agc of `sill flow`.",
             "  sill agc shots.sgy -o gained.sgy --window 500ms\n"
             "  sill agc shots.sgy -o gained.sgy --window 1s --kind median --floor 10%\n"
             "  mpiexec -n 4 sill agc shots.sgy -o gained.sgy --window 500ms --sample-format ieee\n");
  add_recipe(
      program, commands, "filter", {"bandpass", "lowpass", "highpass", "bandstop", "ormsby"},
      "Filter traces by frequency\nRuns the operation bandpass, lowpass, highpass, bandstop or ormsby of `sill flow`.",
      "  sill filter shots.sgy -o band.sgy --f1 8Hz --f2 60Hz --zerophase\n"
      "  sill filter shots.sgy -o low.sgy --type lowpass --f 60Hz\n"
      "  sill filter shots.sgy -o band.sgy --type ormsby --corners 4,8,60,80Hz\n");
  add_recipe(program, commands, "nmo", {"nmo"}, "Correct for normal moveout\nRuns the operation nmo of `sill flow`.",
             "  sill nmo cmp.sgy -o flat.sgy --velocity 2000m/s --stretch 50%\n"
             "  sill nmo cmp.sgy -o flat.sgy --velocity @v.csv --stretch 50% --ramp 40ms\n"
             "  sill nmo flat.sgy -o again.sgy --velocity @v.csv --inverse\n");
  add_recipe(program, commands, "velan", {"semblance"},
             "Analyze velocities: compute panels of semblance, and pick velocities\nRuns the operation semblance of "
             "`sill flow`.",
             "  sill velan cmp.sgy -o panels.sgy --by cdp --from 1500m/s --to 4000m/s --step 25m/s --picks "
             "picks.csv\n"
             "  sill view panels.sgy -o panels.png --gather cdp=1200 --picks picks.csv\n"
             "  sill nmo cmp.sgy -o flat.sgy --velocity @picks.csv --stretch 50%\n");
  const auto stack =
      add_recipe(program, commands, "stack", {"stack"},
                 "Stack gathers\nRuns the operation stack of `sill flow`, or anglestack with --angles.",
                 "  sill stack flat.sgy -o stack.sgy --by cdp\n"
                 "  sill stack flat.sgy -o stack.sgy --by cdp --method diversity --gate 300ms\n"
                 "  sill stack flat.sgy -o 'a_{angle}.sgy' --by cdp --velocity rms --velocity-file v.sgy "
                 "--angles 5-15,15-25\n");
  add_angle_options(*program.get_subcommand("stack"), *stack);
}

}  // namespace sill::cli
