// sill index: stores, next to files, the positions of traces of varying lengths, and words of all trace headers.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "cli/command.hpp"
#include "cli/inputs.hpp"
#include "cli/json_text.hpp"
#include "cli/session.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/detect/header_checks.hpp"
#include "sill/formats/segy/expression/expression_reader.hpp"
#include "sill/io/edit/edit_journal.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/survey/describe.hpp"
#include "sill/io/survey/file_words.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/same_file.hpp"

namespace sill::cli {
namespace {

struct IndexArguments {
  std::vector<std::string> files;
  std::string words;
  bool remove = false;
  bool json = false;
};

struct Stated {
  nlohmann::ordered_json json;
  std::string text;
};

Stated remove(Session& session, const std::string& path) {
  const bool removed = remove_index_file(session.resources(), path);
  return {{{"file", path}, {"index", index_path_of(path)}, {"removed", removed}},
          fmt::format("{}: {}", path, removed ? "its index was removed" : "no index is stored next to it")};
}

// Rejects a truncated file, or one with an inconsistent header, now, so that the error does not first appear when the
// index is used.
void require_whole(const segy::FileDescription& file, const TraceIndex& index) {
  if (index.remainder_bytes == 0) return;
  const std::int64_t byte = file.traces_end_byte() - index.remainder_bytes;
  const std::string stated = index.remainder_shape ? fmt::format("it states {} samples", index.remainder_shape->samples)
                                                   : std::string("even its headers are incomplete");
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("a trace reaches beyond the end of the traces: {} bytes remain, {}",
                                      index.remainder_bytes, stated),
               .where = {.file = file.path, .byte = byte, .item = index.table.traces() + 1, .item_word = "trace"},
               .clause = "SEG-Y rev 1, trace header bytes 115-116: number of samples in this trace",
               .action = "the file is truncated, or the length of an earlier trace is wrong; no index was stored"});
}

// Returns the words to store, without duplicates, from a list of names or positions.
std::vector<IndexWord> words_of(const std::string& list, const segy::HeaderMap& map) {
  std::vector<IndexWord> words;
  segy::ExpressionReader reader(list, map);
  do {
    const IndexWord word = index_word_of(reader.word());
    if (std::ranges::find(words, word) == words.end()) words.push_back(word);
  } while (reader.accept(","));
  if (!reader.at_end()) reader.refuse_rest();
  if (std::ssize(words) > max_index_words)
    throw usage_error(fmt::format("an index stores at most {} words", max_index_words),
                      "name only the words that conditions use");
  return words;
}

Stated make_index(Session& session, const std::string& path, const std::string& words, Done& done) {
  const Resources& resources = session.resources();
  const auto start = std::chrono::steady_clock::now();
  if (!session.rules().ignores_journals) require_no_journal(resources, path);
  const FileStamp before = stamp_of(resources, path);
  DescribedFile file = open_described(resources, path, session.rules().assume, session.rules().ignores_journals);
  run_and_agree(resources.comm, [&] { session.refuse_if_strict(file.description); });
  session.report_diagnostics({&file.description, 1});
  const bool differ = file.description.lengths_vary;
  if (!differ) run_and_agree(resources.comm, [&] { segy::refuse_critical(file.description, {.file = path}); });
  if (!differ && words.empty()) {
    done.traces_in += file.description.traces;
    return {{{"file", path}, {"needed", false}, {"traces", file.description.traces}},
            fmt::format("{}: all {} traces have {} samples; no index is needed, and none was stored", path,
                        format_count(file.description.traces), format_count(file.description.samples))};
  }
  std::vector<IndexWord> stored;
  if (!words.empty()) {
    std::vector<segy::FileDescription> descriptions{file.description};
    const segy::HeaderMap names = words_of_files(resources, {&file.store, 1}, descriptions, session.map());
    stored = run_and_agree(resources.comm, [&] { return words_of(words, names); });
  }
  const TraceIndex index =
      differ ? index_traces(resources, *file.store, file.description) : run_and_agree(resources.comm, [&] {
        return index_of(segy::TraceTable(file.description), *file.store, file.description);
      });
  run_and_agree(resources.comm, [&] {
    require_whole(file.description, index);
    if (!differ) return;
    file.description.traces = index.table.traces();
    segy::check_trace_count(file.description);
    segy::refuse_critical(file.description, {.file = path});
  });
  const std::int64_t bytes = write_index_file(resources, *file.store, file.description, index, stored, before);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  const auto stretches = index.table.stretches();
  const auto [smallest, largest] = std::ranges::minmax_element(stretches, {}, &segy::TraceStretch::samples);
  const std::int64_t fewest = stretches.empty() ? 0 : smallest->samples;
  const std::int64_t max = stretches.empty() ? 0 : largest->samples;
  done.traces_in += index.table.traces();
  return {{{"file", path},
           {"needed", differ},
           {"index", index_path_of(path)},
           {"traces", index.table.traces()},
           {"stretches", stretches.size()},
           {"words", stored.size()},
           {"smallest_samples", fewest},
           {"largest_samples", max},
           {"seconds", seconds},
           {"bytes", bytes}},
          fmt::format("{}\n  traces        {}, {} to {} samples\n  stretches     {} of equal length\n{}"
                      "  index         {}, {}\n  time          {:.3f} s",
                      path, format_count(index.table.traces()), format_count(fewest), format_count(max),
                      format_count(std::ssize(stretches)),
                      stored.empty() ? "" : fmt::format("  words         {} of each trace header\n", stored.size()),
                      index_path_of(path), format_bytes(bytes), seconds)};
}

int run_index(Session& session, const IndexArguments& options) {
  session.reserve_files(options.files, {});
  for (const std::string& path : options.files)
    require_other_file(session.resources(), index_path_of(path), options.files);
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  Done done;
  for (const std::string& path : options.files) {
    Stated stated = options.remove ? remove(session, path) : make_index(session, path, options.words, done);
    if (options.json) {
      all.push_back(std::move(stated.json));
    } else {
      session.print(stated.text);
    }
  }
  if (options.json) {
    const auto& shown = options.files.size() == 1 ? all[0] : all;
    session.print(json_text(shown));
  }
  return session.finish(done);
}

}  // namespace

void add_index(CLI::App& program, Commands& commands) {
  const auto [parser, command, options] =
      add_command(program, commands, "index",
                  "Store trace positions and header words in an index next to files\n"
                  "Other commands then find traces, also of different lengths, without reading all headers.",
                  "  sill index line1.sgy            stores line1.sgy.sill-index, so that other commands begin "
                  "immediately\n"
                  "  sill index cube.sgy --words iline,xline   for cut --where 'iline == 1200'\n"
                  "  sill index --remove line1.sgy   removes it\n",
                  run_index);
  add_inputs({parser, command}, "FILE", options->files, "SEG-Y or Seismic Unix files");
  CLI::Option* const words = parser.add_option(
      "--words", options->words,
      "Also store these words of every trace header, by names or positions (iline,xline or @189:i4), "
      "even if all traces have one length. `sill cut --where` reads them instead of the headers while "
      "size, time and headers of the file are unchanged");
  parser.add_flag("--remove", options->remove, "Remove the index stored next to each file")->excludes(words);
  parser.add_flag("--json", options->json, "Print JSON: an object for one file, an array for several");
  add_map_option({parser, command});
  parser.get_option("--map")->needs(words);
}

}  // namespace sill::cli
