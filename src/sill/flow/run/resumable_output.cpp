#include "sill/flow/run/resumable_output.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <limits>
#include <system_error>
#include <utility>

#include "sill/base/checksum.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/files/folder_syncs.hpp"
#include "sill/io/files/small_text.hpp"
#include "sill/io/survey/file_stamp.hpp"
#include "sill/store/part/left_part_files.hpp"
#include "sill/store/part/part_name.hpp"
#include "sill/store/posix/unnamed_file.hpp"

namespace sill::flow {
namespace {

constexpr std::string_view first_line = "sill-flow 1";
constexpr std::string_view sum_word = " sum ";

// Returns a line of the journal with its checksum, which is wrong if the line is incomplete.
std::string with_sum(const std::string& line) {
  return fmt::format("{}{}{:016x}\n", line, sum_word, checksum_of(line));
}

// Returns the line without its checksum; nullopt if the checksum is wrong.
std::optional<std::string_view> without_sum(std::string_view line) {
  const std::size_t end = line.rfind(sum_word);
  if (end == line.npos) return std::nullopt;
  const std::string_view text = line.substr(0, end);
  if (with_sum(std::string(text)) != std::string(line) + '\n') return std::nullopt;
  return text;
}

// Removes the next line from the front of `text` and returns it without its newline; nullopt after the last complete
// line.
std::optional<std::string_view> next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == text.npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

// Removes a number and the following character, if any, from the front of `text`.
template <class Number>
bool take(std::string_view& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc()) return false;
  text.remove_prefix(std::min(text.size(), static_cast<std::size_t>(end - text.data()) + 1));
  return true;
}

// Joins adjacent ranges.
std::vector<ItemRange> joined(std::vector<ItemRange> ranges) {
  std::ranges::sort(ranges, {}, &ItemRange::first);
  std::vector<ItemRange> all;
  for (const ItemRange& range : ranges) {
    if (!all.empty() && all.back().end() >= range.first) {
      all.back().count = std::max(all.back().end(), range.end()) - all.back().first;
    } else {
      all.push_back(range);
    }
  }
  return all;
}

}  // namespace

ResumableOutput::ResumableOutput(const Resources& resources, const std::string& target,
                                 const std::vector<std::string>& run)
    : resources_(resources) {
  Communicator& comm = resources_.comm;
  run_on_rank(comm, 0, [&] {
    const Policy& policy = resources_.policy;
    part_.emplace(target, Striping{policy.stripe_count, policy.stripe_bytes}, KeptAs{kept_part_ending});
    journal_.emplace(target, Striping{}, KeptAs{kept_journal_ending});
    const bool is_left = part_->was_there() && journal_->was_there();
    if (is_left) adopt(read_small_text(journal_->path(), std::numeric_limits<std::int64_t>::max()).value(), run);
    if (journal_bytes_ > 0) return;
    const std::unique_ptr<Store> journal = resources_.open(journal_->path(), OpenMode::write);
    journal->allocate(0);
    journal->close();
    std::string head;
    for (const std::string& line : run) head += line + '\n';
    append(with_sum(fmt::format("{}\n{}begin", first_line, head)));
    sync_folder(std::filesystem::path(journal_->path()).parent_path().string(), resources_.meter);
  });
  broadcast_all(comm, finished_, 0);
  broadcast_all(comm, counts_before_, 0);
  for (const ItemRange& range : finished_) finished_before_ += range.count;
}

ResumableOutput::~ResumableOutput() {
  if (stays_) return;
  for (const std::optional<PartFile>* file : {&part_, &journal_})
    if (*file) ::unlink((*file)->path().c_str());
}

