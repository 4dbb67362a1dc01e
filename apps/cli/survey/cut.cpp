// sill cut: extracts a subset of a survey.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/survey/select/cut.hpp"
#include "sill/view/shown_traces.hpp"

namespace sill::cli {
namespace {

struct CutArguments {
  std::vector<std::string> files;
  std::string output;
  view::TracesRequest traces;
  std::string time;
  bool seek = false;
  OutputOptions output_options;
};

std::string history_of(const CutArguments& options, const std::string& condition) {
  std::string text = "SILL CUT";
  if (!condition.empty()) text += " WHERE " + condition;
  if (!options.time.empty()) text += " TIME " + options.time;
  return text;
}

int run_cut(Session& session, const CutArguments& options) {
  CutOptions wanted{.output = session.output(options.output)};
  run_and_agree(session.comm(), [&] {
    if (!options.traces.has_condition() && options.time.empty())
      throw usage_error("no traces or samples are selected",
                        "give --where CONDITION, --inline N, --crossline N, --gather WORD=VALUE, or --time BEGIN:END");
    if (options.seek && !options.traces.has_condition())
      throw usage_error("--seek needs a condition",
                        "give --where CONDITION, --inline N, --crossline N or --gather WORD=VALUE");
    if (!options.time.empty()) wanted.window = segy::parse_time_window(options.time);
  });
  session.reserve_files(options.files, {wanted.output});
  InputRules rules = session.rules();
  rules.index_words = options.traces.has_condition();
  const InputSurvey reader(session, options.files, rules);
  std::string condition;
  run_and_agree(session.comm(), [&] {
    condition = view::condition_of(options.traces, reader.words());
    if (!condition.empty()) wanted.where = segy::Expression::parse_condition(condition, reader.words());
  });
  wanted.marks.renumber = options.output_options.renumber;
  if (options.output_options.history) wanted.marks.history = history_of(options, condition);
  wanted.headers.seek = options.seek;
  const auto [written, search] = cut(session.resources(), reader, wanted);
  if (!search.why_not.empty())
    run_on_rank(session.comm(), 0, [&, &why = search.why_not] { session.log("every header was read: " + why); });
  std::string text = fmt::format("{} of {} traces into {}\n", format_count(written.traces),
                                 format_count(reader.traces()), options.output);
  if (search.indexed)
    text += fmt::format("  evidence      the words stored in {}, confirmed by the headers of these traces\n",
                        options.files.size() == 1 ? index_path_of(options.files.front()) : "the indexes of the files");
  if (search.sought)
    text += fmt::format(
        "  evidence      {} of {} headers were read; {} follow{} a regular pattern in these headers, and --seek "
        "assumes the same pattern for the rest\n",
        format_count(search.headers_read), format_count(reader.traces()), search.words,
        search.words.find(',') == std::string::npos ? "s" : "");
  text += fmt::format("  samples       {}{}\n", reader.is_uniform() ? "" : "at most ", format_count(written.samples));
  if (written.stated_traces_before != written.stated_traces_after)
    text += fmt::format("  traces stated {} -> {} (bytes 3513-3520)\n", written.stated_traces_before,
                        written.stated_traces_after);
  if (options.files.size() > 1 && reader.files().front().kind == segy::FileKind::segy)
    text += fmt::format("  file header   from {}; the headers of {} other files are not copied\n",
                        options.files.front(), options.files.size() - 1);
  text += fmt::format("  time          {} ({})", format_duration(session.seconds()),
                      format_rate(written.bytes, session.seconds()));
  session.print(text);
  session.warn_of_lengths(written.deviating_traces);
  Done done;
  done.traces_in = reader.traces();
  done.traces_out = written.traces;
  if (wanted.window) done.words_changed = {"samples (bytes 3221-3222, 115-116)", "delay (bytes 109-110)"};
  done.more = {
      {"samples", written.samples},          {"bytes", written.bytes},  {"deviating_traces", written.deviating_traces},
      {"headers_read", search.headers_read}, {"sought", search.sought}, {"index_used", search.indexed}};
  return session.finish(done);
}

}  // namespace

void add_cut(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "cut", "Select traces, a time window, or both",
                  "  sill cut cube.sgy -o line.sgy --inline 1200\n"
                  "  sill cut shots.sgy -o near.sgy --where 'abs(offset) <= 1500 and trid == 1' --time 500ms:3s\n"
                  "  sill cut in.sgy -o tenth.sgy --where 'trace % 10 == 0'\n",
                  run_cut);
  add_inputs({parser, command}, "IN", options->files, "SEG-Y or Seismic Unix files, read as one survey");
  parser.add_option("-o,--output", options->output, "Output file; it appears when it is complete")->required();
  parser.add_option("--inline", options->traces.inline_number, "Select the traces of this inline (iline)");
  parser.add_option("--crossline", options->traces.crossline_number, "Select the traces of this crossline (xline)");
  parser.add_option("--gather", options->traces.gather,
                    "Select the traces of a gather, WORD=VALUE, or of several gathers, WORD=FIRST:LAST");
  parser.add_option("--where", options->traces.where,
                    "Select the traces for which this condition holds (`sill help expressions`)");
  parser.add_option("--time", options->time,
                    "Select the samples in this time window, both ends included, with units: 1s:3s, 500ms:, :2.5s. The "
                    "number of samples (bytes 3221, 115) and the delay (byte 109) are set accordingly");
  parser.add_flag("--seek", options->seek,
                  "Read only a few trace headers, and assume that the words of the condition follow their pattern "
                  "everywhere, as in a cube. Faster than the default, but misses traces that break it");
  add_output_options({parser, command}, options->output_options);
  add_map_option({parser, command});
}

}  // namespace sill::cli
