#include "sill/io/edit/edit_journal.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <filesystem>
#include <numeric>
#include <optional>

#include "sill/base/checksum.hpp"
#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/io/files/folder_syncs.hpp"
#include "sill/layout/near_ranges.hpp"
#include "sill/store/part/left_part_files.hpp"

namespace sill {
namespace {

struct stat status_of(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) throw system_error(errno, "stat", {.file = path});
  return status;
}

std::int64_t inode_of(const std::string& path) { return static_cast<std::int64_t>(status_of(path).st_ino); }
std::int64_t owner_of(const std::string& path) { return static_cast<std::int64_t>(status_of(path).st_uid); }

std::vector<RangeWindow> windows_of_changes(std::span<const Change> changes) {
  std::vector<ByteRange> ranges;
  ranges.reserve(changes.size());
  for (const Change& change : changes) ranges.push_back({change.offset, std::ssize(change.old)});
  return windows_of(ranges);
}

// Changes near each other are written together with the bytes between them, which are read first. No other rank or
// thread writes these bytes: no change of another segment is between the first and the last change of a segment.
void write_all(Store& store, std::span<const Change> changes, bool fresh) {
  std::vector<std::byte> bytes;
  for (const RangeWindow& window : windows_of_changes(changes)) {
    bytes.resize(static_cast<std::size_t>(window.bytes.length));
    if (window.has_gaps) read_at(store, window.bytes.offset, bytes);
    for (const Change& change : changes.subspan(window.first, window.count))
      std::ranges::copy(fresh ? change.fresh : change.old, bytes.begin() + (change.offset - window.bytes.offset));
    write_at(store, window.bytes.offset, bytes);
  }
}

// Syncs the folder: a journal that reappears after a crash of the machine would undo an edit that was reported as
// complete.
std::string sync_folder_of(const std::string& journal, Meter* meter) {
  const std::optional<Error> failed =
      attempt([&] { sync_folder(std::filesystem::path(journal).parent_path().string(), meter); });
  if (!failed) return {};
  return fmt::format(
      "{} is removed, but its folder could not be synced ({}): after a crash of the machine it may exist again; remove "
      "it then",
      journal, failed->parts().problem);
}

std::string remove_journal(const Resources& resources, const std::string& journal,
                           const std::string& what = "removing the journal") {
  return value_from_rank(resources.comm, 0, [&] {
    if (::unlink(journal.c_str()) != 0) throw system_error(errno, what, {.file = journal});
    return sync_folder_of(journal, resources.meter);
  });
}

// `extra_owner` is a user whose journal is applied, in addition to the caller and the owner of the file.
UndoneEdit undo(const Resources& resources, const std::string& path, Undoing undoing, std::int64_t extra_owner) {
  Communicator& comm = resources.comm;
  UndoneEdit undone;
  undone.was_there = true;
  const std::string journal = journal_path_of(path);
  std::atomic<std::int64_t> changes = 0;
  std::atomic<std::int64_t> changed = 0;
  std::atomic<std::int64_t> all_fresh = 0;
  std::optional<StoredJournal> stored;
  std::unique_ptr<Store> file;
  run_and_agree(comm, [&] {
    const std::array<std::int64_t, 3> owners{::geteuid(), owner_of(path), extra_owner};
    stored.emplace(resources, journal, owners);
    file = resources.open(path, OpenMode::write);
    const JournalHead& head = stored->head();
    if (file->size_bytes() != head.file_bytes)
      refuse_journal(journal, fmt::format("the journal belongs to a file of {} bytes, but {} has {}", head.file_bytes,
                                          path, file->size_bytes()));
    undone.is_copy = inode_of(path) != head.inode;
    if (undone.is_copy && undoing == Undoing::before_an_edit)
      throw Error({.code = ErrorCode::input,
                   .problem = fmt::format("another file has the name of the file whose edit was interrupted: the "
                                          "edited file had inode {}, this file has {}",
                                          head.inode, inode_of(path)),
                   .where = {.file = path},
                   .action = fmt::format("if this file is a copy of the edited file, undo the edit in it: sill edit "
                                         "FILE --recover; if this file is correct, move {} elsewhere",
                                         journal)});
    if (sum_of_bytes(*file, head.untouched) != head.untouched_sum)
      refuse_journal(
          journal,
          fmt::format("the journal does not belong to {}: bytes {} to {}, which the edit did not change, differ", path,
                      head.untouched.offset + 1, head.untouched.end()));
    stored->for_own_segments(resources, [&](const std::vector<Change>& all) {
      std::vector<std::byte> bytes;
      for (const RangeWindow& window : windows_of_changes(all)) {
        bytes.resize(static_cast<std::size_t>(window.bytes.length));
        read_at(*file, window.bytes.offset, bytes);
        for (const Change& change : std::span(all).subspan(window.first, window.count)) {
          const auto now = std::span<const std::byte>(bytes).subspan(
              static_cast<std::size_t>(change.offset - window.bytes.offset), change.old.size());
          for (std::size_t i = 0; i < now.size(); ++i)
            if (now[i] != change.old[i] && now[i] != change.fresh[i])
              throw Error({.code = ErrorCode::input,
                           .problem = "the file contains neither the bytes from before the interrupted edit nor the "
                                      "bytes that the edit wrote",
                           .where = {.file = path, .byte = change.offset + static_cast<std::int64_t>(i)},
                           .action = "another program wrote to the file; nothing was undone, and the journal remains"});
          changes += 1;
          if (!std::ranges::equal(now, change.old)) changed += 1;
          if (std::ranges::equal(now, change.fresh)) all_fresh += 1;
        }
      }
    });
  });
  undone.changes = all_reduce(comm, std::int64_t{changes}, Reduction::sum);
  undone.changes_undone = all_reduce(comm, std::int64_t{changed}, Reduction::sum);
  const bool is_done = all_reduce(comm, std::int64_t{all_fresh}, Reduction::sum) == undone.changes;
  run_and_agree(comm, [&] {
    if (undone.is_copy && is_done)
      throw Error({.code = ErrorCode::input,
                   .problem = "this is not the file whose edit was interrupted, but it contains all bytes that the "
                              "edit would have written: it may have been edited elsewhere",
                   .where = {.file = path},
                   .action = fmt::format("nothing was undone; if the file is correct, remove {}", journal)});
    stored->for_own_segments(resources, [&](const std::vector<Change>& all) { write_all(*file, all, false); });
    file->sync();
    file->close();
  });
  (void)remove_journal(resources, journal, "the edit is undone, but its journal still exists: removing it");
  return undone;
}

}  // namespace

