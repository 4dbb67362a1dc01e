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
                    "N=FILE: also write the traces after operation N to this file; may be repeated");
  parser.add_flag("--explain", options.explain, "Print the plan: the passes, their order, and the reasons");
  parser.add_flag("--dry-run", options.dry_run, "Print the plan and stop");
  add_map_option(command);
}

namespace {

// The file for the traces after the first `operations` operations.
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
      throw usage_error(fmt::format("--tap {}: the operation does not exist, or no file is named", text),
                        fmt::format("write N=FILE with N from 1 to {}", operations));
    Tap& tap = taps.emplace_back(Tap{number, text.substr(equals + 1)});
    if (tap.output == "-" || NamePattern::has_places(tap.output))
      throw usage_error(fmt::format("--tap {}: a tap writes one file, which needs a name", text), "write N=FILE");
  }
  return taps;
}

// Inputs of one shape, and their output.
struct ShapeGroup {
  std::vector<std::string> inputs;
  std::string output;
};

// Returns the pattern with values in place of `samples` and `interval`; `split` replaces the other placeholders.
std::string with_shape(const std::string& pattern, const segy::FileDescription& file) {
  const std::array<std::pair<std::string_view, std::string>, 2> values{
      std::pair{"samples", fmt::format("{}", file.samples)},
      std::pair{"interval", fmt::format("{}", file.interval_us)}};
  const std::vector<NamePattern::Place> places = NamePattern::places_in(pattern);
  for (const auto& [name, value] : values)
    if (std::ranges::find(places, name, [](const auto& place) { return place.key.value_or(""); }) == places.end())
      throw usage_error(
          fmt::format("the output '{}' does not contain {{{}}}, which --group shape needs", pattern, name),
          "write it as 'out_{samples}_{interval}.sgy'");
  std::string filled;
  for (const NamePattern::Place& place : places) {
    filled += place.text;
    if (!place.key) continue;
    const auto found = std::ranges::find(values, *place.key, &std::pair<std::string_view, std::string>::first);
    if (found != values.end())
      filled += fmt::format("{:0>{}}", found->second, place.digits);
    else
      filled +=
          place.digits > 0 ? fmt::format("{{{}:0{}}}", *place.key, place.digits) : fmt::format("{{{}}}", *place.key);
  }
  return filled;
}

// Collective. Groups the inputs by number of samples, interval and sample format, in the order of first occurrence.
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
      throw usage_error(
          fmt::format("inputs with different sample formats would be written to one file, {}", group.output),
          "convert them to one format first, or run the flow on each", {.file = group.inputs.front()});
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
    text += fmt::format("  zeroed        {} samples that were NaN or infinite\n", format_count(result.zeroed));
  if (result.samples.clipped > 0)
    text += fmt::format("  clipped       {} samples\n", format_count(result.samples.clipped));
  for (const std::string& note : result.notes) text += fmt::format("  note          {}\n", note);
  return text;
}

// Returns the value of an option; empty if it was not given.
std::string option_of(const flow::Flow& wanted, const char* name) {
  const auto found = wanted.options.find(name);
  return found == wanted.options.end() ? std::string() : found->second;
}

// Local. Returns the options for a run, except its output.
flow::FlowOptions run_options_of(const flow::Flow& wanted) {
  const auto value = [&](const char* name) { return option_of(wanted, name); };
  flow::FlowOptions how;
  if (!value("sample-format").empty()) how.format = segy::sample_format_from_name(value("sample-format"));
  how.rules.clip = value("clip") == "yes";
  how.takes_auxiliary = value("auxiliary") == "process";
  how.rules.accept_loss = value("accept-loss") == "yes";
  how.scale = sample_scale_from(value("scale"));
  how.rules.nonfinite_to_zero = value("nonfinite") == "zero";
  how.nonfinite = value("nonfinite") == "zero"   ? flow::NonFinite::zero
                  : value("nonfinite") == "keep" ? flow::NonFinite::keep
                                                 : flow::NonFinite::stop;
  how.history = value("history") == "none"       ? flow::History::none
                : value("history") == "extended" ? flow::History::extended
                                                 : flow::History::text;
  if (value("sort-method") == "gather") how.sort_method = PermutationMethod::gather;
  if (value("sort-method") == "buckets") how.sort_method = PermutationMethod::buckets;
  how.scratch = value("scratch");
  how.resume = value("resume") == "yes";
  return how;
}

// A flow on the command line: runs once for each group of inputs, and once more for each tap.
class FlowCommand {
 public:
  FlowCommand(Session& session, const flow::Flow& wanted, const FlowRunOptions& options)
      : session_(session), wanted_(wanted), options_(options), groups_{{wanted.inputs, wanted.output}} {}

