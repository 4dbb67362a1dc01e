// sill sort: sorts the traces of one or more files.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/survey/sort/sort.hpp"

namespace sill::cli {
namespace {

struct SortArguments {
  std::vector<std::string> files;
  std::string output;
  std::string keys;
  std::string memory;
  std::string method = "auto";
  bool keep_sorting_code = false;
  bool durable = false;
  bool explain = false;
  OutputOptions output_options;
};

std::optional<PermutationMethod> method_of(const std::string& name) {
  if (name == "gather") return PermutationMethod::gather;
  if (name == "scatter") return PermutationMethod::scatter;
  if (name == "buckets") return PermutationMethod::buckets;
  return std::nullopt;
}

std::string explanation_of(const PermutationChoice& choice) {
  std::string text = fmt::format("method {}: {}", name_of(choice.method), choice.why);
  for (const std::string& finding : choice.findings) text += "\n  " + finding;
  for (const PermutationEstimate& estimate : choice.estimates) {
    text += fmt::format("\n  {:<8}", name_of(estimate.method));
    if (estimate.possible) {
      text += fmt::format("{}, read {}, write {}: ", format_duration(estimate.seconds_s),
                          format_bytes(estimate.read_bytes), format_bytes(estimate.write_bytes));
    }
    text += estimate.how;
  }
  return text + fmt::format("\n  will read {} and write {}", format_bytes(choice.read_bytes),
                            format_bytes(choice.write_bytes));
}

std::string summary_of(const SortResult& result, const SortArguments& options, const segy::FileDescription& first,
                       double seconds_s) {
  std::string text =
      fmt::format("{} traces sorted by {} into {}\n", format_count(result.traces), options.keys, options.output);
  text += fmt::format("  gathers       {}, of {} to {} traces\n", format_count(result.gathers),
                      format_count(result.smallest_gather), format_count(result.largest_gather));
  text += "  order         verified in the written bytes\n";
  if (first.kind == segy::FileKind::seismic_unix) {
    text += "  file header   none, and therefore no sorting code: Seismic Unix data\n";
  } else {
    text += fmt::format("  sorting code  {}{}\n", result.sorting_code_before,
                        result.sorting_code_after == result.sorting_code_before
                            ? " (unchanged)"
                            : fmt::format(" -> {}", result.sorting_code_after));
    if (result.stated_traces_after != result.stated_traces_before)
      text += fmt::format("  traces stated {} -> {} (bytes 3513-3520)\n", result.stated_traces_before,
                          result.stated_traces_after);
    if (options.files.size() > 1)
      text += fmt::format("  file header   from {}; the headers of {} other files are not copied\n",
                          options.files.front(), options.files.size() - 1);
    if (first.trailers > 0) text += fmt::format("  trailers      {}, of {}\n", first.trailers, options.files.front());
    if (result.trailers_left_away > 0)
      text += fmt::format("  not copied    {} data trailers of other files\n", result.trailers_left_away);
  }
  text +=
      fmt::format("  time          {} ({})", format_duration(seconds_s), format_rate(result.trace_bytes, seconds_s));
  return text;
}

int run_sort(Session& session, const SortArguments& options) {
  Resources& resources = session.resources();
  SortOptions wanted;
  wanted.output = session.output(options.output);
  wanted.method = method_of(options.method);
  wanted.keep_sorting_code = options.keep_sorting_code;
  wanted.renumber = options.output_options.renumber;
  if (options.output_options.history) wanted.history = fmt::format("SILL SORT BY {}", options.keys);
  run_and_agree(session.comm(), [&] {
    session.bound_memory(options.memory);
    if (options.durable) resources.policy.sync = Policy::Sync::close;
  });
  session.reserve_files(options.files, {wanted.output});
  const InputSurvey reader(session, options.files);
  wanted.keys = run_and_agree(session.comm(), [&] { return segy::TraceKey::parse_list(options.keys, reader.words()); });
  if (options.explain) {
    wanted.explain = [&](const PermutationChoice& choice) { session.print(explanation_of(choice)); };
  }
  const SortResult result = sort(resources, reader, wanted);
  session.print(summary_of(result, options, result.first_input, session.seconds()));
  session.warn_of_lengths(result.deviating_traces);
  Done done;
  done.traces_in = result.traces;
  done.traces_out = result.traces;
  if (result.sorting_code_after != result.sorting_code_before) {
    done.words_changed.push_back(
        fmt::format("sorting code (bytes 3229-3230): {} -> {}", result.sorting_code_before, result.sorting_code_after));
  }
  if (result.stated_traces_after != result.stated_traces_before) {
    done.words_changed.push_back(fmt::format("number of traces (bytes 3513-3520): {} -> {}",
                                             result.stated_traces_before, result.stated_traces_after));
  }
  done.more = {{"method", name_of(result.choice.method)},
               {"method_reason", result.choice.why},
               {"gathers", result.gathers},
               {"smallest_gather", result.smallest_gather},
               {"largest_gather", result.largest_gather},
               {"deviating_traces", result.deviating_traces},
               {"trailers_left_away", result.trailers_left_away},
               {"order_proved", true}};
  return session.finish(done);
}

}  // namespace

void add_sort(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "sort",
                  "Sort traces by header words\nBefore the output appears, Sill verifies that it is sorted and "
                  "contains all bytes of all traces.",
                  "  sill sort shots.sgy -o cmp.sgy --by cdp,offset\n"
                  "  sill sort in.sgy -o out.sgy --by 'azimuth,abs(offset)' --memory 2G --explain\n"
                  "  mpiexec -n 4 sill sort in.sgy -o out.sgy --by iline,xline --durable\n",
                  run_sort);
  add_inputs({parser, command}, "IN", options->files, "SEG-Y or Seismic Unix files, read as one survey");
  parser.add_option("-o,--output", options->output, "The sorted file; it appears when it is complete")->required();
  parser
      .add_option("--by", options->keys,
                  "Keys, separated by commas, such as cdp,-offset (`sill help keys`); the sort is stable")
      ->required();
  parser.add_option("--memory", options->memory, memory_text);
  add_choice(parser, "--method", options->method, {"gather", "scatter", "buckets", "auto"},
             "How to move traces: read each at its position (gather), read in file order and send to the writing rank "
             "(scatter), move all data twice in long requests (buckets), or the way with the lowest estimated cost "
             "(auto). Traces of different lengths can only be gathered");
  parser.add_flag("--keep-sorting-code", options->keep_sorting_code,
                  "Keep the sorting code of the input (bytes 3229-3230)");
  parser.add_flag("--durable", options->durable, "Return only after the output is on stable storage");
  parser.add_flag(
      "--explain", options->explain,
      "Print what is known about the order of the input, the estimated cost of each method, and the chosen method");
  add_output_options({parser, command}, options->output_options);
  add_map_option({parser, command});
}

}  // namespace sill::cli
