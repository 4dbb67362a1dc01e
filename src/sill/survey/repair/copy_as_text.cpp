#include "sill/survey/repair/copy_as_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/formats/segy/detect/file_signs.hpp"
#include "sill/formats/segy/detect/header_checks.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/files/open_on_all_ranks.hpp"
#include "sill/io/survey/file_stamp.hpp"
#include "sill/io/survey/output_file.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/survey/repair/line_ends.hpp"
#include "sill/survey/repair/repair_proof.hpp"

namespace sill {
namespace {

/// Number of bytes that are searched for line ends in a file that cannot be read at all.
constexpr std::int64_t begin_bytes = 1 << 20;

[[noreturn]] void refuse_copy(const std::string& path, std::string why) {
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("this file was copied as text, which cannot be undone with certainty: {}", why),
               .where = {.file = path},
               .action = "copy it again, as binary"});
}

}  // namespace

bool begins_with_text_line_ends(const Resources& resources, const std::string& path) {
  std::int64_t found = 0;
  run_on_rank(resources.comm, 0, [&] {
    const std::unique_ptr<Store> store = resources.open(path, OpenMode::read);
    std::vector<std::byte> begin(static_cast<std::size_t>(std::min(begin_bytes, store->size_bytes())));
    read_at(*store, 0, begin);
    found = segy::has_text_line_ends(begin) ? 1 : 0;
  });
  return all_reduce(resources.comm, found, Reduction::max) != 0;
}

RepairResult undo_copy_as_text(const Resources& resources, const segy::HeaderMap* map, const InputRules& rules,
                               const RepairOptions& options) {
  Communicator& comm = resources.comm;
  run_and_agree(comm, [&] {
    const bool has_other_options = map != nullptr || options.byte_order || options.revision || options.last_trace ||
                                   options.renumber || !options.history.empty();
    if (!has_other_options) return;
    throw Error({.code = ErrorCode::usage,
                 .problem = "this file was copied as text: the repair of this cannot be combined with other options",
                 .where = {.file = options.input},
                 .action = "give only -o (and --assume), then repair the result with the other options"});
  });
  const FileStamp stamp = stamp_of(resources, options.input);
  const std::unique_ptr<Store> store = std::move(open_on_all_ranks(resources, {&options.input, 1}).front());
  const LineEnds ends(resources, *store, stamp.bytes);
  run_and_agree(comm, [&] {
    if (ends.first_lone_byte() >= 0)
      refuse_copy(options.input, fmt::format("the line feed at byte {} does not follow a carriage return",
                                             ends.first_lone_byte() + 1));
    if (ends.pairs() < segy::min_line_ends)
      refuse_copy(options.input, fmt::format("it has only {} line ends", ends.pairs()));
  });
  RepairResult result{.traces_in = -1, .traces_out = -1, .output_bytes = stamp.bytes - ends.pairs()};
  result.repairs.push_back({.what = "copy as text",
                            .where = "the complete file",
                            .before = fmt::format("{} line ends of two bytes", format_count(ends.pairs())),
                            .after = "of one byte",
                            .why = "every line feed follows a carriage return"});
  if (options.dry_run) {
    result.notes.emplace_back("the file without the carriage returns is checked when it is written");
    return result;
  }
  OutputFile out(resources, options.output, result.output_bytes);
  ends.undo(out);
  run_on_rank(comm, 0, [&] {
    if (own_stamp_of(options.input) == stamp && (rules.ignores_journals || !has_journal(options.input))) return;
    throw Error({.code = ErrorCode::io,
                 .problem = "this file was changed while it was read",
                 .where = {.file = options.input},
                 .action = "run again when no program writes to it; no output was made"});
  });
  out.share();
  std::optional<std::string> unsound;
  try {
    const SurveyReader reader(resources, {out.unfinished_path()}, nullptr,
                              {.assume = rules.assume, .stops_at = Grade::major});
    result.after = reader.files().front();
    result.after->path = options.output;
  } catch (const Error& error) {
    require_known_to_all(comm, error);
    if (error.code() != ErrorCode::input) throw;
    unsound = error.parts().problem;
  }
  run_and_agree(comm, [&] {
    if (unsound)
      refuse_copy(options.input, fmt::format("without the carriage returns it is not consistent: {}", *unsound));
  });
  result.traces_out = result.after->traces;
  result.left = left_findings(*result.after);
  if (!rules.assume.empty())
    result.notes.push_back(
        fmt::format("undoing a copy does not change headers: the assumptions ({}) are also needed to read {}",
                    fmt::join(rules.assume.stated, ", "), options.output));
  run_and_agree(comm, [&] {
    if (rules.stops_at < Grade::critical) segy::refuse_from({&*result.after, 1}, rules.stops_at);
  });
  out.finish();
  return result;
}

}  // namespace sill
