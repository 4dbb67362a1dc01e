// sill records: files of records of programs, such as the XML of BLAST.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>
#include <list>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.hpp"
#include "cli/json_text.hpp"
#include "cli/session.hpp"
#include "cli/text_file.hpp"
#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/records/record_text.hpp"
#include "sill/io/files/whole_text_file.hpp"
#include "sill/io/records/records_reader.hpp"
#include "sill/io/records/records_writer.hpp"
#include "sill/io/survey/same_file.hpp"
#include "sill/store/posix/unnamed_file.hpp"

namespace sill::cli {
namespace {

struct RecordsArguments {
  std::vector<std::string> files;
  std::string ids;
  std::string to;
  std::string folder = ".";
  bool each = false;
  bool plain = false;
  bool json = false;
};

using IdRange = std::pair<std::int64_t, std::int64_t>;

// Parses ids such as "3,5-9"; an empty result stands for all ids.
std::vector<IdRange> ids_in(const std::string& text) {
  std::vector<IdRange> ranges;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    IdRange range;
    auto [stop, error] = std::from_chars(at, end, range.first);
    range.second = range.first;
    if (error == std::errc() && stop != end && *stop == '-') {
      const auto last = std::from_chars(stop + 1, end, range.second);
      stop = last.ptr;
      error = last.ec;
    }
    if (error != std::errc() || (stop != end && *stop != ',') || stop + 1 == end || range.first > range.second) {
      throw usage_error(fmt::format("--ids {:?} does not name records", text), "write ids and ranges, such as 3,5-9");
    }
    ranges.push_back(range);
    at = stop == end ? end : stop + 1;
  }
  if (ranges.empty()) ranges.emplace_back(0, std::numeric_limits<std::int64_t>::max());
  return ranges;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

[[noreturn]] void refuse_record(const std::string& path, std::int64_t id, const std::string& problem,
                                std::string action) {
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("record {}: {}", id, problem),
               .where = {.file = path},
               .action = std::move(action)});
}

// Errors: input if the files lack a record of `ranges`, or, if these are all (`is_all`), if a file is incomplete.
void require_records(const std::list<RecordsFile>& files, std::span<const IdRange> ranges, bool is_all) {
  const auto incomplete = std::ranges::find_if(files, [](const RecordsFile& each) { return !!each.incomplete(); });
  const bool is_whole = incomplete == files.end();
  const auto refuse = [&](const std::string& problem) {
    throw Error({.code = ErrorCode::input,
                 .problem = problem + (is_whole ? "" : *incomplete->incomplete()),
                 .where = {.file = is_whole ? files.front().path() : incomplete->path()},
                 .action = is_whole ? "`sill records list --each` lists them"
                                    : "`sill records recover` copies its intact records to a complete file"});
  };
  if (is_all) return is_whole ? void() : refuse("");
  std::vector<std::int64_t> ids;
  for (const RecordsFile& file : files)
    std::ranges::transform(file.records(), std::back_inserter(ids), &records::RecordPlace::id);
  std::ranges::sort(ids);
  for (const auto& [first, last] : ranges) {
    std::int64_t next = first;
    while (std::ranges::binary_search(ids, next) && next < last) ++next;
    if (!std::ranges::binary_search(ids, next))
      refuse(fmt::format("there is no record {}{}{}", next,
                         first == last ? "" : fmt::format(" of {} to {}", first, last), is_whole ? "" : ": "));
  }
}

std::int64_t first_id_of(const RecordsFile& file) { return file.records().empty() ? -1 : file.records().front().id; }

std::string lost_text(std::span<const records::RecordPlace> lost) {
  constexpr std::size_t max_shown = 20;
  std::vector<std::string> ranges;
  for (std::size_t r = 0; r < lost.size();) {
    std::size_t last = r;
    while (last + 1 < lost.size() && lost[last + 1].id == lost[last].id + 1) ++last;
    ranges.push_back(last == r ? fmt::format("{}", lost[r].id) : fmt::format("{}-{}", lost[r].id, lost[last].id));
    r = last + 1;
  }
  const bool is_long = ranges.size() > max_shown;
  if (is_long) ranges.resize(max_shown);
  return fmt::format("{}{}", fmt::join(ranges, ","), is_long ? ",..." : "");
}

