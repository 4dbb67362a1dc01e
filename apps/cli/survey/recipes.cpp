// sill agc, sill filter, sill nmo, sill stack: flows of one operation, whose parameters are options.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/session.hpp"
#include "cli/survey/flow_command.hpp"
#include "sill/comm/agree.hpp"
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
};

// An option for each parameter of the operations, which share those of one name.
void add_parameters(CLI::App& parser, const std::vector<std::string>& operations, RecipeArguments& options) {
  std::vector<std::string_view> added;
  for (const std::string& name : operations)
    for (const flow::Parameter& parameter : flow::find_operation_type(name)->parameters) {
      if (std::ranges::find(added, parameter.name) != added.end()) continue;
      added.push_back(parameter.name);
      const std::string option = "--" + std::string(parameter.name);
      std::string text(parameter.text);
      if (parameter.is_flag) {
        parser.add_flag(option, options.flags[std::string(parameter.name)], text);
        continue;
      }
      text += fmt::format(": {}", parameter.form);
      if (!parameter.default_value.empty()) text += fmt::format("; default: {}", parameter.default_value);
      parser.add_option(option, options.values[std::string(parameter.name)], text);
    }
}

flow::Flow flow_of(const RecipeArguments& options) {
  flow::Step step{.operation = options.operation, .arguments = {}};
  for (const auto& [name, value] : options.values)
    if (!value.empty()) step.arguments.push_back({name, value, 0, 0});
  for (const auto& [name, is_set] : options.flags)
    if (is_set) step.arguments.push_back({name, "yes", 0, 0});
  // Through the inline form, to which errors then point.
  return {options.files, options.output, flow::parse_steps(flow::inline_text({step})), options.how.values,
          options.how.taps};
}

void add_recipe(CLI::App& program, Commands& commands, const std::string& name,
                const std::vector<std::string>& operations, const std::string& description,
                const std::string& example) {
  const auto [parser, command] = add_command(program, commands, name, description, example);
  auto options = std::make_shared<RecipeArguments>();
  add_inputs({parser, command}, "IN", options->files, "SEG-Y or Seismic Unix files, taken as one survey");
  parser.add_option("-o,--output", options->output, "The file; it appears when it is complete")->required();
  options->operation = operations.front();
  if (operations.size() > 1)
    parser.add_option("--type", options->operation, "The kind of filter")
        ->check(CLI::IsMember(operations))
        ->capture_default_str();
  add_parameters(parser, operations, *options);
  add_flow_run_options({parser, command}, options->how);
  command.run = [options](Session& session) {
    const flow::Flow wanted = run_and_agree(session.comm(), [&] { return flow_of(*options); });
    return run_flow_command(session, wanted, options->how);
  };
}

}  // namespace

void add_recipes(CLI::App& program, Commands& commands) {
  add_recipe(program, commands, "agc", {"agc"},
             "Divides samples by the amplitude around them: the operation agc of flow",
             "  sill agc shots.sgy -o gained.sgy --window 500ms\n");
  add_recipe(program, commands, "filter", {"bandpass", "lowpass", "highpass", "bandstop", "ormsby"},
             "Filters traces by frequency: the operations bandpass, lowpass, highpass, bandstop, ormsby of flow",
             "  sill filter shots.sgy -o band.sgy --f1 8Hz --f2 60Hz --zerophase\n"
             "  sill filter shots.sgy -o low.sgy --type lowpass --f 60Hz\n"
             "  sill filter shots.sgy -o band.sgy --type ormsby --corners 4,8,60,80Hz\n");
  add_recipe(program, commands, "nmo", {"nmo"}, "Corrects hyperbolic moveout: the operation nmo of flow",
             "  sill nmo cmp.sgy -o flat.sgy --velocity 2000m/s --stretch 50%\n");
  add_recipe(program, commands, "stack", {"stack"}, "Makes one trace of each gather: the operation stack of flow",
             "  sill stack flat.sgy -o stack.sgy --by cdp\n");
}

}  // namespace sill::cli
