// Changing bytes of a file in place, so that an interrupted edit can be undone: the journal next to the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/io/edit/edit_locks.hpp"
#include "sill/io/edit/journal_finding.hpp"
#include "sill/io/edit/journal_format.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/io/survey/output_file.hpp"

namespace sill {

/// The changes of one file: all changes are first written to the journal, then made in the file. If an object is
/// destroyed before `complete`, it leaves no journal and an unchanged file. After `complete`, only `remove`, `withdraw`
/// or `undo_edit` remove the journal.
class EditJournal {
 public:
  /// Collective. Begins the journal of file `file` of `locks`. No change affects the bytes `untouched` of the file,
  /// which later identify the file. A rank passes its changes in segments of `own_segments` bytes each, which may be 0.
  /// No change of another segment, of any rank, may be between the first and the last change of a segment: segments are
  /// written at the same time, including the bytes between their changes. `resources` and `locks` outlive this object.
  /// Errors: io, including a full disk; usage if another file already has the name of the journal.
  EditJournal(const Resources& resources, const EditLocks& locks, std::size_t file, ByteRange untouched,
              std::span<const std::int64_t> own_segments);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& journal_path() const { return journal_path_; }

  /// Local. Writes a segment of this rank, made by `append_change`. Several threads may write different segments at the
  /// same time. Errors: io; input if the segment does not have the stated length.
  void write_segment(std::size_t segment, std::span<const std::byte> changes);

  /// Collective. Writes the journal to stable storage and gives it its name. Errors: io.
  void complete();

  /// Collective. Makes all changes in the file and writes them to stable storage. Bytes between changes that are less
  /// than 16 KiB apart are read and written again with them, up to 1 MiB, so no other process may write the file
  /// meanwhile. Precondition: `complete` was called. Errors: io; input if the journal cannot be read back as it was
  /// written, or if another file took the name of the locked file; then nothing is written to the other file.
  void apply();

  /// Collective. Removes the journal, which makes the changes permanent. If the folder cannot be synced, the journal
  /// may reappear after a crash of the machine: then returns a warning, otherwise an empty text. Errors: io; then the
  /// journal still exists.
  std::string remove();

  /// Collective. Undoes changes already written, if any, and removes the journal if it is complete. Errors: as
  /// undo_edit.
  void withdraw();

 private:
  const Resources& resources_;
  Resources durable_;
  const EditLocks& locks_;
  std::size_t file_index_;
  std::string path_;
  std::string journal_path_;
  ByteRange untouched_;
  std::int64_t all_segments_ = 0;
  std::int64_t writer_ = -1;  // the owner of the journal as the file system reports it
  std::vector<JournalSegment> own_;
  std::optional<OutputFile> file_;
  bool has_written_ = false;  // this rank has written to the edited file
};

/// The origin of an undo: a user who named the file, or an edit before it begins.
enum class Undoing { as_asked, before_an_edit };

/// The result of undoing an interrupted edit.
struct UndoneEdit {
  bool was_there = false;
  bool is_copy = false;             ///< the file is not the edited one, but contains the bytes that the edited file
                                    ///< would
  std::int64_t changes = 0;         ///< stretches of bytes that the edit intended to change
  std::int64_t changes_undone = 0;  ///< stretches that had been changed, and were restored
};

/// Collective. Restores the bytes that an interrupted edit changed, if the file has a journal, and removes the journal;
/// with Undoing::as_asked, also removes the remains of a journal that was never complete. The complete journal is
/// checked first. If the inode of the file is not that of the edited file, the journal is applied only with
/// Undoing::as_asked, as to a copy, and not if the file already contains all bytes that the edit intended to write:
/// such a file was probably edited elsewhere. If the owner of the journal is neither the caller nor the owner of the
/// file, the journal is applied only if `journal_of` names that user and the caller owns the file or is root; an
/// unrelated journal is ignored. Precondition: the caller holds EditLocks of the file. Errors: input if the journal is
/// damaged or belongs to another file, or if the file contains bytes that are neither the old nor the new ones; io,
/// also for the journal of another user. After an error nothing was written, unless writing itself failed, and the
/// journal remains.
UndoneEdit undo_edit(const Resources& resources, const std::string& path, Undoing undoing,
                     const std::string& journal_of = {});

}  // namespace sill