int run_list(Session& session, const RecordsArguments& options) {
  session.reserve_files(options.files, {});
  session.print_from_first_rank([&] {
    std::string text;
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const std::string& each : options.files) {
      const RecordsFile file(session.resources(), each);
      const auto& found = file.records();
      const std::int64_t bytes = found.empty() ? 0 : found.back().offset + found.back().bytes;
      nlohmann::ordered_json entry{
          {"file", each},   {"codec", name_of(file.codec())},  {"records", found.size()},
          {"bytes", bytes}, {"file_bytes", file.file_bytes()}, {"complete", !file.incomplete()}};
      text += fmt::format("{}: {} records of {}, {} by {}{}\n", each, format_count(std::ssize(found)),
                          format_bytes(bytes), format_bytes(file.file_bytes()), name_of(file.codec()),
                          file.incomplete() ? "; " + *file.incomplete() : "");
      for (const records::RecordPlace& record : options.each ? found : std::vector<records::RecordPlace>()) {
        text += fmt::format("{}\t{}\n", record.id, record.bytes);
        entry["each"].push_back({{"id", record.id}, {"bytes", record.bytes}});
      }
      list.push_back(std::move(entry));
    }
    return options.json ? json_text(nlohmann::ordered_json{{"files", list}}) : text;
  });
  return session.finish();
}

int run_get(Session& session, const RecordsArguments& options) {
  session.reserve_files(options.files, options.to.empty() ? std::vector<std::string>() : std::vector{options.to});
  const std::vector<IdRange> ranges = run_and_agree(session.comm(), [&] { return ids_in(options.ids); });
  const std::vector<std::int64_t> first = first_of_same_files(session.resources(), options.files);
  run_and_agree(session.comm(), [&] {
    for (std::size_t f = 0; f < first.size(); ++f)
      if (first[f] != static_cast<std::int64_t>(f))
        throw Error({.code = ErrorCode::usage,
                     .problem = "this file is named twice",
                     .where = {.file = options.files[f]},
                     .action = "name it once; its records would be written twice"});
  });
  std::int64_t count = 0;
  run_on_rank(session.comm(), 0, [&] {
    std::list<RecordsFile> files;
    for (const std::string& path : options.files) files.emplace_back(session.resources(), path);
    require_records(files, ranges, options.ids.empty());
    std::optional<WholeTextFile> to;
    if (!options.to.empty()) to.emplace(session.resources(), options.to);
    const auto put = [&](std::string_view text) {
      if (to) {
        to->write(text);
      } else {
        session.write(text);
      }
    };
    std::vector<std::byte> bytes;
    if (!options.plain) put("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<records>\n");
    // Sorts by ids, regardless of the order in which a shell lists the files.
    files.sort([](const RecordsFile& a, const RecordsFile& b) { return first_id_of(a) < first_id_of(b); });
    for (RecordsFile& file : files) {
      for (const records::RecordPlace& record : file.records()) {
        const auto has = [&](const IdRange& each) { return record.id >= each.first && record.id <= each.second; };
        if (std::ranges::none_of(ranges, has)) continue;
        if (const auto fault = file.read(record, bytes))
          refuse_record(file.path(), record.id, *fault, "omit this record, or see `sill records recover`");
        put(options.plain ? std::string(as_text(bytes)) : records::xml_element(record.id, as_text(bytes)));
        ++count;
      }
    }
    if (!options.plain) put("</records>\n");
    if (to) to->finish();
  });
  if (!options.to.empty()) session.print(fmt::format("{}: {} records", options.to, format_count(count)));
  return session.finish();
}

int run_verify(Session& session, const RecordsArguments& options) {
  session.reserve_files(options.files, {});
  std::int64_t faults = 0;
  session.print_from_first_rank([&] {
    std::string text;
    for (const std::string& each : options.files) {
      RecordsFile file(session.resources(), each);
      const RecordsFile::Verified found = file.verify();
      const auto damaged = std::ssize(found.damaged);
      text += fmt::format("{}: {} of {} records are intact\n", each, format_count(std::ssize(file.records()) - damaged),
                          format_count(std::ssize(file.records())));
      if (damaged > 0)
        text += fmt::format("  damaged: {}\n  the first: {}\n", lost_text(found.damaged), found.first_fault);
      if (file.incomplete()) text += fmt::format("  {}\n", *file.incomplete());
      if (found.unlisted_bytes > 0)
        text += fmt::format("  {} after them are in no line of the index\n", format_bytes(found.unlisted_bytes));
      faults += damaged + (file.incomplete() ? 1 : 0) + (found.unlisted_bytes > 0 ? 1 : 0);
    }
    return text;
  });
  faults = all_reduce(session.comm(), faults, Reduction::max);
  return session.finish({}, faults > 0 ? 1 : 0);
}

