// sill scan: header words of all traces.
#include <fmt/format.h>

#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/json_text.hpp"
#include "cli/session.hpp"
#include "cli/text_file.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/words/words.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/survey/edit/csv_text.hpp"
#include "sill/survey/select/scan.hpp"
#include "sill/survey/select/scan_values.hpp"
#include "sill/survey/select/trace_ranges.hpp"

namespace sill::cli {
namespace {

struct ScanArguments {
  std::vector<std::string> files;
  std::string keys;
  bool statistics = false;
  bool values = false;
  std::string memory;
  std::string csv;
  std::string range = ":";
};

// Returns the description and the unit of a header word; empty for a word that is given by its byte.
std::string meaning_of(const std::string& key, const segy::HeaderMap& map) {
  const std::size_t sign = key.starts_with('-') ? 1 : 0;
  const segy::MapWord* const word = map.find(std::string_view(key).substr(sign));
  if (word == nullptr) return {};
  return word->text + (word->unit.empty() ? "" : fmt::format(" [{}]", word->unit));
}

std::string table_of(const ScanResult& result, const ScanArguments& options, const segy::HeaderMap& map) {
  std::vector<std::vector<std::string>> rows{{"word", "smallest", "largest"}};
  if (options.statistics) rows[0].push_back("distinct");
  for (const KeyRange& range : result.ranges) {
    if (options.keys.empty() && range.smallest == range.largest) continue;
    rows.push_back({range.key, range.smallest.text(), range.largest.text()});
    if (range.distinct) rows.back().push_back(fmt::format("{}", *range.distinct));
    rows.back().push_back(meaning_of(range.key, map));
  }
  std::string text = fmt::format("{} traces\n", format_count(result.traces));
  if (!result.ranges.empty()) text += aligned(rows, options.statistics ? 3 : 2, "  ");
  if (options.keys.empty()) {
    text += fmt::format("  {} words are the same in all traces\n", result.ranges.size() + 1 - rows.size());
  }
  if (result.in_order) {
    text += fmt::format("  in order of {}: {}\n", options.keys, *result.in_order ? "yes" : "no");
  }
  text.pop_back();
  return text;
}

// Lists the distinct values and their numbers of traces, one per line: in columns for users, or as comma-separated
// values.
void list_values(const Resources& resources, const SurveyReader& reader, const ScanOptions& wanted, bool is_csv,
                 const std::function<void(std::string_view)>& write) {
  constexpr std::size_t text_bytes_at_once = 64 << 10;
  std::string text;
  const auto add_line = [&](const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i)
      text += is_csv ? fmt::format("{}{}", i == 0 ? "" : ",", csv_cell(cells[i])) : fmt::format("  {:>12}", cells[i]);
    text += '\n';
    if (text.size() < text_bytes_at_once) return;
    write(text);
    text.clear();
  };
  bool has_begun = false;
  std::vector<std::string> cells;
  const auto begin = [&] {
    if (std::exchange(has_begun, true)) return;
    for (const segy::TraceKey& key : wanted.keys) cells.push_back(key.text());
    cells.emplace_back("traces");
    add_line(cells);
  };
  scan_values(resources, reader, wanted.traces, wanted.keys,
              [&](std::span<const segy::WordValue> values, std::int64_t traces) {
                begin();
                for (std::size_t k = 0; k < values.size(); ++k) cells[k] = values[k].text();
                cells.back() = fmt::format("{}", traces);
                add_line(cells);
              });
  run_on_rank(resources.comm, 0, [&] {
    begin();
    write(text);
  });
}

int run_scan(Session& session, const ScanArguments& options) {
  Communicator& comm = session.comm();
  ScanOptions wanted;
  wanted.statistics = options.statistics;
  wanted.order = !options.keys.empty();
  run_and_agree(comm, [&] {
    session.bound_memory(options.memory);
    if (!options.keys.empty() || !options.values) return;
    throw usage_error("--values needs keys", "name them: --keys cdp --values");
  });
  const bool to_file = !options.csv.empty() && options.csv != "-";
  session.reserve_files(options.files, to_file ? std::vector<std::string>{options.csv} : std::vector<std::string>{});
  const InputSurvey reader(session, options.files);
  wanted.keys = run_and_agree(comm, [&] {
    return options.keys.empty() ? all_words(reader.words()) : segy::TraceKey::parse_list(options.keys, reader.words());
  });
  wanted.traces = run_and_agree(comm, [&] {
    const bool nothing_to_choose = reader.traces() == 0 && options.range == ":";
    return nothing_to_choose ? ItemRange{} : parse_trace_range(options.range, reader.traces());
  });
  std::optional<WholeTextFile> csv;
  if (to_file) run_on_rank(comm, 0, [&] { csv.emplace(session.resources(), options.csv); });
  const auto write_csv = [&](std::string_view text) { csv ? csv->write(text) : session.write(text); };
  if (!options.csv.empty() && !options.values) wanted.csv = write_csv;
  const ScanResult result = scan(session.resources(), reader, wanted);
  if (options.values && !options.csv.empty()) list_values(session.resources(), reader, wanted, true, write_csv);
  run_on_rank(comm, 0, [&] {
    if (csv) csv->finish();
  });
  // If the values are written to standard output, it receives only the values.
  if (options.csv != "-") {
    session.print(table_of(result, options, reader.words()));
  } else if (options.statistics && session.is_first_rank()) {
    session.write_to_error(table_of(result, options, reader.words()) + "\n");
  }
  if (options.values && options.csv.empty())
    list_values(session.resources(), reader, wanted, false, [&](std::string_view text) { session.write(text); });
  Done done;
  done.traces_in = wanted.traces.count;
  for (const KeyRange& range : result.ranges) {
    nlohmann::json& stated = done.more["words"][range.key];
    stated = {{"smallest", json_value(range.smallest)}, {"largest", json_value(range.largest)}};
    if (range.distinct) stated["distinct"] = *range.distinct;
  }
  if (result.in_order) done.more["in_order"] = *result.in_order;
  return session.finish(done);
}

}  // namespace

void add_scan(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "scan",
                  "Show ranges, values and order of header words\n"
                  "Reads the headers of all traces, but no samples.",
                  "  sill scan line1.sgy                              the range of every word that varies\n"
                  "  sill scan line1.sgy --keys cdp,offset --stats    range, distinct values, whether in order\n"
                  "  sill scan line*.sgy --keys fldr,azimuth --csv headers.csv\n",
                  run_scan);
  add_inputs({parser, command}, "FILE", options->files, "SEG-Y files, read as one survey");
  parser.add_option("--keys", options->keys, "Words or expressions, separated by commas (`sill help keys`)");
  parser.add_flag("--stats", options->statistics,
                  "Also count distinct values; with --keys, also print whether the traces are in order of all keys");
  parser.add_flag("--values", options->values,
                  "Also list the distinct values (of several keys: combinations) in order, with the number of "
                  "traces of each. With --csv, write this list to the file");
  parser.add_option(
      "--csv", options->csv,
      "Write the values of every trace (with --values the distinct values) to this file; - is standard output");
  parser.add_option("--range", options->range, "Scan traces FIRST:LAST, counted from 1, both included");
  parser.add_option("--memory", options->memory,
                    "Memory per process for the distinct values of --stats and --values, such as 64M. Default: a "
                    "quarter of the memory that the process may use");
  add_map_option({parser, command});
}

}  // namespace sill::cli
