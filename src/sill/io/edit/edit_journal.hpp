// Changing bytes of a file where it lies, so that an interruption can be undone: the journal beside the file.
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

/// The changes of one file: first all are brought, then they are made. Destroyed before `complete`, it leaves nothing
/// behind and the file untouched; after that only `remove`, `withdraw` or `undo_edit` do.
class EditJournal {
 public:
  /// Collective. For file `file` of `locks`. No change lies in its stretch `untouched`, by which the file is recognized
  /// later. A rank brings its changes in segments of `own_segments` bytes each, which may be 0. Between the first and
  /// the last change of a segment there is no change of another one, of any rank: segments are written at the same
  /// time, with the bytes between their changes. `resources` and `locks` outlive it. Errors: io, a full disk among
  /// them; usage if what has the name of the journal is there.
  EditJournal(const Resources& resources, const EditLocks& locks, std::size_t file, ByteRange untouched,
              std::span<const std::int64_t> own_segments);

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& journal_path() const { return journal_path_; }

  /// Local. Writes a segment of this rank's, of what `append_change` made. Threads may write different ones at once.
  /// Errors: io; input if the segment has not the length that was stated.
  void write_segment(std::size_t segment, std::span<const std::byte> changes);

  /// Collective. The journal is on stable storage and has its name. Errors: io.
  void complete();

  /// Collective. Makes all changes in the file and brings them to stable storage. Bytes between changes that lie less
  /// than 16 KiB apart, up to 1 MiB, are read and written again with them: nobody else may write the file meanwhile.
  /// Precondition: complete. Errors: io; input if the journal cannot be read as it was written, or if another file took
  /// the name of the locked one, in which nothing is written.
  void apply();

  /// Collective. Removes the journal: the changes stay. Returns what may still happen, or nothing: a folder that cannot
  /// be synced may bring it back after a crash of the machine. Errors: io: then it is still there.
  std::string remove();

  /// Collective. Takes back what was written, if anything was, and removes the journal, if it is complete. Errors: as
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
  std::int64_t writer_ = -1;  // the user to whom the file system says that the journal belongs
  std::vector<JournalSegment> own_;
  std::optional<OutputFile> file_;
  bool has_written_ = false;  // this rank, into the edited file
};

/// Who undoes an edit: the user, who named the file, or an edit before it begins.
enum class Undoing { as_asked, before_an_edit };

/// What undoing an interrupted edit did.
struct UndoneEdit {
  bool was_there = false;
  bool is_copy = false;             ///< the file is not the one that was edited, but holds what that would
  std::int64_t changes = 0;         ///< stretches of bytes that the edit was about to change
  std::int64_t changes_undone = 0;  ///< those of them that had been changed
};

/// Collective. Writes back what an interrupted edit has changed, if its journal is there, and removes the journal; as
/// asked, also what is left of a journal that was never complete.
/// All of the journal is checked first. If the file has another inode than the edited one, the journal is applied only
/// if the user asks for it, as to a copy, and not if the file holds everything that the edit was to write: then it was
/// probably edited elsewhere. The journal of a user who is neither the caller nor the owner of the file is applied only
/// if `journal_of` names that user and the caller owns the file or is root; an unrelated one is ignored. Precondition:
/// EditLocks of the file. Errors: input if the journal is damaged or of another file, or if the file holds bytes that
/// are neither the old nor the new ones; io, also for the journal of another user. Then nothing was written, unless
/// that failed, and the journal stays.
UndoneEdit undo_edit(const Resources& resources, const std::string& path, Undoing undoing,
                     const std::string& journal_of = {});

}  // namespace sill
