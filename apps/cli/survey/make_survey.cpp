// sill make-survey: a synthetic marine survey to try things on.
#include <fmt/format.h>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/survey/output/make_survey.hpp"

namespace sill::cli {
namespace {

struct MakeSurveyArguments {
  std::string output;
  std::string sample_format = "ibm";
  std::string byte_order = "big";
  std::string revision = "1";
  segy::SurveyOptions survey;
};

int run_make_survey(Session& session, const MakeSurveyArguments& options) {
  segy::SurveyOptions survey = options.survey;
  survey.sample_format = segy::sample_format_from_word(options.sample_format).value();
  survey.byte_order = options.byte_order == "big" ? ByteOrder::big : ByteOrder::little;
  survey.revision = segy::parse_revision(options.revision);
  session.reserve_files({}, {options.output});
  make_survey(session.resources(), survey, options.output);
  const double seconds_s = session.seconds();
  const std::int64_t bytes = segy::SyntheticSurvey(survey).file_bytes();
  session.print(fmt::format("{} traces of {} samples in {} ({}, {})", format_count(survey.traces),
                            format_count(survey.samples), options.output, format_bytes(bytes),
                            format_rate(bytes, seconds_s)));
  if (survey.byte_order == ByteOrder::little && survey.revision < segy::Revision::rev2_0)
    session.warn(
        fmt::format("note: the output is little-endian, which SEG-Y has from revision 2.0 on: others may not "
                    "read it as revision {}",
                    segy::name_of(survey.revision)));
  Done done;
  done.traces_out = survey.traces;
  session.finish(done);
  return 0;
}

}  // namespace

void add_make_survey(CLI::App& program, Commands& commands) {
  const auto [parser, command] = add_command(
      program, commands, "make-survey", "Writes a synthetic marine survey, shot after shot",
      "  sill make-survey survey.sgy --traces 48000 --samples 1500\n"
      "  sill make-survey little.sgy --traces 2400 --samples 500 --sample-format int16 --byte-order little\n");
  auto options = std::make_shared<MakeSurveyArguments>();
  parser.add_option("OUT", options->output, "The file to write")->required();
  parser.add_option("--traces", options->survey.traces, "Number of traces")->required();
  parser.add_option("--samples", options->survey.samples, "Samples a trace; at most 65535 before revision 2")
      ->required();
  parser.add_option("--sample-format", options->sample_format, "How samples are stored")
      ->check(CLI::IsMember(segy::words_of_sample_formats(2)))
      ->capture_default_str();
  parser.add_option("--interval", options->survey.interval_us, "Sample interval in us; whole before revision 2")
      ->capture_default_str();
  parser.add_option("--byte-order", options->byte_order, "Byte order of the file")
      ->check(CLI::IsMember({"big", "little"}))
      ->capture_default_str();
  parser.add_option("--revision", options->revision, "Revision of SEG-Y")
      ->check(CLI::IsMember({"0", "1", "2.0", "2.1"}))
      ->capture_default_str();
  parser.add_option("--channels", options->survey.channels, "Traces a shot; 0: chosen by the number of traces")
      ->capture_default_str();
  parser.add_option("--seed", options->survey.seed, "Seed of the noise")->capture_default_str();
  command.run = [options](Session& session) { return run_make_survey(session, *options); };
}

}  // namespace sill::cli
