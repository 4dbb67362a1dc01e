// sill make-survey: a synthetic survey for experiments.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/operations/convolve/convolve.hpp"
#include "sill/flow/run/bound_flow.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/survey/output/make_survey.hpp"

namespace sill::cli {
namespace {

struct MakeSurveyArguments {
  std::string output;
  std::string kind = "line";
  std::string sample_format = "ibm";
  std::string byte_order = "big";
  std::string revision = "1";
  std::string wavelet;
  std::string velocities;
  segy::SurveyOptions survey;
};

// Collective. Reads a table like `convolve`.
segy::Wavelet wavelet_of(Session& session, const std::string& path, const segy::SurveyOptions& survey) {
  std::vector<flow::Step> steps{{.operation = "convolve", .arguments = {{"wavelet", "@" + path, 0, 0}}}};
  steps = flow::with_files(session.resources(), std::move(steps), {});
  return run_and_agree(session.comm(), [&] {
    const flow::SurveyState state{.samples = survey.samples, .interval_us = survey.interval_us};
    return flow::read_wavelet(*flow::Arguments(steps.front()).table("wavelet"), state, survey.interval_us * 1e-6);
  });
}

int run_make_survey(Session& session, const MakeSurveyArguments& options) {
  segy::SurveyOptions survey = options.survey;
  survey.kind = static_cast<segy::SurveyKind>(std::ranges::find(segy::survey_kind_words(), options.kind) -
                                              segy::survey_kind_words().begin());
  survey.sample_format = segy::sample_format_from_name(options.sample_format).value();
  survey.byte_order = options.byte_order == "big" ? ByteOrder::big : ByteOrder::little;
  survey.revision = segy::parse_revision(options.revision);
  std::vector<std::string> inputs;
  const std::string output = session.output(options.output);
  std::vector<std::string> outputs{output};
  if (!options.wavelet.empty()) inputs.push_back(options.wavelet);
  if (!options.velocities.empty()) outputs.push_back(options.velocities);
  session.reserve_files(inputs, outputs);
  if (!options.wavelet.empty()) survey.wavelet = wavelet_of(session, options.wavelet, survey);
  std::optional<WholeTextFile> velocities;
  run_on_rank(session.comm(), 0, [&] {
    if (options.velocities.empty()) return;
    if (survey.kind == segy::SurveyKind::plain)
      throw usage_error("the plain kind has no velocity model", "omit --velocities, or choose another --kind");
    velocities.emplace(session.resources(), options.velocities);
    velocities->write(segy::velocity_table(survey));
  });
  make_survey(session.resources(), survey, output);
  run_on_rank(session.comm(), 0, [&] {
    if (velocities) velocities->finish();
  });
  const double seconds_s = session.seconds();
  const std::int64_t bytes = segy::SyntheticSurvey(survey).file_bytes();
  session.print(fmt::format("{} traces of {} samples in {} ({}, {})", format_count(survey.traces),
                            format_count(survey.samples), options.output, format_bytes(bytes),
                            format_rate(bytes, seconds_s)));
  if (survey.byte_order == ByteOrder::little && survey.revision < segy::Revision::rev2_0)
    session.warn(
        fmt::format("note: the output is little-endian, which SEG-Y allows since revision 2.0; other programs may not "
                    "read it as revision {}",
                    segy::name_of(survey.revision)));
  return session.finish({.traces_out = survey.traces});
}

}  // namespace

void add_make_survey(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] = add_command(
      program, commands, "make-survey", "Make a synthetic survey: a 2-D line, a 3-D streamer survey or a cube",
      "  sill make-survey line.sgy --traces 24000 --samples 600 --interval 4000 --velocities v.csv\n"
      "  sill make-survey cube.sgy --kind cube --traces 40000 --samples 500 --interval 4000\n"
      "  sill make-survey little.sgy --traces 2400 --samples 500 --sample-format int16 --byte-order little\n",
      run_make_survey);
  parser.add_option("OUT", options->output, "File to write")->required();
  parser.add_option("--traces", options->survey.traces, "Number of traces")->required();
  parser.add_option("--samples", options->survey.samples, "Samples per trace; at most 65535 before revision 2")
      ->required();
  add_choice(
      parser, "--kind", options->kind,
      std::vector<std::string>(segy::survey_kind_words().begin(), segy::survey_kind_words().end()),
      "Kind of survey: a 2-D line, a 3-D streamer survey, a migrated cube, or plain (hyperbolas without a model)");
  parser.add_option("--velocities", options->velocities,
                    "Write the rms velocities of the model to this table, in the form that nmo reads");
  parser.add_option("--wavelet", options->wavelet,
                    "Table of times and amplitudes of the wavelet, sampled at the interval of the traces. Default: a "
                    "Ricker wavelet of 25 Hz");
  add_choice(parser, "--sample-format", options->sample_format, segy::sample_format_names(2),
             "Sample format of the file");
  parser.add_option("--interval", options->survey.interval_us, "Sample interval in us; an integer before revision 2")
      ->capture_default_str();
  add_choice(parser, "--byte-order", options->byte_order, {"big", "little"}, "Byte order of the file");
  add_choice(parser, "--revision", options->revision, {"0", "1", "2.0", "2.1"}, "SEG-Y revision of the file");
  parser
      .add_option("--channels", options->survey.channels,
                  "Groups per cable, or crosslines of a cube; 0: a number that fits the number of traces")
      ->capture_default_str();
  parser.add_option("--noise", options->survey.noise,
                    "Peak of the noise as a fraction of full scale, 0 to 1. Default: 0.01, or 0.02 with --kind plain");
  parser.add_option("--seed", options->survey.seed, "Seed of the noise")->capture_default_str();
}

}  // namespace sill::cli
