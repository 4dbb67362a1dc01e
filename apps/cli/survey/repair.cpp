// sill repair: repairs a damaged or inconsistent file in a new file.
#include "sill/survey/repair/repair.hpp"

#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/convert/file_form.hpp"

namespace sill::cli {
namespace {

struct RepairArguments {
  std::vector<std::string> files;
  std::string output;
  std::string last_trace;
  std::string byte_order;
  std::string revision;
  bool dry_run = false;
  OutputOptions output_options;
};

std::string history_of(const RepairArguments& options) {
  std::string text = "SILL REPAIR";
  if (!options.last_trace.empty()) text += " LAST TRACE " + options.last_trace;
  if (!options.byte_order.empty()) text += " BYTE ORDER " + options.byte_order;
  if (!options.revision.empty()) text += " REVISION " + options.revision;
  return text;
}

RepairOptions wanted_of(const RepairArguments& options) {
  RepairOptions wanted{.dry_run = options.dry_run};
  if (!options.byte_order.empty()) wanted.byte_order = options.byte_order == "big" ? ByteOrder::big : ByteOrder::little;
  if (!options.revision.empty()) wanted.revision = segy::parse_revision(options.revision);
  if (!options.last_trace.empty()) wanted.last_trace = options.last_trace == "drop" ? LastTrace::drop : LastTrace::pad;
  wanted.renumber = options.output_options.renumber;
  if (options.output_options.history) wanted.history = history_of(options);
  return wanted;
}

std::string text_of(const Repair& repair) {
  return fmt::format("{} ({}): {} -> {}", repair.what, repair.where, repair.before, repair.after);
}

// Returns an output for each input. Errors: usage if several files would have the same output.
std::vector<InputsOfOutput> repairs_of(const RepairArguments& options) {
  std::vector<InputsOfOutput> all = outputs_of(options.files, options.output);
  if (all.front().inputs.size() == 1) return all;
  throw usage_error(fmt::format("{} files are named, but only one output", options.files.size()),
                    "name a folder, a pattern such as '{file}_repaired.sgy', or repair the files one at a time");
}

std::string summary_of(const RepairResult& result, const RepairArguments& options, const std::string& output,
                       double seconds_s) {
  std::string text;
  const std::string count =
      result.repairs.empty() ? "nothing to repair"
                             : fmt::format("{} repair{}", result.repairs.size(), result.repairs.size() == 1 ? "" : "s");
  const char* const how =
      options.output_options.renumber || options.output_options.history ? "with the requested changes" : "unchanged";
  text += options.dry_run          ? count + "; nothing was written\n"
          : result.repairs.empty() ? fmt::format("{}; written to {} {}\n", count, output, how)
                                   : fmt::format("{}, into {}\n", count, output);
  for (const Repair& repair : result.repairs) text += fmt::format("  {}\n    {}\n", text_of(repair), repair.why);
  for (const Diagnostic& left : result.left)
    text +=
        fmt::format("  not repaired: {}: {} ({}): {}\n", name_of(left.grade), left.problem, left.where, left.action);
  if (result.traces_out >= 0)
    text += result.traces_in >= 0 && result.traces_in != result.traces_out
                ? fmt::format("  traces   {} -> {}\n", format_count(result.traces_in), format_count(result.traces_out))
                : fmt::format("  traces   {}\n", format_count(result.traces_out));
  text += fmt::format("  time     {}", format_duration(seconds_s));
  if (!options.dry_run) text += fmt::format(" ({})", format_rate(result.output_bytes, seconds_s));
  return text;
}

int run_repair(Session& session, const RepairArguments& options) {
  RepairOptions wanted;
  std::vector<InputsOfOutput> all;
  run_and_agree(session.comm(), [&] {
    wanted = wanted_of(options);
    all = repairs_of(options);
  });
  std::vector<std::string> outputs;
  // Standard output receives only the result of a dry run.
  for (InputsOfOutput& each : all)
    if (!options.dry_run) outputs.push_back(each.output = session.output(each.output));
  session.reserve_files(options.files, outputs);
  return session.finish_each_output(all, [&](const InputsOfOutput& each, Done& done) -> nlohmann::json {
    const double begin_s = session.seconds();
    wanted.input = each.inputs.front();
    wanted.output = each.output;
    const RepairResult result = repair(session.resources(), session.map(), session.rules(), wanted);
    session.print(
        (all.size() > 1 ? wanted.input + ": " : "") +
        summary_of(result, options, all.size() == 1 ? options.output : each.output, session.seconds() - begin_s));
    for (const std::string& note : result.notes) session.warn("note: " + note);
    // If a file was copied in text mode, only the number of traces of the output is known.
    done.traces_in += std::max<std::int64_t>(result.traces_in < 0 ? result.traces_out : result.traces_in, 0);
    done.traces_out += std::max<std::int64_t>(result.traces_out, 0);
    auto repairs = nlohmann::json::array();
    for (const Repair& repair : result.repairs) {
      done.words_changed.push_back(text_of(repair));
      repairs.push_back({{"what", repair.what},
                         {"where", repair.where},
                         {"before", repair.before},
                         {"after", repair.after},
                         {"why", repair.why}});
    }
    auto left = nlohmann::json::array();
    for (const Diagnostic& found : result.left)
      left.push_back({{"grade", name_of(found.grade)},
                      {"problem", found.problem},
                      {"where", found.where},
                      {"clause", found.clause}});
    return {{"repairs", repairs}, {"left", left}, {"dry_run", options.dry_run}};
  });
}

}  // namespace

void add_repair(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "repair",
                  "Repair a damaged or inconsistent file\nWrites a new file whose headers agree with the evidence; the "
                  "input is not changed.",
                  "  sill repair bad.sgy -o good.sgy --dry-run              prints what would be done\n"
                  "  sill repair cut.sgy -o complete.sgy --last-trace drop\n"
                  "  sill repair bad.sgy -o good.sgy --assume samples=751,sample_format=5\n",
                  run_repair);
  add_inputs({parser, command}, "IN", options->files, "SEG-Y or Seismic Unix files, each repaired separately");
  parser
      .add_option("-o,--output", options->output,
                  "Repaired file, which appears when it is complete and verified. " + each_output_grammar())
      ->required();
  add_choice(parser, "--last-trace", options->last_trace, {"drop", "pad"},
             "Treatment of a truncated last trace: drop omits it, pad fills its missing samples with zeros. Without "
             "this option a truncated trace is an error");
  add_choice(parser, "--byte-order", options->byte_order, {"big", "little"},
             "Byte order of all words and samples. Default: the order in which the traces are read, or big if words "
             "are swapped in pairs");
  add_choice(parser, "--revision", options->revision, {"0", "1", "2.0", "2.1"},
             "SEG-Y revision of the output. Default: the revision by which Sill reads the file");
  parser.add_flag("--dry-run", options->dry_run, "Show what would be done, and write nothing");
  add_output_options({parser, command}, options->output_options);
  add_map_option({parser, command});
}

}  // namespace sill::cli
