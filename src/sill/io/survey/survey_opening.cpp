// Opening files as one survey.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/formats/segy/detect/header_checks.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/files/open_on_all_ranks.hpp"
#include "sill/io/survey/describe.hpp"
#include "sill/io/survey/file_words.hpp"
#include "sill/io/survey/index_file.hpp"
#include "sill/io/survey/survey_reader.hpp"
#include "sill/store/ranged/ranged_source.hpp"

namespace sill {
namespace {

void require_same(const segy::FileDescription& first, const segy::FileDescription& other, bool same,
                  std::string_view what, const std::string& of_first, const std::string& of_other,
                  std::string_view clause) {
  if (same) return;
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("the files cannot be read as one survey: {} is {} here, but {} in {}", what,
                                      of_other, of_first, first.path),
               .where = {.file = other.path},
               .clause = std::string(clause),
               .action = "convert the files to one form first, or process them separately"});
}

// Rejects a file that is named twice, by any path or link: its traces would be in the survey twice.
void require_different_files(const std::vector<std::string>& paths) {
  std::map<std::string, std::string_view> seen;
  for (const std::string& path : paths) {
    struct stat status {};
    const bool is_remote = is_url(path);
    if (!is_remote && ::stat(path.c_str(), &status) != 0) continue;  // opening the file reports the cause
    const auto [first, is_new] =
        seen.emplace(is_remote ? path : fmt::format("{} {}", status.st_dev, status.st_ino), path);
    if (is_new) continue;
    throw Error({.code = ErrorCode::usage,
                 .problem = first->second == path ? "this input is named twice"
                                                  : fmt::format("this input is the same file as {}", first->second),
                 .where = {.file = path},
                 .action = "name it once: otherwise each of its traces would be read twice"});
  }
}

}  // namespace

SurveyReader::SurveyReader(const Resources& resources, const std::vector<std::string>& paths,
                           const segy::HeaderMap* map, const InputRules& rules)
    : resources_(resources),
      assumptions_(rules.assume),
      paths_(paths),
      ignores_journals_(rules.ignores_journals || rules.despite_journals) {
  run_and_agree(resources_.comm, [&] {
    if (paths.empty()) throw Error({.code = ErrorCode::usage, .problem = "no input file is named"});
  });
  run_on_rank(resources_.comm, 0, [&] {
    if (!rules.may_differ) require_different_files(paths);
    for (const std::string& path : paths) stamps_.push_back(own_stamp_of(path));
  });
  broadcast_all(resources_.comm, stamps_, 0);  // each rank may check for changes independently
  std::vector<std::unique_ptr<Store>> opened = open_surveys(resources_, paths);
  const auto describe = [&](std::size_t file) {
    if (!ignores_journals_) require_no_journal(resources_, paths[file]);
    return described(resources_, std::move(opened[file]), paths[file], assumptions_);
  };
  std::vector<std::optional<DescribedFile>> remote(paths.size());
  if (const int threads = threads_for_urls(resources_, paths); threads > 1)
    parallel_for(threads, std::ssize(paths), [&](std::int64_t task, int /*thread*/) {
      const auto file = static_cast<std::size_t>(task);
      if (is_url(paths[file])) remote[file] = describe(file);
    });
  for (std::size_t file = 0; file < paths.size(); ++file)
    add_file(paths[file], remote[file] ? std::move(*remote[file]) : describe(file), rules);
  is_uniform_ = is_uniform_ && std::ranges::all_of(files_, [&](const segy::FileDescription& file) {
                  return file.trace_bytes == files_.front().trace_bytes && file.samples == files_.front().samples;
                });
  // The tables do not move in memory, even when the reader is moved.
  for (std::size_t file = 0; !is_uniform_ && file < inputs_.size(); ++file)
    inputs_[file].place_of = [table = &tables_[file]](ItemRange traces) { return table->bytes_of(traces); };
  // Callers with stricter rules get these findings, too, even if they do not use samples.
  for (int file = 0; rules.stops_at < Grade::critical && file < static_cast<int>(files_.size()); ++file)
    if (const std::optional<Diagnostic> found = sample_format_finding(file))
      files_[static_cast<std::size_t>(file)].diagnostics.push_back(*found);
  run_and_agree(resources_.comm, [&] {
    if (rules.stops_at < Grade::critical) segy::refuse_from(files_, rules.stops_at);
    if (!rules.takes_damaged) require_whole_traces();
    if (!rules.may_differ) require_one_survey();
  });
  words_ = words_of_files(resources_, stores_, files_, map);
  run_and_agree(resources_.comm, [&] {
    if (!rules.takes_damaged || rules.stops_at < Grade::critical) segy::refuse_from(files_, rules.stops_at);
  });  // findings about the stanzas
}

