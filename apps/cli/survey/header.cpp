// sill header: all header words of selected traces.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/command.hpp"
#include "cli/json_text.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/survey/select/trace_ranges.hpp"

namespace sill::cli {
namespace {

struct HeaderArguments {
  std::string file;
  std::string traces = "1";
  bool nonzero = false;
  bool json = false;
};

constexpr std::int64_t max_traces = 1000;  // for a human reader

/// A word of a trace, raw and true.
struct Shown {
  const segy::MapWord* word;
  segy::WordValue raw;
  std::optional<double> true_value;  ///< if the word is scaled
};

bool is_zero(const segy::WordValue& value) {
  const std::string text = value.text();
  return text == "0" || text == "-0" || text.empty();
}

std::vector<Shown> words_of(const SurveyReader& reader, std::int64_t trace, bool nonzero) {
  const std::int64_t header_bytes = std::int64_t{segy::trace_header_bytes} * reader.shape_of(trace).headers;
  std::vector<Shown> shown;
  reader.scan_headers({trace, 1}, {0, header_bytes}, 1, [&](const HeaderBlock& block, int) {
    const std::byte* const header = block.header(0);
    for (const segy::MapWord& word : reader.words().all()) {
      if (word.byte + word.type.bytes - 1 > header_bytes) continue;
      const segy::WordRef ref = reader.words().word(word.names.front());
      Shown one{&word, segy::read_word(header, word.byte, word.type, block.byte_order), {}};
      const auto needed = segy::bytes_of_true_value(ref);
      const bool scales = ref.scaling.kind != segy::Scaling::Kind::none || ref.twin_byte != 0;
      if (scales && ref.scaling.kind != segy::Scaling::Kind::missing && word.type.kind != segy::WordKind::text &&
          needed.end <= header_bytes)
        one.true_value = segy::true_value(ref, header, block.byte_order);
      if (!nonzero || !is_zero(one.raw) || (one.true_value && *one.true_value != 0.0)) shown.push_back(one);
    }
  });
  return shown;
}

std::string table_of(const std::vector<Shown>& words, std::int64_t trace, const SurveyReader& reader) {
  const Where where = reader.where(trace);
  const segy::TraceShape shape = reader.shape_of(trace);
  std::string text = fmt::format("{}, trace {} at byte {}: {} samples{}\n", where.file, where.item.value_or(0),
                                 format_count(where.byte.value_or(0)), format_count(shape.samples),
                                 shape.headers > 1 ? fmt::format(", {} headers", shape.headers) : "");
  text += fmt::format("  {:>9}  {:<24} {:>14} {:>16}  {}\n", "bytes", "word", "raw", "true", "description");
  for (const Shown& shown : words) {
    const std::string unit = shown.word->unit.empty() ? "" : fmt::format(" [{}]", shown.word->unit);
    text += fmt::format("  {:>9}  {:<24} {:>14} {:>16}  {}{}\n",
                        fmt::format("{}-{}", shown.word->byte, shown.word->byte + shown.word->type.bytes - 1),
                        shown.word->names.front(), shown.raw.text(),
                        shown.true_value ? fmt::format("{}", *shown.true_value) : "", shown.word->text, unit);
  }
  text.pop_back();
  return text;
}

nlohmann::ordered_json json_of(const std::vector<Shown>& words, std::int64_t trace, const SurveyReader& reader) {
  nlohmann::ordered_json values = nlohmann::ordered_json::object();
  for (const Shown& shown : words) {
    nlohmann::ordered_json& one = values[shown.word->names.front()];
    one = {{"byte", shown.word->byte}, {"type", name_of(shown.word->type)}, {"raw", json_value(shown.raw)}};
    if (shown.true_value) one["true"] = *shown.true_value;
  }
  const Where where = reader.where(trace);
  const segy::TraceShape shape = reader.shape_of(trace);
  return {{"file", where.file},       {"trace", where.item.value_or(0)}, {"byte", where.byte.value_or(0)},
          {"samples", shape.samples}, {"headers", shape.headers},        {"words", std::move(values)}};
}

int run_header(Session& session, const HeaderArguments& options) {
  const InputSurvey reader(session, {session.reserved_input(options.file, {})});
  const std::vector<ItemRange> wanted = run_and_agree(session.comm(), [&] {
    std::vector<ItemRange> list = parse_trace_list(options.traces, reader.traces());
    std::int64_t count = 0;
    for (const ItemRange& range : list) count += range.count;
    if (count > max_traces)
      throw usage_error(fmt::format("{} traces are selected, but at most {} are shown at once", count, max_traces),
                        "name fewer, or use `sill scan --csv`");
    return list;
  });
  session.print_from_first_rank([&] {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    std::string text;
    for (const ItemRange& range : wanted)
      for (std::int64_t trace = range.first; trace < range.end(); ++trace) {
        const std::vector<Shown> words = words_of(reader, trace, options.nonzero);
        if (options.json) {
          all.push_back(json_of(words, trace, reader));
        } else {
          text += (text.empty() ? "" : "\n\n") + table_of(words, trace, reader);
        }
      }
    return options.json ? json_text(all) : text;
  });
  return session.finish();
}

}  // namespace

void add_header(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "header", "Show all header words of traces, as stored and with scalars applied",
                  "  sill header line1.sgy 1,5000,last\n"
                  "  sill header line1.sgy 1:3 --nonzero\n"
                  "  sill header line1.sgy last --json --map petrel\n",
                  run_header);
  parser.add_option("FILE", options->file, "A SEG-Y or Seismic Unix file")->required();
  parser
      .add_option("TRACES", options->traces,
                  "Traces, counted from 1: numbers, `last` and ranges FIRST:LAST, separated by commas; at most 1000")
      ->capture_default_str();
  parser.add_flag("--nonzero", options->nonzero, "Omit words that are zero");
  parser.add_flag("--json", options->json, "Print JSON: an array with an object for each trace");
  add_map_option({parser, command});
  add_input_options({parser, command});
}

}  // namespace sill::cli
