// sill merge: merges several files into one.
#include "sill/survey/merge/merge.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"

namespace sill::cli {
namespace {

struct MergeArguments {
  std::vector<std::string> files;
  std::string output;
  std::vector<std::string> rules;
  bool dry_run = false;
  OutputOptions output_options;
};

std::string history_of(const MergeArguments& options, std::size_t files) {
  std::string text = fmt::format("SILL MERGE {} FILES", files);
  for (const std::string& rule : options.rules) text += " " + rule;
  return text;
}

std::string conflicts_text(const MergeResult& result) {
  if (result.conflicts.empty()) return "  conflicts     none\n";
  std::string text;
  for (const MergeConflict& conflict : result.conflicts)
    text += fmt::format("  {:<13} {}\n                {}: {}\n", kind_of(conflict.property).name, conflict.found,
                        name_of(conflict.rule), conflict.does());
  return text;
}

nlohmann::json conflicts_json(const MergeResult& result) {
  nlohmann::json conflicts = nlohmann::json::array();
  for (const MergeConflict& conflict : result.conflicts)
    conflicts.push_back({{"conflict", kind_of(conflict.property).name},
                         {"found", conflict.found},
                         {"file", conflict.file},
                         {"rule", name_of(conflict.rule)}});
  return conflicts;
}

std::string summary_of(const MergeResult& result, const MergeArguments& options, std::size_t files, double seconds_s) {
  const char* const where = options.dry_run ? "would be merged" : "merged into ";
  std::string text = fmt::format("{} traces of {} input{} {}{}\n", format_count(result.traces),
                                 format_count(static_cast<std::int64_t>(files)), files == 1 ? "" : "s", where,
                                 options.dry_run ? "" : options.output);
  text += conflicts_text(result);
  if (result.dropped > 0) text += fmt::format("  omitted       {} traces\n", format_count(result.dropped));
  const segy::FileForm& form = result.form;
  text += fmt::format("  output        {}, {}-endian, {}, {}{} samples\n",
                      form.kind == segy::FileKind::segy ? fmt::format("SEG-Y revision {}", segy::name_of(form.revision))
                                                        : std::string("Seismic Unix"),
                      name_of(form.byte_order), segy::name_of(form.sample_format),
                      form.lengths_vary ? "different lengths, by default " : "", format_count(form.samples));
  if (result.samples.rounded > 0)
    text += fmt::format("  rounded       {} samples (largest relative error {:.3g})\n",
                        format_count(result.samples.rounded), result.samples.largest_relative_error);
  if (options.dry_run) return text + "  nothing was written";
  return text +
         fmt::format("  time          {} ({})", format_duration(seconds_s), format_rate(result.bytes, seconds_s));
}

int run_merge(Session& session, const MergeArguments& options) {
  // Standard output receives only the result of a dry run.
  MergeOptions wanted{.output = options.dry_run ? options.output : session.output(options.output),
                      .dry_run = options.dry_run};
  run_and_agree(session.comm(), [&] {
    if (options.output.empty() && !options.dry_run)
      throw usage_error("no output is named", "give -o OUT, or --dry-run to see only the conflicts");
    for (const std::string& rule : options.rules) wanted.rules.add(rule);
  });
  session.reserve_files(options.files, options.dry_run ? std::vector<std::string>{} : std::vector{wanted.output});
  const MergeInputs inputs = merge_inputs(session.resources(), options.files, wanted.rules);
  InputRules rules = session.rules();
  rules.may_differ = true;
  const InputSurvey reader(session, inputs.paths, rules);
  wanted.marks.renumber = options.output_options.renumber;
  if (options.output_options.history) wanted.marks.history = history_of(options, inputs.paths.size());
  const MergeResult result = merge(session.resources(), reader, inputs, wanted);
  // Only for a dry run: otherwise an earlier error has reported the conflict.
  const std::optional<Error> refused = attempt([&] { require_agreement(result.conflicts); });
  session.print(refused
                    ? fmt::format("{} traces of {} inputs cannot be merged with these rules\n{}  nothing was written{}",
                                  format_count(reader.traces()), inputs.paths.size(), conflicts_text(result),
                                  result.looked_for_repeats ? "" : "; traces were not compared")
                    : summary_of(result, options, inputs.paths.size(), session.seconds()));
  session.warn_of_lengths(result.deviating_traces);
  for (const std::string& note : result.notes) session.warn("note: " + note);
  session.finish({.traces_in = reader.traces(),
                  .traces_out = options.dry_run ? 0 : result.traces,
                  .words_changed = result.notes,
                  .more = {{"conflicts", conflicts_json(result)},
                           {"dropped", result.dropped},
                           {"bytes", result.bytes},
                           {"rounded", result.samples.rounded},
                           {"largest_relative_error", result.samples.largest_relative_error},
                           {"deviating_traces", result.deviating_traces},
                           {"dry_run", options.dry_run}}});
  run_and_agree(session.comm(), [&] {
    if (refused) throw *refused;
  });
  return 0;
}

}  // namespace

void add_merge(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "merge",
                  "Merge files into one survey\n"
                  "Each conflict between the files is resolved by a rule, or is an error.",
                  "  sill merge line1.sgy line2.sgy -o both.sgy\n"
                  "  sill merge 'shot_*.sgy' -o shots.sgy --renumber --history\n"
                  "  sill merge a.sgy b.sgy -o ab.sgy --on samples=pad,duplicates=drop\n"
                  "\n"
                  "Properties and their rules for --on, the default first (docs/merge.md):\n" +
                      merge_rules_table(),
                  run_merge);
  add_inputs({parser, command}, "IN", options->files, "SEG-Y or Seismic Unix files");
  parser.add_option(
      "-o,--output", options->output,
      "Output file, with the format and the file header of the first input; it appears when it is complete");
  parser
      .add_option("--on", options->rules,
                  "Rules for conflicts between inputs: PROPERTY=RULE, separated by commas (below)")
      ->type_name("PROPERTY=RULE,...")
      ->allow_extra_args(false);
  parser.add_flag("--dry-run", options->dry_run, "Show the conflicts and their resolution, and write nothing");
  add_output_options({parser, command}, options->output_options);
  add_map_option({parser, command});
}

}  // namespace sill::cli
