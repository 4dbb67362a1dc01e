// sill split: writes a file for each value of the keys of a survey.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/survey/select/name_pattern.hpp"
#include "sill/survey/select/split.hpp"

namespace sill::cli {
namespace {

struct SplitArguments {
  std::vector<std::string> files;
  std::string pattern;
  std::string keys;
  std::string where;
  std::int64_t max_files = 10'000;
  OutputOptions output_options;
};

std::string text_of_keys(std::span<const segy::TraceKey> keys) {
  std::vector<std::string> texts;
  for (const segy::TraceKey& key : keys) texts.push_back(key.text());
  return fmt::format("{}", fmt::join(texts, ","));
}

int run_split(Session& session, const SplitArguments& options) {
  session.reserve_files(options.files, {});
  const InputSurvey reader(session, options.files);
  SplitOptions wanted{
      .pattern = options.pattern, .keys = {}, .max_files = options.max_files, .kept = session.reserved()};
  run_and_agree(session.comm(), [&] {
    wanted.keys = options.keys.empty() ? NamePattern::keys_of(options.pattern, reader.words())
                                       : segy::TraceKey::parse_list(options.keys, reader.words());
    if (!options.where.empty()) wanted.where = segy::Expression::parse_condition(options.where, reader.words());
  });
  wanted.marks.renumber = options.output_options.renumber;
  if (options.output_options.history)
    wanted.marks.history = fmt::format("SILL SPLIT BY {}{}", text_of_keys(wanted.keys),
                                       options.where.empty() ? "" : " WHERE " + options.where);
  const SplitResult result = split(session.resources(), reader, wanted);
  const auto [smallest, largest] = std::ranges::minmax(result.files, {}, &SplitFile::traces);
  std::string text = fmt::format("{} of {} traces into {} files\n", format_count(result.traces),
                                 format_count(reader.traces()), format_count(std::ssize(result.files)));
  text += fmt::format("  files         {} to {}, of {} to {} traces\n", result.files.front().path,
                      result.files.back().path, format_count(smallest.traces), format_count(largest.traces));
  if (reader.files().front().kind == segy::FileKind::segy)
    text += fmt::format("  file headers  from {}\n", options.files.front());
  text += fmt::format("  time          {} ({})", format_duration(session.seconds()),
                      format_rate(result.bytes, session.seconds()));
  session.print(text);
  session.warn_of_lengths(result.deviating_traces);
  nlohmann::json files = nlohmann::json::array();
  for (const SplitFile& file : result.files) files.push_back({{"file", file.path}, {"traces", file.traces}});
  return session.finish(
      {.traces_in = reader.traces(),
       .traces_out = result.traces,
       .more = {{"files", files}, {"bytes", result.bytes}, {"deviating_traces", result.deviating_traces}}});
}

}  // namespace

void add_split(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "split", "Split a survey into one file per value of its keys",
                  "  sill split shots.sgy -o 'shot_{fldr:05}.sgy'\n"
                  "  sill split cube.sgy -o '{iline}.sgy' --where 'iline % 10 == 0'\n"
                  "  sill split line.sgy -o 'near_{abs(offset) < 1000}.sgy' --by 'abs(offset) < 1000'\n",
                  run_split);
  add_inputs({parser, command}, "IN", options->files, "SEG-Y or Seismic Unix files, read as one survey");
  parser
      .add_option("-o,--output", options->pattern,
                  "Pattern of the file names, with {KEY} for each key, or {KEY:0N} for integers with zeros to N "
                  "digits. The files appear when all are complete")
      ->required();
  parser.add_option("--by", options->keys,
                    "Keys, separated by commas: a file contains the traces with equal keys. Default: the keys in the "
                    "pattern (`sill help keys`)");
  parser.add_option("--where", options->where, "Select only the traces for which this condition holds");
  parser.add_option("--max-files", options->max_files, "Maximum number of files to write")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}))
      ->capture_default_str();
  add_output_options({parser, command}, options->output_options);
  add_map_option({parser, command});
}

}  // namespace sill::cli
