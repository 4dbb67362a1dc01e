// sill scan: header words of all traces.
#include <fcntl.h>
#include <fmt/format.h>

#include <optional>

#include "cli/command.hpp"
#include "cli/session.hpp"
#include "cli/text_file.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/scan.hpp"
#include "sill/store/part_file.hpp"

namespace sill::cli {
namespace {

struct Options {
  std::vector<std::string> files;
  std::string keys;
  bool statistics = false;
  std::string csv;
  std::string range = ":";
};

// Writes to standard output, or to a file that is there only when it is complete.
class CsvOutput {
 public:
  explicit CsvOutput(const std::string& path) {
    if (path == "-") return;
    part_.emplace(path);
    store_ = open_posix(part_->path(), OpenMode::write);
  }
  void write(std::string_view text) {
    if (!store_) {
      print_text(text);
      return;
    }
    write_at(*store_, at_, std::as_bytes(std::span(text.data(), text.size())));
    at_ += static_cast<std::int64_t>(text.size());
  }
  void finish() {
    if (!store_) return;
    store_->close();
    part_->commit(false);
  }

 private:
  std::optional<PartFile> part_;
  std::unique_ptr<Store> store_;
  std::int64_t at_ = 0;
};

std::string table_of(const ScanResult& result, const Options& options) {
  std::string text = fmt::format("{} traces\n", format_count(result.traces));
  text += fmt::format("  {:<24}{:>16}{:>16}", "word", "smallest", "largest");
  if (options.statistics) text += fmt::format("{:>16}", "distinct");
  text += "\n";
  std::size_t shown = 0;
  for (const KeyRange& range : result.ranges) {
    if (options.keys.empty() && range.smallest == range.largest) continue;
    text += fmt::format("  {:<24}{:>16}{:>16}", range.key, range.smallest.text(), range.largest.text());
    if (range.distinct) text += fmt::format("{:>16}", *range.distinct);
    text += "\n";
    ++shown;
  }
  if (options.keys.empty()) {
    text += fmt::format("  {} words are the same in all traces\n", result.ranges.size() - shown);
  }
  if (result.in_order) {
    text += fmt::format("  in order of {}: {}\n", options.keys, *result.in_order ? "yes" : "no");
  }
  text.pop_back();
  return text;
}

int run(Session& session, const Options& options) {
  Communicator& comm = session.comm();
  ScanOptions wanted;
  wanted.statistics = options.statistics;
  wanted.keys = together(comm, [&] {
    if (options.keys.empty() && options.statistics) {
      throw Error({.code = ErrorCode::usage,
                   .problem = "--stats needs keys",
                   .action = "name them: --keys cdp,offset --stats"});
    }
    return options.keys.empty() ? all_words() : segy::TraceKey::parse_list(options.keys);
  });
  const bool to_file = !options.csv.empty() && options.csv != "-";
  session.claim(options.files, to_file ? std::vector<std::string>{options.csv} : std::vector<std::string>{});
  const Reader reader(session.resources(), options.files);
  session.tell_diagnostics(reader.files());
  wanted.traces = together(comm, [&] {
    const bool nothing_to_choose = reader.traces() == 0 && options.range == ":";
    return nothing_to_choose ? ItemRange{} : parse_trace_range(options.range, reader.traces());
  });
  std::optional<CsvOutput> csv;
  if (!options.csv.empty()) {
    on_rank(comm, 0, [&] { csv.emplace(options.csv); });
    wanted.csv = [&](std::string_view text) { csv->write(text); };
  }
  const ScanResult result = scan(session.resources(), reader, wanted);
  on_rank(comm, 0, [&] {
    if (csv) csv->finish();
  });
  // Standard output that holds values holds nothing else.
  if (options.csv != "-") {
    session.print(table_of(result, options));
  } else if (options.statistics && session.is_first_rank()) {
    fmt::print(stderr, "{}\n", table_of(result, options));
  }
  Done done;
  done.traces_in = wanted.traces.count;
  session.finish(done);
  return 0;
}

}  // namespace

void add_scan(CLI::App& program, Commands& commands) {
  const auto [parser, command] =
      add_command(program, commands, "scan", "Tells about header words of all traces, without reading samples",
                  "  sill scan line1.sgy                              the range of every word that varies\n"
                  "  sill scan line1.sgy --keys cdp,offset --stats    range, distinct values, whether in order\n"
                  "  sill scan line*.sgy --keys fldr,azimuth --csv headers.csv\n"
                  "  sill scan line1.sgy --keys @189:i4 --range 1:100 --csv -\n");
  auto options = std::make_shared<Options>();
  parser.add_option("FILE", options->files, "SEG-Y files, taken as one survey")->required();
  parser.add_option("--keys", options->keys, "Words, separated by commas. " + segy::key_grammar());
  parser.add_flag("--stats", options->statistics,
                  "Also count distinct values, and tell whether the traces are in order of all keys");
  parser.add_option("--csv", options->csv, "Write the values of every trace to this file, - for standard output");
  parser.add_option("--range", options->range, "Traces FIRST:LAST, counted from 1, both included");
  command.run = [options](Session& session) { return run(session, *options); };
}

}  // namespace sill::cli
