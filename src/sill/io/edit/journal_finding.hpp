// Finds the journal of a file and decides whether it applies: in a shared folder other users can create a file with the
// name of a journal.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sill/base/diagnostic.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Returns the path of the journal of a file: `line1.sgy.sill-journal` next to `line1.sgy`; for a link, next to
/// the file that it points to.
[[nodiscard]] std::string journal_path_of(const std::string& path);

/// Local. Returns the name of a user, or the number if the user has no name.
[[nodiscard]] std::string name_of_user(std::int64_t user);

/// Local. Returns true if `user` is the caller or the owner of the file at `path`.
[[nodiscard]] bool is_caller_or_owner(std::int64_t user, const std::string& path);

/// The owner of a journal, and whether it matches the file.
enum class JournalKind : std::int64_t {
  none,       ///< no file has the name of the journal
  trusted,    ///< belongs to the caller, or to the owner of the file
  foreign,    ///< belongs to another user, and fits the file as far as can be checked
  unrelated,  ///< belongs to another user; it is not a journal, or not of this file
};

struct FoundJournal {
  JournalKind kind = JournalKind::none;
  std::int64_t owner_id = -1;
  std::string owner;   ///< name or number of the user, if foreign or unrelated
  std::string reason;  ///< why the journal is unrelated

  /// Returns true if the journal applies: the file may be half edited.
  [[nodiscard]] bool counts() const { return kind == JournalKind::trusted || kind == JournalKind::foreign; }
};

/// Local. Returns the journal of the file at `path`, which need not exist. A foreign journal is compared with the file:
/// its inode, its size, and the bytes that no edit changes. Errors: io if these cannot be read.
[[nodiscard]] FoundJournal find_journal(const std::string& path);

/// Local. Returns true if the file has a journal that applies, of an edit in progress or interrupted. Errors: io.
[[nodiscard]] bool has_journal(const std::string& path);

/// Collective. Returns the journal of a file as rank 0 sees it. Errors: io.
[[nodiscard]] FoundJournal find_journal(const Resources& resources, const std::string& path);

/// Collective. Returns true if any of the files has a journal that applies. Errors: io.
[[nodiscard]] bool any_journal(const Resources& resources, std::span<const std::string> paths);

/// Collective. Returns a finding about the journal of the file, or nullopt if there is no journal. Grade: minor if the
/// journal is unrelated to the file; if it applies, major if `ignores`, otherwise critical.
[[nodiscard]] std::optional<Diagnostic> journal_diagnostic(const Resources& resources, const std::string& path,
                                                           bool ignores);

/// Collective. Throws if a file has a journal that applies: Error(input), or Error(io) if the journal is foreign.
void require_no_journal(const Resources& resources, const std::string& path);

/// Local. Returns the error for a foreign journal.
[[nodiscard]] Error foreign_journal_error(const std::string& path, const FoundJournal& journal);

}  // namespace sill
