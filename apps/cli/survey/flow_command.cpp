#include "cli/survey/flow_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <tuple>

#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/operations/operation_types.hpp"
#include "sill/flow/run/run_flow.hpp"
#include "sill/flow/value/flow_text.hpp"
#include "sill/survey/select/name_pattern.hpp"

namespace sill::cli {

void add_flow_run_options(const NewCommand& command, FlowRunOptions& options) {
  CLI::App& parser = command.parser;
  for (const flow::FlowOption& option : flow::flow_options()) {
    const auto take = [&options, name = std::string(option.name)](const std::string& value) {
      options.values[name] = value;
    };
    const std::string name = fmt::format("--{}", option.name);
    const std::string text(option.text);
    if (std::ranges::find(option.values, "yes") != option.values.end()) {
      parser.add_flag_callback(
          name, [take] { take("yes"); }, text);
      continue;
    }
    CLI::Option* const added = parser.add_option_function<std::string>(name, take, text);
    if (!option.values.empty())
      added->check(CLI::IsMember(std::vector<std::string>(option.values.begin(), option.values.end())));
  }
  parser.add_option("--tap", options.taps,
                    "N=FILE: write what there is after operation N into a file of its own, too; may be repeated");
  parser.add_flag("--explain", options.explain, "Print the plan: passes, their order, and why");
  parser.add_flag("--dry-run", options.dry_run, "Print the plan and stop");
  add_map_option(command);
}

namespace {

// What there is after so many operations, and the file for it.
struct Tap {
  std::size_t operations = 0;
  std::string output;
};

std::vector<Tap> taps_of(const std::vector<std::string>& given, std::size_t operations) {
  std::vector<Tap> taps;
  for (const std::string& text : given) {
    const std::size_t equals = text.find('=');
    std::size_t number = 0;
    const char* const end = text.data() + std::min(equals, text.size());
    const bool is_number = std::from_chars(text.data(), end, number).ptr == end;
    if (!is_number || number < 1 || number > operations || equals >= text.size() - 1)
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("--tap {}: there is no such operation, or no file", text),
                   .action = fmt::format("write N=FILE with N from 1 to {}", operations)});
    Tap& tap = taps.emplace_back(Tap{number, text.substr(equals + 1)});
    if (tap.output == "-" || NamePattern::has_places(tap.output))
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("--tap {}: a tap writes one file with a name", text),
                   .action = "write N=FILE"});
  }
  return taps;
}

// Inputs of one shape, and the output for them.
struct ShapeGroup {
  std::vector<std::string> inputs;
  std::string output;
};

std::string with_shape(std::string pattern, const segy::FileDescription& file) {
  const std::array<std::pair<std::string_view, std::string>, 2> places{
      std::pair{"{samples}", fmt::format("{}", file.samples)},
      std::pair{"{interval}", fmt::format("{}", file.interval_us)}};
  for (const auto& [place, value] : places) {
    std::size_t at = pattern.find(place);
    if (at == std::string::npos)
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("the output '{}' has no place {}, which --group shape needs", pattern, place),
                   .action = "write it as 'out_{samples}_{interval}.sgy'"});
    for (; at != std::string::npos; at = pattern.find(place, at)) pattern.replace(at, place.size(), value);
  }
  return pattern;
}

