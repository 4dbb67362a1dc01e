// sill compare: what is different between two files.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/flow/compare.hpp"

namespace sill::cli {
namespace {

struct CompareArguments {
  std::string a;
  std::string b;
  double tolerance = 0.0;
  std::vector<std::string> ignored;
};

std::string text_of(const CompareResult& result, const CompareArguments& options) {
  const std::string_view scope =
      result.kinds_differ ? "; one is Seismic Unix: only bytes 1-180 of the trace headers and samples were compared"
                          : "";
  if (result.equal()) {
    return fmt::format("equal: {} traces of {} samples{}{}", format_count(result.traces_a),
                       result.samples_a < 0 ? "different numbers of" : format_count(result.samples_a),
                       options.tolerance > 0.0 ? fmt::format(", samples within {}", options.tolerance) : "", scope);
  }
  std::string text = fmt::format("{} and {} differ{}", options.a, options.b, scope);
  if (result.traces_a != result.traces_b) {
    text += fmt::format("\n  traces: {} and {}", result.traces_a, result.traces_b);
  }
  const bool one_length_each = result.samples_a >= 0 && result.samples_b >= 0;
  if (one_length_each && result.samples_a != result.samples_b) {
    text +=
        fmt::format("\n  samples a trace: {} and {}; samples were not compared", result.samples_a, result.samples_b);
  }
  const auto tell_number = [&](const NumberDifference& number, std::string_view what, std::string_view then) {
    if (number.traces == 0) return;
    text += fmt::format("\n  {}: another number in {} trace{}, first in trace {}: {} and {}{}", what,
                        format_count(number.traces), number.traces == 1 ? "" : "s", number.first_trace, number.a,
                        number.b, then);
  };
  if (!one_length_each) tell_number(result.trace_samples, "samples a trace", "; those were not compared");
  tell_number(result.trace_headers, "headers a trace", "; those that both have were compared");
  if (result.label_differs) text += "\n  the tape labels differ";
  if (result.text_differs) text += "\n  the text headers differ";
  if (result.trailers_differ) text += "\n  the data trailers differ";
  for (const WordDifference& word : result.words) {
    text += word.first_trace == 0 ? fmt::format("\n  file header, {}: {} and {}", word.word, word.value_a, word.value_b)
                                  : fmt::format("\n  {}: differs in {} trace{}, first in trace {}: {} and {}",
                                                word.word, format_count(word.traces), word.traces == 1 ? "" : "s",
                                                word.first_trace, word.value_a, word.value_b);
  }
  const SampleDifferences& samples = result.samples;
  if (samples.samples > 0) {
    text += fmt::format(
        "\n  samples: {} differ in {} trace{}, first in trace {}, sample {}: {} and {}\n"
        "  largest absolute difference {:.9g}, NRMS {:.4g} %",
        format_count(samples.samples), format_count(samples.traces), samples.traces == 1 ? "" : "s",
        samples.first_trace, samples.first_sample, samples.value_a, samples.value_b, samples.largest,
        samples.nrms_percent);
  }
  return text;
}

int run_compare(Session& session, const CompareArguments& options) {
  const std::string a = session.input(options.a);
  const std::string b = session.input(options.b);
  session.claim({a, b}, {});
  const CompareResult result = compare(
      session.resources(), {a, b, options.tolerance, options.ignored,
                            [&](std::span<const segy::FileDescription> files) { session.tell_diagnostics(files); },
                            session.map(), session.rules()});
  session.print(text_of(result, options));
  Done done;
  done.traces_in = result.traces_a + result.traces_b;
  done.more = {{"equal", result.equal()},
               {"words_differing", result.words.size()},
               {"traces_of_other_samples", result.trace_samples.traces},
               {"traces_of_other_headers", result.trace_headers.traces},
               {"samples_differing", result.samples.samples},
               {"largest_difference", result.samples.largest},
               {"nrms_percent", result.samples.nrms_percent}};
  session.finish(done);
  return result.equal() ? 0 : 1;
}

}  // namespace

void add_compare(CLI::App& program, Commands& commands) {
  const auto [parser, command] =
      add_command(program, commands, "compare", "Tells how two files differ: header words, samples by value",
                  "  sill compare a.sgy b.sgy\n"
                  "  sill compare a.sgy b.sgy --tolerance 1e-6 --ignore tsort,text\n"
                  "  sill compare a.sgy b.sgy --ignore iline,xline --map petrel\n");
  auto options = std::make_shared<CompareArguments>();
  parser.add_option("A", options->a, "A SEG-Y or Seismic Unix file")->required();
  parser.add_option("B", options->b, "Another")->required();
  parser.add_option("--tolerance", options->tolerance, "Samples no further apart than this are equal")
      ->capture_default_str();
  parser
      .add_option("--ignore", options->ignored,
                  "Words of the file header or the trace headers by any of their names, @BYTE:TYPE of the trace "
                  "headers, or `text` for text headers, tape label and data trailers; separated by commas")
      ->delimiter(',');
  add_map_option({parser, command});
  add_input_options({parser, command});
  command.run = [options](Session& session) { return run_compare(session, *options); };
}

}  // namespace sill::cli
