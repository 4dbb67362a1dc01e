// sill compare: the differences between two files.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/survey/compare/compare.hpp"

namespace sill::cli {
namespace {

struct CompareArguments {
  std::string a;
  std::string b;
  double tolerance = 0.0;
  std::vector<std::string> ignored;
  std::string match;
  std::string memory;
};

std::string traces_text(std::int64_t traces) {
  return fmt::format("{} trace{}", format_count(traces), traces == 1 ? "" : "s");
}

// Describes the samples if none differs.
std::string samples_equal_text(const CompareResult& result, double tolerance) {
  const auto format = [](segy::SampleFormat of) {
    return fmt::format("{} (format {})", segy::name_of(of), segy::code_of(of));
  };
  std::string text = fmt::format("samples equal: in {} ", traces_text(result.compared_traces));
  text += tolerance > 0.0 ? fmt::format("no sample differs by more than {} from its counterpart", tolerance)
                          : "every sample has the same value in both";
  if (result.format_a != result.format_b)
    text += fmt::format(", as {} and as {}", format(result.format_a), format(result.format_b));
  return text;
}

// Returns "first in trace 5", and the number of its partner if it differs.
std::string first_text(std::int64_t trace, std::int64_t partner) {
  return partner == trace ? fmt::format("first in trace {}", trace)
                          : fmt::format("first in trace {}, which is trace {} of the other", trace, partner);
}

std::string unmatched_text(const UnmatchedTraces& only, const std::string& file) {
  if (only.traces == 0) return "";
  std::string text = fmt::format("\n  only in {}: {}:", file, traces_text(only.traces));
  for (const NamedTrace& one : only.first)
    text += fmt::format("{} trace {} ({})", &one == only.first.data() ? "" : ",", one.trace, one.keys);
  const std::int64_t more = only.traces - std::ssize(only.first);
  return more > 0 ? text + fmt::format(" and {} more", format_count(more)) : text;
}

std::string text_of(const CompareResult& result, const CompareArguments& options) {
  const std::string_view scope =
      result.kinds_differ ? "; one is Seismic Unix: only bytes 1-180 of the trace headers and samples were compared"
                          : "";
  if (result.equal()) {
    std::string text =
        fmt::format("equal: {} traces of {} samples{}{}{}", format_count(result.traces_a),
                    result.samples_a < 0 ? "different numbers of" : format_count(result.samples_a),
                    options.match.empty() ? "" : fmt::format(", matched by {}", options.match),
                    options.tolerance > 0.0 ? fmt::format(", samples within {}", options.tolerance) : "", scope);
    if (result.format_a != result.format_b && result.samples_equal())
      text += "\n  " + samples_equal_text(result, options.tolerance);
    return text;
  }
  std::string text = fmt::format("{} and {} differ{}", options.a, options.b, scope);
  if (result.traces_a != result.traces_b) {
    text += fmt::format("\n  traces: {} and {}", result.traces_a, result.traces_b);
  }
  const bool one_length_each = result.samples_a >= 0 && result.samples_b >= 0;
  if (one_length_each && result.samples_a != result.samples_b) {
    text +=
        fmt::format("\n  samples per trace: {} and {}; samples were not compared", result.samples_a, result.samples_b);
  }
  const auto report_number = [&](const NumberDifference& number, std::string_view what, std::string_view then) {
    if (number.traces == 0) return;
    text += fmt::format("\n  {}: different numbers in {}, {}: {} and {}{}", what, traces_text(number.traces),
                        first_text(number.first_trace, number.partner), number.a, number.b, then);
  };
  if (!one_length_each) report_number(result.trace_samples, "samples per trace", "; those were not compared");
  report_number(result.trace_headers, "headers per trace", "; the headers that both files have were compared");
  if (result.label_differs) text += "\n  the tape labels differ";
  if (result.text_differs) text += "\n  the text headers differ";
  if (result.trailers_differ) text += "\n  the data trailers differ";
  for (const WordDifference& word : result.words) {
    text += word.first_trace == 0
                ? fmt::format("\n  file header, {}: {} and {}", word.word, word.value_a, word.value_b)
                : fmt::format("\n  {}: differs in {}, {}: {} and {}", word.word, traces_text(word.traces),
                              first_text(word.first_trace, word.partner), word.value_a, word.value_b);
  }
  const SampleDifferences& samples = result.samples;
  if (samples.samples > 0) {
    text += fmt::format(
        "\n  samples: {} differ in {}, {}, sample {}: {} and {}\n"
        "  largest absolute difference {:.9g}, NRMS {:.4g} %",
        format_count(samples.samples), traces_text(samples.traces), first_text(samples.first_trace, samples.partner),
        samples.first_sample, samples.value_a, samples.value_b, samples.largest, samples.nrms_percent);
  }
  text += unmatched_text(result.only_a, options.a) + unmatched_text(result.only_b, options.b);
  if (result.samples_equal()) text += "\n  " + samples_equal_text(result, options.tolerance);
  return text;
}

int run_compare(Session& session, const CompareArguments& options) {
  run_and_agree(session.comm(), [&] { session.bound_memory(options.memory); });
  const std::string a = session.input(options.a);
  const std::string b = session.input(options.b);
  session.reserve_files({a, b}, {});
  const CompareResult result = compare(
      session.resources(), {a, b, options.tolerance, options.ignored, options.match,
                            [&](std::span<const segy::FileDescription> files) { session.report_diagnostics(files); },
                            session.map(), session.rules()});
  session.print(text_of(result, options));
  return session.finish({.traces_in = result.traces_a + result.traces_b,
                         .more = {{"equal", result.equal()},
                                  {"words_differing", result.words.size()},
                                  {"traces_of_other_samples", result.trace_samples.traces},
                                  {"traces_of_other_headers", result.trace_headers.traces},
                                  {"compared_traces", result.compared_traces},
                                  {"only_in_a", result.only_a.traces},
                                  {"only_in_b", result.only_b.traces},
                                  {"samples_equal", result.samples_equal()},
                                  {"samples_differing", result.samples.samples},
                                  {"largest_difference", result.samples.largest},
                                  {"nrms_percent", result.samples.nrms_percent}}},
                        result.equal() ? 0 : 1);
}

}  // namespace

void add_compare(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "compare",
                  "Compare two files: header words, and samples by value\nExit status: 1 if they differ.",
                  "  sill compare a.sgy b.sgy\n"
                  "  sill compare a.sgy b.sgy --tolerance 1e-6 --ignore tsort,text\n"
                  "  sill compare a.sgy b.sgy --match iline,xline --ignore tracl,tracr   in any order\n",
                  run_compare);
  parser.add_option("A", options->a, "A SEG-Y or Seismic Unix file")->required();
  parser.add_option("B", options->b, "The file to compare with A")->required();
  parser
      .add_option("--tolerance", options->tolerance, "Treat two samples as equal if they differ by at most this much")
      ->capture_default_str();
  parser
      .add_option("--ignore", options->ignored,
                  "Words to ignore, separated by commas: names of words of the file header or the trace headers, "
                  "positions @BYTE:TYPE in the trace headers, or `text` (text headers, tape label and data trailers)")
      ->delimiter(',');
  CLI::Option* const match =
      parser.add_option("--match", options->match,
                        "Compare traces with equal keys, in any order: words or expressions, separated by commas. No "
                        "two traces of a file may have the same keys");
  parser
      .add_option("--memory", options->memory,
                  "Memory that a rank may use for keys, such as 512M. Default: a quarter of the memory that the "
                  "process may use, divided among the ranks of the node")
      ->needs(match);
  add_map_option({parser, command});
  add_input_options({parser, command});
}

}  // namespace sill::cli