// Collective. The inputs by number of samples, interval and sample format, in the order in which these first occur.
std::vector<ShapeGroup> groups_of(Session& session, const flow::Flow& wanted) {
  using Shape = std::tuple<std::int64_t, double, segy::SampleFormat>;
  std::vector<std::pair<Shape, ShapeGroup>> groups;
  for (const std::string& input : wanted.inputs) {
    const SurveyReader reader(session.resources(), {input}, session.map(), session.rules());
    const segy::FileDescription& file = reader.files().front();
    const Shape shape{file.samples, file.interval_us, file.sample_format};
    auto found = std::ranges::find(groups, shape, &std::pair<Shape, ShapeGroup>::first);
    if (found == groups.end()) {
      std::string output = run_and_agree(
          session.comm(), [&] { return wanted.output.empty() ? std::string() : with_shape(wanted.output, file); });
      found = groups.insert(groups.end(), {shape, {.inputs = {}, .output = std::move(output)}});
    }
    found->second.inputs.push_back(input);
  }
  std::vector<ShapeGroup> all;
  for (auto& [shape, group] : groups) {
    run_and_agree(session.comm(), [&] {
      if (group.output.empty() || std::ranges::find(all, group.output, &ShapeGroup::output) == all.end()) return;
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format("inputs of different sample formats would be written to one file, {}", group.output),
           .where = {.file = group.inputs.front()},
           .action = "convert them to one format first, or run the flow on each"});
    });
    all.push_back(std::move(group));
  }
  return all;
}

std::string summary_of(const flow::FlowResult& result, const std::string& output) {
  std::string text =
      fmt::format("{} traces of {} samples", format_count(result.traces_out), format_count(result.samples_out));
  text += output.empty()         ? ", not written\n"
          : result.files.empty() ? fmt::format(" into {}\n", output)
                                 : fmt::format(" into {} files, {} to {}\n", format_count(std::ssize(result.files)),
                                               result.files.front().path, result.files.back().path);
  text += fmt::format("  read          {} traces, in {} pass{}\n", format_count(result.traces_in), result.passes,
                      result.passes == 1 ? "" : "es");
  if (result.zeroed > 0)
    text += fmt::format("  zeroed        {} samples that were not finite\n", format_count(result.zeroed));
  if (result.samples.clipped > 0)
    text += fmt::format("  clipped       {} samples\n", format_count(result.samples.clipped));
  for (const std::string& note : result.notes) text += fmt::format("  note          {}\n", note);
  return text;
}

// Empty if it was not given.
std::string option_of(const flow::Flow& wanted, const char* name) {
  const auto found = wanted.options.find(name);
  return found == wanted.options.end() ? std::string() : found->second;
}

// Local. Options as a run takes them, whose output is still missing.
flow::FlowOptions run_options_of(const flow::Flow& wanted) {
  const auto value = [&](const char* name) { return option_of(wanted, name); };
  flow::FlowOptions how;
  if (!value("sample-format").empty()) how.format = segy::sample_format_from_word(value("sample-format"));
  how.rules.clip = value("clip") == "yes";
  how.nonfinite = value("nonfinite") == "zero"   ? flow::NonFinite::zero
                  : value("nonfinite") == "keep" ? flow::NonFinite::keep
                                                 : flow::NonFinite::stop;
  how.history = value("history") == "none"       ? flow::History::none
                : value("history") == "extended" ? flow::History::extended
                                                 : flow::History::text;
  how.reading = value("sort-method") == "gather"    ? flow::Reading::gather
                : value("sort-method") == "buckets" ? flow::Reading::buckets
                                                    : flow::Reading::automatic;
  how.scratch = value("scratch");
  return how;
}

}  // namespace

bool reports(std::span<const flow::Step> steps) {
  return std::ranges::any_of(steps, [](const flow::Step& step) {
    const flow::OperationType* const type = flow::find_operation_type(step.operation);
    return type != nullptr && type->reports;
  });
}