void SurveyReader::add_file(const std::string& path, DescribedFile file, const InputRules& rules) {
  segy::FileDescription& description = file.description;
  if (!rules.despite_journals)
    if (const std::optional<Diagnostic> found = journal_diagnostic(resources_, path, rules.ignores_journals))
      description.diagnostics.push_back(*found);
  index_words_.emplace_back();
  if (description.lengths_vary) {
    IndexedFile indexed_file = indexed(resources_, *file.store, description);
    description.traces = indexed_file.index.table.traces();
    description.remainder_bytes = indexed_file.index.remainder_bytes;
    // Unusable words of an index matter only to callers that request words.
    if (indexed_file.diagnostic && (rules.index_words || !indexed_file.is_stored))
      description.diagnostics.push_back(*indexed_file.diagnostic);
    tables_.push_back(std::move(indexed_file.index.table));
    if (rules.index_words) index_words_.back() = std::move(indexed_file.words);
    if (description.remainder_bytes == 0) segy::check_trace_count(description);
    // The traces of a file with varying lengths may all have one length. With a truncated trace this is not known.
    if (tables_.back().is_uniform() && description.traces > 0 && description.remainder_bytes == 0) {
      description.lengths_vary = false;
      description.samples = tables_.back().shape_of(0).samples;
      description.additional_trace_headers = tables_.back().shape_of(0).headers - 1;
      description.trace_bytes = tables_.back().trace_bytes(0);
    }
  } else {
    tables_.emplace_back(description);
    if (rules.index_words && !is_url(path)) {
      StoredIndex kept = read_index_file(resources_, *file.store, description);
      if (kept.diagnostic) description.diagnostics.push_back(std::move(*kept.diagnostic));
      index_words_.back() = std::move(kept.words);
    }
  }
  is_uniform_ = is_uniform_ && !description.lengths_vary;
  inputs_.push_back(
      {file.store.get(), {description.first_trace_byte, description.trace_bytes, description.traces}, traces_});
  traces_ += description.traces;
  stores_.push_back(std::move(file.store));
  files_.push_back(std::move(description));
}

void SurveyReader::require_whole_traces() const {
  for (const segy::FileDescription& file : files_) {
    const Where end{.file = file.path, .byte = file.traces_end_byte() - file.remainder_bytes};
    if (file.remainder_bytes != 0)
      throw Error({.code = ErrorCode::input,
                   .problem = file.lengths_vary
                                  ? fmt::format("{} bytes remain after the last of {} complete traces: the next trace "
                                                "extends beyond the end of the file",
                                                file.remainder_bytes, file.traces)
                                  : fmt::format("{} bytes remain after the last complete trace, but a trace has {}",
                                                file.remainder_bytes, file.trace_bytes),
                   .where = end,
                   .clause = "SEG-Y rev 1, clause 4: a file ends with a complete trace",
                   .action = "the file is truncated, or a header states a wrong number of samples: get an intact copy "
                             "of the file; sill repair drops or pads the last trace"});
    segy::refuse_critical(file, end);
  }
}

void SurveyReader::require_one_survey() const {
  const segy::FileDescription& first = files_.front();
  for (const segy::FileDescription& other : files_) {
    require_same(first, other, first.kind == other.kind, "the format", std::string(name_of(first.kind)),
                 std::string(name_of(other.kind)), "");
    require_same(first, other, first.byte_order == other.byte_order, "the byte order",
                 std::string(name_of(first.byte_order)), std::string(name_of(other.byte_order)), "");
    require_same(first, other, first.sample_format == other.sample_format, "the sample format",
                 std::string(segy::name_of(first.sample_format)), std::string(segy::name_of(other.sample_format)),
                 "SEG-Y rev 1, bytes 3225-3226");
    // The one header written for all files describes one kind, and values that a trace does not state come from its own
    // file.
    require_same(first, other, first.lengths_vary == other.lengths_vary, "the length of traces",
                 first.lengths_vary ? "different" : "one for all", other.lengths_vary ? "different" : "one for all",
                 "SEG-Y rev 1, bytes 3503-3504");
    require_same(first, other, first.lengths_vary || first.samples == other.samples, "the number of samples per trace",
                 fmt::format("{}", first.samples), fmt::format("{}", other.samples), "SEG-Y rev 1, bytes 3221-3222");
    require_same(first, other, first.additional_trace_headers == other.additional_trace_headers,
                 "the number of additional trace headers", fmt::format("{}", first.additional_trace_headers),
                 fmt::format("{}", other.additional_trace_headers), "SEG-Y rev 2.1, bytes 3507-3508");
    require_same(first, other, first.interval_us == other.interval_us, "the sample interval",
                 fmt::format("{} us", first.interval_us), fmt::format("{} us", other.interval_us),
                 "SEG-Y rev 1, bytes 3217-3218");
    require_same(first, other, segy::scale_times_alike(first, other),
                 "the revision (bytes 215-216 scale times from 1 on)",
                 std::string(segy::name_of(segy::revision_of(first))),
                 std::string(segy::name_of(segy::revision_of(other))), "SEG-Y rev 1, trace header bytes 215-216");
    const bool same_units = first.measurement_system == other.measurement_system || first.measurement_system == 0 ||
                            other.measurement_system == 0;
    require_same(first, other, same_units, "the measurement system", fmt::format("{}", first.measurement_system),
                 fmt::format("{}", other.measurement_system), "SEG-Y rev 1, bytes 3255-3256");
  }
}

void SurveyReader::require_unchanged(Communicator& comm) const {
  run_on_rank(comm, 0, [&] {
    for (std::size_t i = 0; i < paths_.size(); ++i) {
      if (own_stamp_of(paths_[i]) == stamps_[i] && (ignores_journals_ || !has_journal(paths_[i]))) continue;
      throw Error(
          {.code = ErrorCode::io,
           .problem =
               "this file was changed while it was read: the data that were read may be a mixture of old and new",
           .where = {.file = paths_[i]},
           .action = "run again when no program writes to it; no output was made"});
    }
  });
}

}  // namespace sill