EditJournal::EditJournal(const Resources& resources, const EditLocks& locks, std::size_t file, ByteRange untouched,
                         std::span<const std::int64_t> own_segments)
    : resources_(resources),
      durable_(resources),
      locks_(locks),
      file_index_(file),
      path_(locks.paths()[file]),
      journal_path_(journal_path_of(path_)),
      untouched_(untouched) {
  Communicator& comm = resources.comm;
  durable_.policy.sync = Policy::Sync::close;
  durable_.striping = nullptr;
  run_on_rank(comm, 0, [&] {
    const FoundJournal found = find_journal(path_);
    if (found.kind == JournalKind::none) return;
    if (found.kind == JournalKind::unrelated)
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format("a file of user {} has the name of the journal that this edit needs", found.owner),
           .where = {.file = journal_path_},
           .action = "remove it, or write a new file with -o; nothing was changed"});
    throw Error({.code = ErrorCode::usage,
                 .problem = "the journal of another edit already exists",
                 .where = {.file = journal_path_},
                 .action = "undo that edit first: sill edit FILE --recover"});
  });
  all_segments_ = exclusive_sum(comm, std::ssize(own_segments)).all;
  const ExclusiveSum bytes =
      exclusive_sum(comm, std::accumulate(own_segments.begin(), own_segments.end(), std::int64_t{0}));
  std::int64_t at = journal_table_bytes(all_segments_) + bytes.before;
  for (const std::int64_t length : own_segments) {
    own_.push_back({.offset = at, .length = length});
    at += length;
  }
  const std::int64_t all_bytes = journal_table_bytes(all_segments_) + bytes.all;
  file_.emplace(durable_, journal_path_, all_bytes, StoredBeside{path_});
  run_and_agree(comm, [&] { (void)file_->handle(); });
  writer_ = value_from_rank(comm, 0, [&] { return owner_of(file_->unfinished_path()); });
}

