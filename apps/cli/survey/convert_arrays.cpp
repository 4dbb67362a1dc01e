#include "cli/survey/convert_arrays.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "cli/outputs.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/io/session/dataset_layouts.hpp"
#include "sill/survey/arrays/survey_from_arrays.hpp"
#include "sill/survey/arrays/survey_to_arrays.hpp"
#include "sill/survey/arrays/virtual_references.hpp"

namespace sill::cli {
namespace {

SurveyToArraysOptions wanted_of(const std::string& output, const ArraysArguments& options) {
  SurveyToArraysOptions wanted{.output = output, .dimensions = options.dimensions, .replaces = options.replaces};
  for (const std::string& each : options.codecs) wanted.codecs.add(each);
  if (!options.chunks.empty()) wanted.chunk = parse_chunk(options.chunks);
  return wanted;
}

// Returns a name without slashes at its end: the ending names the format.
std::string without_slashes(const std::string& name) { return name.substr(0, name.find_last_not_of('/') + 1); }

// Converts one survey; returns the results for the report.
nlohmann::json one_to_arrays(Session& session, const InputsOfOutput& files, const ArraysArguments& options) {
  const double begin_s = session.seconds();
  const SurveyToArraysOptions wanted = run_and_agree(session.comm(), [&] { return wanted_of(files.output, options); });
  const SurveyReader reader(session.resources(), files.inputs, session.map(), session.rules());
  session.report_diagnostics(reader.files());
  const SurveyToArraysResult result = survey_to_arrays(session.resources(), reader, wanted);
  const double seconds_s = session.seconds() - begin_s;
  std::string text = fmt::format("{} traces to {}\n  arrays   {}", format_count(result.traces), files.output,
                                 fmt::join(result.dimensions, " x "));
  if (result.holes > 0) text += fmt::format("\n  holes    {} positions without a trace", format_count(result.holes));
  text += fmt::format("\n  time     {} ({})", format_duration(seconds_s), format_rate(result.bytes, seconds_s));
  session.print(text);
  for (const std::string& note : result.notes) session.warn("note: " + note);
  if (std::ranges::any_of(wanted.codecs.variables, [](const auto& each) { return each.second.keep_bits > 0; }))
    session.warn("note: bitround rounds variables, so converting back gives other bytes than those of the file");
  if (result.inexact_samples > 0) {
    session.warn(fmt::format(
        "note: {} IBM floats have bytes that floats do not restore, such as floats that are not normalized; converting "
        "back writes the same values in other bytes",
        format_count(result.inexact_samples)));
  }
  return {{"file", files.output},
          {"traces", result.traces},
          {"dimensions", result.dimensions},
          {"holes", result.holes},
          {"inexact_samples", result.inexact_samples},
          {"bytes", result.bytes}};
}

int to_arrays(Session& session, const std::vector<std::string>& files, const std::string& output,
              const ArraysArguments& options) {
  // A folder of the name of an output is the output itself.
  const std::vector<InputsOfOutput> all = run_and_agree(session.comm(), [&] {
    return output.find('{') == std::string::npos ? std::vector<InputsOfOutput>{{files, output}}
                                                 : outputs_of(files, output);
  });
  std::vector<std::string> outputs;
  for (const InputsOfOutput& each : all) outputs.push_back(each.output);
  session.reserve_files(files, outputs);
  Done done;
  auto results = nlohmann::json::array();
  const int failed = for_each_output(session, all, [&](const InputsOfOutput& each) {
    results.push_back(one_to_arrays(session, each, options));
    done.traces_in += results.back()["traces"].get<std::int64_t>();
  });
  done.traces_out = done.traces_in;
  done.more = all.size() == 1 ? results.front() : nlohmann::json{{"files", results}};
  return session.finish(done, failed);
}

int to_references(Session& session, const std::vector<std::string>& files, const ArraysArguments& options) {
  session.reserve_files(files, {options.references});
  const SurveyReader reader(session.resources(), files, session.map(), session.rules());
  session.report_diagnostics(reader.files());
  const ReferencesResult result = write_references(session.resources(), reader, options.dimensions, options.references);
  std::string text = fmt::format("references to {} traces in {}\n  arrays   {}", format_count(result.traces),
                                 options.references, fmt::join(result.dimensions, " x "));
  if (result.holes > 0) text += fmt::format("\n  holes    {} positions without a trace", format_count(result.holes));
  session.print(text);
  for (const std::string& note : result.notes) session.warn("note: " + note);
  Done done;
  done.traces_in = done.traces_out = result.traces;
  done.more = {{"dimensions", result.dimensions}, {"holes", result.holes}};
  return session.finish(done);
}

int from_arrays(Session& session, const std::string& input, const std::string& given) {
  const std::string name = run_and_agree(session.comm(), [&] {
    if (given.ends_with('/')) throw usage_error("the output is a folder, but arrays become one file", "name the file");
    return given.find('{') == std::string::npos ? given : outputs_of({input}, given).front().output;
  });
  const std::string output = session.output(name);
  session.reserve_files({input}, {output});
  const SurveyFromArraysResult result = survey_from_arrays(session.resources(), input, output);
  std::string text = fmt::format("{} traces to {}", format_count(result.traces), name);
  std::int64_t changed_words = 0;
  std::string words;
  for (const auto& [word, count] : result.changed) {
    changed_words += count;
    words += fmt::format("{}{} ({})", words.empty() ? "" : ", ", word, format_count(count));
  }
  if (changed_words > 0)
    text += fmt::format("\n  words    {} differ from the header bytes in the dataset, which they replace: {}",
                        format_count(changed_words), words);
  text += fmt::format("\n  time     {} ({})", format_duration(session.seconds()),
                      format_rate(result.output_bytes, session.seconds()));
  session.print(text);
  if (result.inexact_samples > 0) {
    session.warn(fmt::format("note: {} samples have the values, but not the bytes, of the original file",
                             format_count(result.inexact_samples)));
  }
  Done done;
  done.traces_in = done.traces_out = result.traces;
  done.more = {{"changed_words", changed_words}, {"inexact_samples", result.inexact_samples}};
  return session.finish(done);
}

}  // namespace

bool concerns_arrays(const std::vector<std::string>& files, const std::string& output, const ArraysArguments& options) {
  const bool has_options = !options.dimensions.empty() || !options.codecs.empty() || !options.chunks.empty() ||
                           !options.references.empty() || options.replaces;
  return has_options || is_name_of_arrays(output) || (files.size() == 1 && is_name_of_arrays(files.front()));
}

int convert_arrays(Session& session, const std::vector<std::string>& files, const std::string& given,
                   const ArraysArguments& options) {
  const std::string output = is_name_of_arrays(given) ? without_slashes(given) : given;
  const bool reads_arrays = files.size() == 1 && is_name_of_arrays(files.front());
  run_and_agree(session.comm(), [&] {
    const ArraysArguments none{};
    const bool has_options = options.dimensions != none.dimensions || options.codecs != none.codecs ||
                             options.chunks != none.chunks || options.replaces;
    if (options.references.empty() == output.empty())
      throw usage_error(output.empty() ? "no output is named" : "--virtual and -o name two outputs",
                        "name the output with -o, or a file of references with --virtual");
    if (!options.references.empty() && (!options.codecs.empty() || !options.chunks.empty() || options.replaces))
      throw usage_error("--codec, --chunks and --force do not apply to references", "omit them");
    if (!options.references.empty() && reads_arrays)
      throw usage_error("--virtual refers to samples of SEG-Y files, but the input is arrays", "name a SEG-Y file");
    if (reads_arrays && is_name_of_arrays(output))
      throw usage_error("input and output are arrays", "copy arrays with sill arrays copy");
    if (reads_arrays && has_options)
      throw usage_error("--dimensions, --codec, --chunks and --force are options of a conversion to arrays",
                        "omit them");
    if (reads_arrays && (session.map() != nullptr || !session.rules().assume.empty()))
      throw usage_error("--map and --assume apply to SEG-Y files, but the input is arrays", "omit them");
    if (!reads_arrays && options.references.empty() && !is_name_of_arrays(output))
      throw usage_error("--dimensions, --codec, --chunks and --force are options of a conversion to arrays",
                        "name the output .zarr, .mdio, .nc, .nc4 or .h5, or omit them");
  });
  if (!options.references.empty()) return to_references(session, files, options);
  return reads_arrays ? from_arrays(session, without_slashes(files.front()), output)
                      : to_arrays(session, files, output, options);
}

}  // namespace sill::cli