int run_recover(Session& session, const RecordsArguments& options) {
  session.reserve_files(options.files, {options.to, records::index_path(options.to)});
  const bool is_first = session.is_first_rank();
  std::optional<RecordsFile> file;
  std::vector<std::int64_t> counts{0, 0};  // codec; all
  run_on_rank(session.comm(), 0, [&] {
    file.emplace(session.resources(), options.files.front());
    counts = {static_cast<std::int64_t>(file->codec()), std::ssize(file->records())};
  });
  broadcast_all(session.comm(), counts, 0);
  RecordsOptions form;
  form.form.codec = static_cast<records::Codec>(counts[0]);
  RecordsWriter writer(session.resources(), options.to, form);
  std::vector<records::RecordPlace> lost;
  std::vector<std::byte> bytes;
  constexpr std::int64_t batch_bytes = 64 << 20;
  for (std::int64_t r = 0; r < counts[1];) {
    std::int64_t next = r;
    run_on_rank(session.comm(), 0, [&] {
      for (std::int64_t taken = 0; next < counts[1] && taken < batch_bytes; ++next) {
        const records::RecordPlace& record = file->records()[static_cast<std::size_t>(next)];
        if (file->read(record, bytes)) {
          lost.push_back(record);
          continue;
        }
        writer.put(record.id, bytes);
        taken += record.bytes;
      }
    });
    r = all_reduce(session.comm(), is_first ? next : 0, Reduction::max);
    writer.write();
  }
  writer.close();
  std::string text = fmt::format("{}: {} records", options.to, format_count(counts[1] - std::ssize(lost)));
  if (!lost.empty()) text += fmt::format("; {} are lost: {}", format_count(std::ssize(lost)), lost_text(lost));
  session.print(text);
  return session.finish();
}

// Returns the speed in bytes per second.
double speed_of(std::int64_t bytes, const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(bytes) / std::max(took.count(), 1e-9);
}

int run_advise_records(Session& session, const RecordsArguments& options) {
  session.reserve_files(options.files, {});
  session.print_from_first_rank([&] {
    constexpr std::int64_t sample_bytes = 64 << 20;
    std::vector<std::byte> raw;
    RecordsFile file(session.resources(), options.files.front());
    std::vector<std::byte> bytes;
    for (const records::RecordPlace& each : file.records()) {
      if (std::ssize(raw) >= sample_bytes) break;
      if (!file.read(each, bytes)) raw.insert(raw.end(), bytes.begin(), bytes.end());
    }
    if (raw.empty())
      throw Error({.code = ErrorCode::input,
                   .problem = "the file has no records to measure with",
                   .where = {.file = options.files.front()},
                   .action = "give a file with records"});
    const UnnamedFile unnamed(options.folder);
    const std::unique_ptr<Store> to = session.resources().open(unnamed.path(), OpenMode::write);
    const double write = speed_of(std::ssize(raw), [&] {
      write_at(*to, 0, raw);
      to->sync();
    });
    const int threads = session.resources().threads();
    struct Way {
      std::string name;
      double seconds = 0;  // for 1 GB of records
    };
    std::vector<Way> ways;
    std::string text =
        fmt::format("{} of records, {} threads, {} written at {}/s\n{:<10}{:>8}{:>16}{:>16}\n",
                    format_bytes(std::ssize(raw)), threads, options.folder,
                    format_bytes(static_cast<std::int64_t>(write)), "codec", "smaller", "packs", "GB of records");
    const std::vector<records::FrameForm> forms{{records::Codec::none, 1}, {records::Codec::zstd, 1},
                                                {records::Codec::zstd, 3}, {records::Codec::zstd, 9},
                                                {records::Codec::bgzf, 1}, {records::Codec::bgzf, 6}};
    for (const records::FrameForm& given : forms) {
      const records::FrameForm form = records::checked(given);
      const std::int64_t frames = (std::ssize(raw) + form.frame_bytes - 1) / form.frame_bytes;
      std::vector<std::int64_t> packed(static_cast<std::size_t>(threads));
      const double packs = speed_of(std::ssize(raw), [&] {
        run_on_threads(threads, [&](int thread) {
          records::FramePacker packer(form);
          std::vector<std::byte> room;
          for (std::int64_t f = thread; f < frames; f += threads) {
            const std::int64_t at = f * form.frame_bytes;
            const auto count = static_cast<std::size_t>(std::min(form.frame_bytes, std::ssize(raw) - at));
            room.clear();
            packed[static_cast<std::size_t>(thread)] +=
                packer.add(std::span(raw).subspan(static_cast<std::size_t>(at), count), room);
          }
        });
      });
      std::int64_t all = 0;
      for (const std::int64_t each : packed) all += each;
      const double ratio = static_cast<double>(std::ssize(raw)) / static_cast<double>(all);
      // Frames are written while the next frames are compressed.
      const double seconds = 1e9 * std::max(form.codec == records::Codec::none ? 0 : 1 / packs, 1 / ratio / write);
      ways.push_back(
          {form.codec == records::Codec::none ? "none" : fmt::format("{}:{}", name_of(form.codec), form.level),
           seconds});
      text += fmt::format("{:<10}{:>8.2f}{:>14}/s{:>14.2f} s\n", ways.back().name, ratio,
                          format_bytes(static_cast<std::int64_t>(packs)), seconds);
    }
    const Way& best = *std::ranges::min_element(ways, {}, &Way::seconds);
    return text + fmt::format("shortest: {}\n", best.name);
  });
  return session.finish();
}