void EditJournal::write_segment(std::size_t segment, std::span<const std::byte> changes) {
  JournalSegment& own = own_[segment];
  if (std::ssize(changes) != own.length)
    throw Error({.code = ErrorCode::input,
                 .problem = "the file changed while its edit was prepared",
                 .where = {.file = path_},
                 .action = "nothing was written; run the edit when no other program writes the file"});
  Checksum sum;
  sum.add(changes);
  own.checksum = sum.value();
  if (!changes.empty()) file_->write_own(own.offset, changes);
}

void EditJournal::complete() {
  Communicator& comm = resources_.comm;
  const std::vector<JournalSegment> all = all_gather_all(comm, std::span<const JournalSegment>(own_));
  run_on_rank(comm, 0, [&] {
    const std::unique_ptr<Store> edited = resources_.open(path_, OpenMode::read);
    const JournalHead head{.file_bytes = edited->size_bytes(),
                           .inode = locks_.inode(file_index_),
                           .untouched = untouched_,
                           .untouched_sum = sum_of_bytes(*edited, untouched_),
                           .segments = all_segments_};
    locks_.require_same_file(file_index_);
    file_->write_own(0, journal_table(head, all));
  });
  file_->finish();
}

void EditJournal::apply() {
  Communicator& comm = resources_.comm;
  std::optional<StoredJournal> stored;
  std::unique_ptr<Store> file;
  run_and_agree(comm, [&] {
    stored.emplace(resources_, journal_path_, std::span(&writer_, 1));
    file = resources_.open(path_, OpenMode::write);
    // The opened file is the locked one, because the name is checked before and after the opening.
    locks_.require_same_file(file_index_);
  });
  has_written_ = true;
  run_and_agree(comm, [&] {
    stored->for_own_segments(resources_, [&](const std::vector<Change>& changes) { write_all(*file, changes, true); });
    file->sync();
    file->close();
  });
}

std::string EditJournal::remove() { return remove_journal(resources_, journal_path_); }

void EditJournal::withdraw() {
  Communicator& comm = resources_.comm;
  if (has_written_) {
    (void)undo(resources_, path_, Undoing::before_an_edit, writer_);
    return;
  }
  if (value_from_rank(comm, 0, [&] { return find_journal(path_).owner_id == writer_; }))
    (void)remove_journal(resources_, journal_path_);
}

UndoneEdit undo_edit(const Resources& resources, const std::string& path, Undoing undoing,
                     const std::string& journal_of) {
  // Removes part files of an edit that died before its journal was complete. Before an edit the new journal does this.
  if (undoing == Undoing::as_asked)
    run_on_rank(resources.comm, 0, [&] { remove_left_part_files_of_stored(journal_path_of(path)); });
  const FoundJournal found = find_journal(resources, path);
  if (!found.counts()) return {};
  std::int64_t extra_owner = -1;
  if (found.kind == JournalKind::foreign)
    run_and_agree(resources.comm, [&] {
      if (journal_of != found.owner && journal_of != std::to_string(found.owner_id))
        throw foreign_journal_error(path, found);
      extra_owner = found.owner_id;
      if (::geteuid() == 0 || ::geteuid() == owner_of(path)) return;
      throw Error(
          {.code = ErrorCode::io,
           .problem = fmt::format("the journal belongs to user {}, and neither it nor the file is yours", found.owner),
           .where = {.file = path},
           .action =
               fmt::format("ask {} or the owner of the file to undo the edit; nothing was written", found.owner)});
    });
  return undo(resources, path, undoing, extra_owner);
}

}  // namespace sill