int run_flow_command(Session& session, const flow::Flow& wanted, const FlowRunOptions& options) {
  run_and_agree(session.comm(), [&] { session.bound_memory(option_of(wanted, "memory")); });
  flow::FlowOptions how = run_and_agree(session.comm(), [&] { return run_options_of(wanted); });
  how.dry_run = options.dry_run;
  if (wanted.output == "-" && how.scratch.empty()) how.scratch = std::filesystem::temp_directory_path().string();
  if (options.explain || options.dry_run) how.explain = [&](const std::string& plan) { session.print(plan); };
  const std::vector<Tap> taps =
      run_and_agree(session.comm(), [&] { return taps_of(options.taps, wanted.steps.size()); });
  std::vector<ShapeGroup> groups{{wanted.inputs, wanted.output}};
  if (option_of(wanted, "group") == "shape") {
    run_and_agree(session.comm(), [&] {
      if (taps.empty() && flow::files_written_by(wanted.steps).empty()) return;
      throw Error({.code = ErrorCode::usage,
                   .problem = "taps and tables of operations are one file, and --group shape makes several",
                   .action = "omit one of them"});
    });
    groups = groups_of(session, wanted);
  }
  std::vector<std::string> outputs;
  for (ShapeGroup& group : groups) {
    if (options.dry_run || group.output.empty()) continue;
    group.output = session.output(group.output);
    if (!NamePattern::has_places(group.output)) outputs.push_back(group.output);
  }
  for (const Tap& tap : taps) outputs.push_back(tap.output);
  std::ranges::copy(flow::files_written_by(wanted.steps), std::back_inserter(outputs));
  std::vector<std::string> inputs = wanted.inputs;
  inputs.insert(inputs.end(), options.read_files.begin(), options.read_files.end());
  for (const flow::Step& step : wanted.steps)
    for (const flow::Argument& argument : step.arguments)
      if (argument.value.starts_with('@')) inputs.push_back(argument.value.substr(1));
  session.reserve_files(inputs, outputs);
  how.others = session.reserved();
  Done done;
  nlohmann::json files = nlohmann::json::array();
  std::int64_t bytes = 0;
  std::int64_t passes = 0;
  std::vector<std::string> notes;
  std::string text;
  if (groups.size() > 1)
    // What no run can do is known before the first.
    for (const ShapeGroup& group : groups) {
      flow::FlowOptions to_plan = how;
      to_plan.output = group.output;
      to_plan.dry_run = true;
      to_plan.explain = {};
      const SurveyReader reader(session.resources(), group.inputs, session.map(), session.rules());
      (void)flow::run_flow(session.resources(), reader, wanted.steps, to_plan);
    }
  for (const ShapeGroup& group : groups) {
    const SurveyReader reader(session.resources(), group.inputs, session.map(), session.rules());
    session.report_diagnostics(reader.files());
    how.output = group.output;
    if (!group.output.empty() || options.dry_run || taps.empty() || reports(wanted.steps)) {
      const flow::FlowResult result = flow::run_flow(session.resources(), reader, wanted.steps, how);
      text += summary_of(result, group.output);
      done.traces_in += result.traces_in;
      done.traces_out += result.traces_out;
      bytes += result.bytes_out;
      passes += result.passes;
      for (const std::string& note : result.notes)
        notes.push_back(groups.size() > 1 ? fmt::format("{}: {}", group.inputs.front(), note) : note);
      for (const SplitFile& file : result.files) files.push_back({{"file", file.path}, {"traces", file.traces}});
    }
    for (const Tap& tap : taps) {
      if (options.dry_run) break;
      flow::FlowOptions to_tap = how;
      to_tap.output = tap.output;
      to_tap.explain = {};
      const std::vector<flow::Step> until(wanted.steps.begin(),
                                          wanted.steps.begin() + static_cast<std::ptrdiff_t>(tap.operations));
      text += summary_of(flow::run_flow(session.resources(), reader, until, to_tap), tap.output);
    }
  }
  text += fmt::format("  time          {}", format_duration(session.seconds()));
  if (bytes > 0) text += fmt::format(" ({})", format_rate(bytes, session.seconds()));
  if (!options.dry_run) session.print(text);
  done.more = {{"passes", passes}, {"flow", flow::inline_text(wanted.steps)}, {"notes", notes}};
  if (!files.empty()) done.more["files"] = std::move(files);
  session.finish(done);
  return 0;
}

}  // namespace sill::cli