void ResumableOutput::adopt(const std::string& journal, const std::vector<std::string>& run) {
  std::string_view left = journal;
  if (next_line(left) != first_line) return;
  std::vector<std::string_view> was;
  std::optional<std::string_view> line = next_line(left);
  for (; line && !line->starts_with("begin "); line = next_line(left)) was.push_back(*line);
  const std::string_view head = std::string_view(journal).substr(0, journal.size() - left.size());
  if (!line || !without_sum(head.substr(0, head.size() - 1))) return;
  std::int64_t whole_bytes = 0;
  std::int64_t file_bytes = 0;
  for (line = next_line(left); line; line = next_line(left)) {
    const std::optional<std::string_view> text = without_sum(*line);
    if (!text || !take_finished(*text, file_bytes)) break;
    whole_bytes = std::ssize(journal) - std::ssize(left);
  }
  if (finished_.empty()) return;
  for (std::size_t i = 0; i < std::max(was.size(), run.size()); ++i) {
    const std::string_view now = i < run.size() ? std::string_view(run[i]) : "nothing";
    const std::string_view then = i < was.size() ? was[i] : "nothing";
    if (now == then) continue;
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the files that an interrupted run left for this output belong to a different "
                                        "run, with '{}' instead of '{}'",
                                        then, now),
                 .where = {.file = target_of_part(part_->path())},
                 .action = fmt::format("repeat the interrupted run with its options to continue it, or start again: "
                                       "without --resume, or after removing {}",
                                       journal_->path())});
  }
  const std::int64_t now_bytes = own_stamp_of(part_->path()).bytes;
  if (now_bytes != file_bytes)
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("the unfinished output of an interrupted run has {} bytes instead of {}",
                                        now_bytes, file_bytes),
                 .where = {.file = part_->path()},
                 .action = fmt::format("start again: remove this output and {}", journal_->path())});
  finished_ = joined(std::move(finished_));
  journal_bytes_ = whole_bytes;
  stays_ = true;
}

// Reads a line "finished BYTES FIRST+COUNT,FIRST+COUNT counts NUMBER,NUMBER". BYTES is the size of the file.
bool ResumableOutput::take_finished(std::string_view line, std::int64_t& file_bytes) {
  constexpr std::string_view begin = "finished ";
  constexpr std::string_view counts = " counts ";
  const std::size_t middle = line.find(counts);
  if (!line.starts_with(begin) || middle == line.npos) return false;
  std::string_view numbers = line.substr(middle + counts.size());
  line = line.substr(begin.size(), middle - begin.size());
  if (!take(line, file_bytes)) return false;
  for (ItemRange range; !line.empty();) {
    if (!take(line, range.first) || !take(line, range.count)) return false;
    finished_.push_back(range);
  }
  counts_before_.clear();
  for (double number = 0; !numbers.empty();) {
    if (!take(numbers, number)) return false;
    counts_before_.push_back(number);
  }
  return true;
}

std::vector<ItemRange> ResumableOutput::unfinished(ItemRange items) const {
  std::vector<ItemRange> left;
  std::int64_t at = items.first;
  const auto leave = [&](std::int64_t end) {
    if (end > at) left.push_back({at, end - at});
  };
  for (const ItemRange& range : finished_) {
    leave(std::min(range.first, items.end()));
    at = std::clamp(range.end(), at, std::max(at, items.end()));
  }
  leave(items.end());
  return left;
}

void ResumableOutput::add(ItemRange own, std::span<const double> counts) {
  std::vector<ItemRange> ranges = all_gather_all(resources_.comm, std::span<const ItemRange>(&own, 1));
  std::erase_if(ranges, [](const ItemRange& range) { return range.empty(); });
  run_on_rank(resources_.comm, 0, [&] {
    std::vector<std::string> words;
    for (const ItemRange& range : joined(std::move(ranges)))
      words.push_back(fmt::format("{}+{}", range.first, range.count));
    append(with_sum(fmt::format("finished {} {} counts {}", own_stamp_of(part_->path()).bytes, fmt::join(words, ","),
                                fmt::join(counts, ","))));
    stays_ = true;
  });
}

void ResumableOutput::append(const std::string& line) {
  const std::unique_ptr<Store> journal = resources_.open(journal_->path(), OpenMode::write);
  write_at(*journal, journal_bytes_, std::as_bytes(std::span(line)));
  journal->sync();
  journal->close();
  journal_bytes_ += std::ssize(line);
}

void ResumableOutput::commit() {
  run_on_rank(resources_.comm, 0, [&] {
    sill::commit(*part_, true, resources_.meter);
    if (::unlink(journal_->path().c_str()) != 0) throw system_error(errno, "removing", {.file = journal_->path()});
    part_.reset();
    journal_.reset();
  });
}

void remove_resumable_output(const std::string& target) {
  if (unnamed_file_at(target)) return;
  const std::filesystem::path file = file_of_output(target);
  for (const std::string_view ending : {kept_part_ending, kept_journal_ending})
    remove_unless_held((file.parent_path() / part_prefix_of(file.filename().string()).append(ending)).string());
}

}  // namespace sill::flow
