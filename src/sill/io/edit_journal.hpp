// Changing bytes of a file where it lies, so that an interruption can be undone: the journal beside the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sill/base/diagnostic.hpp"
#include "sill/io/output_file.hpp"
#include "sill/io/resources.hpp"
#include "sill/store/file_lock.hpp"

namespace sill {

/// Local. Where the journal of a file is: `line1.sgy.sill-journal` beside `line1.sgy`; of a link, beside what it points
/// to.
[[nodiscard]] std::string journal_path_of(const std::string& path);

/// Local. Whether there is one, of an edit that goes on or was interrupted. Errors: io.
[[nodiscard]] bool has_journal(const std::string& path);

/// Files that no other edit may change meanwhile, from its construction on, while any of the ranks lives.
class EditLocks {
 public:
  /// Collective. Errors: io if a file cannot be written, or if another edit has it; usage if a file is named twice.
  EditLocks(const Resources& resources, const std::vector<std::string>& paths);

 private:
  std::vector<std::unique_ptr<FileLock>> locks_;
};

/// Local. Appends to the bytes of a journal that `fresh` is to be written over `old`, of the same length, from byte
/// `offset` of the file on.
void append_change(std::vector<std::byte>& journal, std::int64_t offset, std::span<const std::byte> old,
                   std::span<const std::byte> fresh);

/// Changes that were brought together: a part of a journal.
struct JournalSegment {
  std::int64_t offset = 0;  ///< in the journal
  std::int64_t length = 0;
  std::uint64_t checksum = 0;
};

/// The changes of one file: first all are brought, then they are made. Destroyed before `complete`, it leaves nothing
/// behind and the file untouched; after that only `remove` or `undo_edit` do.
class EditJournal {
 public:
  /// Collective. A rank's changes come in segments, of `own_segments` bytes each, which may be 0. `resources` outlive
  /// it. Errors: io, a full disk among them; usage if what has the name of the journal is there.
  EditJournal(const Resources& resources, const std::string& path, std::span<const std::int64_t> own_segments);

  /// Local. Writes a segment of this rank's, of what `append_change` made. Threads may write different ones at once.
  /// Errors: io.
  void write_segment(std::size_t segment, std::span<const std::byte> changes);

  /// Collective. The journal is on stable storage and has its name. Errors: io.
  void complete();

  /// Collective. Makes all changes in the file, in which no other byte is written, and brings them to stable storage.
  /// Precondition: complete. Errors: io; input if the journal cannot be read as it was written.
  void apply();

  /// Collective. Removes the journal: the changes stay. Errors: io.
  void remove();

 private:
  const Resources& resources_;
  Resources durable_;
  std::string path_;
  std::string journal_path_;
  std::int64_t all_segments_ = 0;
  std::int64_t first_segment_ = 0;  // of this rank
  std::vector<JournalSegment> own_;
  std::optional<OutputFile> file_;
};

/// Collective. What readers of the file must be told, if a journal lies beside it: of grade critical.
[[nodiscard]] std::optional<Diagnostic> journal_diagnostic(const Resources& resources, const std::string& path);

/// Collective. Throws Error(input) if a journal lies beside a file.
void require_no_journal(const Resources& resources, const std::string& path);

/// What undoing an interrupted edit did.
struct UndoneEdit {
  bool was_there = false;
  std::int64_t changes = 0;         ///< stretches of bytes that the edit was about to change
  std::int64_t changes_undone = 0;  ///< those of them that had been changed
};

/// Collective. Writes back what an interrupted edit has changed, if its journal is there, and removes the journal.
/// First all of it is checked. Precondition: EditLocks of the file. Errors: input if the journal is damaged or of
/// another file, or if the file holds bytes that are neither the old nor the new ones; io. Then nothing was written,
/// unless that failed, and the journal stays.
UndoneEdit undo_edit(const Resources& resources, const std::string& path);

}  // namespace sill