using RecordsCommand = CommandOf<RecordsArguments>;

RecordsCommand add_records_command(CLI::App& group, Commands& commands, const char* name, const char* description,
                                   const char* examples, int (*run)(Session&, const RecordsArguments&),
                                   int max_files = -1) {
  const RecordsCommand made = add_command(group, commands, name, description, examples, run);
  auto* const files = made.parser
                          .add_option("FILE", made.options->files,
                                      max_files == 1 ? "A file of records, with its index FILE.index next to it"
                                                     : "Files of records, each with its index FILE.index next to it")
                          ->required();
  if (max_files > 0) files->expected(max_files);
  made.command.output = "records";
  return made;
}

}  // namespace

void add_records(CLI::App& program, Commands& commands) {
  CLI::App& group = *program.add_subcommand("records", "Show, verify and recover files of records");
  group.require_subcommand(1);
  group.footer("`sill records NAME --help` describes a command and gives examples.");
  const RecordsCommand list =
      add_records_command(group, commands, "list", "Show how many records files contain, and how they are compressed",
                          "  sill records list hits.xml.zst\n"
                          "  sill records list hits.xml.zst --each       also the id and the bytes of each record\n"
                          "  sill records list hits.xml.*.zst --json\n",
                          run_list);
  list.parser.add_flag("--each", list.options->each, "Also show the id and the bytes of each record");
  list.parser.add_flag("--json", list.options->json, "Print JSON");
  const RecordsCommand get = add_records_command(
      group, commands, "get",
      "Write XML records as one document\nEach is in an element `record`. Damaged or missing records are "
      "errors.",
      "  sill records get hits.xml.zst -o all.xml\n"
      "  sill records get hits.xml.zst --ids 3,5-9 -o some.xml\n"
      "  sill records get hits.xml.*.zst --plain > all.txt\n",
      run_get);
  get.parser.add_option("--ids", get.options->ids, "Ids of the records to write, such as 3,5-9. Default: all");
  get.parser.add_option("-o,--output", get.options->to,
                        "The document; it appears when it is complete. Default: standard output");
  get.parser.add_flag("--plain", get.options->plain, "Write the records unchanged, one after another");
  (void)add_records_command(group, commands, "verify",
                            "Decompress all records and verify their checksums\nExit status: 1 if a record is damaged "
                            "or the file is incomplete.",
                            "  sill records verify hits.xml.zst\n"
                            "  sill records verify hits.xml.*.zst\n"
                            "  mpiexec -n 4 sill records verify hits.xml.zst\n",
                            run_verify);
  const RecordsCommand recover =
      add_records_command(group, commands, "recover",
                          "Copy the intact records of a truncated or damaged file\nReports which records are lost.",
                          "  sill records recover hits.xml.zst -o intact.xml.zst\n"
                          "  sill records recover hits.xml.zst -o intact.xml.zst --log recovery.log\n"
                          "  sill records recover /scratch/hits.xml.zst -o hits.xml.zst\n",
                          run_recover, 1);
  recover.parser.add_option("-o,--output", recover.options->to, "The file for the intact records")->required();
  const RecordsCommand advise = add_records_command(
      group, commands, "advise",
      "Find the codec that writes records in the shortest time\n"
      "Compresses some of the records with each codec, and measures the speed of writes to a folder.",
      "  sill records advise hits.xml.zst\n"
      "  sill records advise hits.xml.zst --folder /scratch\n"
      "  sill records advise hits.xml.zst --folder /scratch --threads 4\n",
      run_advise_records, 1);
  advise.parser.add_option("--folder", advise.options->folder, "Folder that records will be written to")
      ->capture_default_str();
}

}  // namespace sill::cli