  int run() {
    run_and_agree(session_.comm(), [&] {
      session_.bound_memory(option_of(wanted_, "memory"));
      how_ = run_options_of(wanted_);
      taps_ = taps_of(wanted_.taps, wanted_.steps.size());
    });
    how_.dry_run = options_.dry_run;
    how_.map = session_.map();
    how_.input_rules = session_.rules();
    if (wanted_.output == "-" && how_.scratch.empty()) how_.scratch = std::filesystem::temp_directory_path().string();
    if (options_.explain || options_.dry_run) how_.explain = [&](const std::string& plan) { session_.print(plan); };
    if (option_of(wanted_, "group") == "shape") divide_by_shape();
    reserve_files();
    // Errors that affect any run are found before the first run.
    if (groups_.size() > 1)
      for (const ShapeGroup& group : groups_) plan(group);
    for (const ShapeGroup& group : groups_) run_group(group);
    finish();
    return 0;
  }

 private:
  void divide_by_shape() {
    run_and_agree(session_.comm(), [&] {
      if (taps_.empty() && flow::files_written_by(wanted_.steps).empty()) return;
      throw usage_error("a tap or a table of an operation is one file, but --group shape runs the flow several times",
                        "omit one of them");
    });
    groups_ = groups_of(session_, wanted_);
  }

  void reserve_files() {
    std::vector<std::string> outputs;
    for (ShapeGroup& group : groups_) {
      if (options_.dry_run || group.output.empty()) continue;
      group.output = session_.output(group.output);
      if (!NamePattern::has_places(group.output)) outputs.push_back(group.output);
    }
    for (const Tap& tap : taps_) outputs.push_back(tap.output);
    std::ranges::copy(flow::files_written_by(wanted_.steps), std::back_inserter(outputs));
    std::vector<std::string> inputs = wanted_.inputs;
    inputs.insert(inputs.end(), options_.read_files.begin(), options_.read_files.end());
    for (const flow::Step& step : wanted_.steps)
      for (const flow::Argument& argument : step.arguments)
        if (argument.value.starts_with('@')) inputs.push_back(argument.value.substr(1));
    session_.reserve_files(inputs, outputs);
    how_.others = session_.reserved();
  }

  void plan(const ShapeGroup& group) {
    flow::FlowOptions to_plan = how_;
    to_plan.output = group.output;
    to_plan.dry_run = true;
    to_plan.explain = {};
    const SurveyReader reader(session_.resources(), group.inputs, session_.map(), session_.rules());
    (void)flow::run_flow(session_.resources(), reader, wanted_.steps, to_plan);
  }

  void run_group(const ShapeGroup& group) {
    const InputSurvey reader(session_, group.inputs);
    write_taps(reader);
    how_.output = group.output;
    if (!group.output.empty() || options_.dry_run || taps_.empty() || flow::report_anything(wanted_.steps)) {
      const flow::FlowResult result = flow::run_flow(session_.resources(), reader, wanted_.steps, how_);
      text_ += summary_of(result, group.output);
      done_.traces_in += result.traces_in;
      done_.traces_out += result.traces_out;
      bytes_ += result.bytes_out;
      passes_ += result.passes;
      for (const std::string& note : result.notes)
        notes_.push_back(groups_.size() > 1 ? fmt::format("{}: {}", group.inputs.front(), note) : note);
      for (const SplitFile& file : result.files) files_.push_back({{"file", file.path}, {"traces", file.traces}});
    }
  }

  // Taps are written before the output, which remains unchanged if a tap fails.
  void write_taps(const SurveyReader& reader) {
    if (options_.dry_run) return;
    for (const Tap& tap : taps_) {
      flow::FlowOptions to_tap = how_;
      to_tap.output = tap.output;
      to_tap.explain = {};
      const auto end = wanted_.steps.begin() + static_cast<std::ptrdiff_t>(tap.operations);
      text_ +=
          summary_of(flow::run_flow(session_.resources(), reader, {wanted_.steps.begin(), end}, to_tap), tap.output);
    }
  }

  void finish() {
    text_ += fmt::format("  time          {}", format_duration(session_.seconds()));
    if (bytes_ > 0) text_ += fmt::format(" ({})", format_rate(bytes_, session_.seconds()));
    if (!options_.dry_run) session_.print(text_);
    done_.more = {{"passes", passes_}, {"flow", flow::inline_text(wanted_.steps)}, {"notes", notes_}};
    if (!files_.empty()) done_.more["files"] = std::move(files_);
    session_.finish(done_);
  }

  Session& session_;
  const flow::Flow& wanted_;
  const FlowRunOptions& options_;
  flow::FlowOptions how_;
  std::vector<Tap> taps_;
  std::vector<ShapeGroup> groups_;
  // Totals of all runs.
  Done done_;
  nlohmann::json files_ = nlohmann::json::array();
  std::int64_t bytes_ = 0;
  std::int64_t passes_ = 0;
  std::vector<std::string> notes_;
  std::string text_;
};

}  // namespace

int run_flow_command(Session& session, const flow::Flow& wanted, const FlowRunOptions& options) {
  return FlowCommand(session, wanted, options).run();
}

}  // namespace sill::cli
