#include "cli/survey/flow_command.hpp"

#include <fmt/format.h>

#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/run/run_flow.hpp"
#include "sill/flow/value/flow_text.hpp"

namespace sill::cli {

void add_flow_run_options(const NewCommand& command, FlowRunOptions& options) {
  CLI::App& parser = command.parser;
  parser.add_option("--sample-format", options.format, "Sample format of the output; default: that of the input")
      ->check(CLI::IsMember(segy::words_of_sample_formats(2)));
  parser.add_flag("--clip", options.clip, "Write the nearest value that the sample format has for samples beyond it");
  parser
      .add_option("--nonfinite", options.nonfinite,
                  "What to do with samples that are NaN or infinite, when an operation reads them: stop with an error, "
                  "take them as 0, or compute with them")
      ->check(CLI::IsMember({"stop", "zero", "keep"}))
      ->capture_default_str();
  parser.add_option("--memory", options.memory,
                    "Bound of what a rank holds of traces in flight, such as 512M; default: a quarter of what the "
                    "process may use, shared by the ranks of the node");
  parser.add_option("--scratch", options.scratch,
                    "Folder of the files between passes, if there are several; default: that of the output");
  parser.add_flag("--explain", options.explain, "Print the plan: passes, their order, and why");
  parser.add_flag("--dry-run", options.dry_run, "Print the plan and stop");
  parser.add_flag("--no-history", options.no_history, "Write no lines about the flow into the text header");
  add_map_option(command);
}

int run_flow_command(Session& session, const flow::Flow& wanted, const FlowRunOptions& options) {
  run_and_agree(session.comm(), [&] { session.bound_memory(options.memory); });
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

}  // namespace sill::cli
