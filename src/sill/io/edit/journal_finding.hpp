// Whether a file has a journal that counts: a folder may be shared, and others can put a file of that name there.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "sill/base/diagnostic.hpp"
#include "sill/io/session/resources.hpp"

namespace sill {

/// Local. Where the journal of a file is: `line1.sgy.sill-journal` beside `line1.sgy`; of a link, beside what it points
/// to.
[[nodiscard]] std::string journal_path_of(const std::string& path);

/// Local. The name of a user, or the number where there is none.
[[nodiscard]] std::string name_of_user(std::int64_t user);

/// Local. Whether `user` is the caller or the owner of the file at `path`.
[[nodiscard]] bool is_caller_or_owner(std::int64_t user, const std::string& path);

/// Whose journal it is, and whether it can be of the file.
enum class JournalKind : std::int64_t {
  none,       ///< nothing has the name
  trusted,    ///< of the caller, or of the owner of the file
  foreign,    ///< of another user; it fits the file, as far as can be seen
  unrelated,  ///< of another user; it is no journal, or of another file
};

struct FoundJournal {
  JournalKind kind = JournalKind::none;
  std::int64_t owner_id = -1;
  std::string owner;   ///< name of the user, or number, if foreign or unrelated
  std::string reason;  ///< why it is unrelated

  /// The file may be half edited.
  [[nodiscard]] bool counts() const { return kind == JournalKind::trusted || kind == JournalKind::foreign; }
};

/// Local. What lies beside the file at `path`, which need not exist. A foreign journal is compared with the file:
/// inode, size, and the stretch that no edit touches. Errors: io if that cannot be looked at.
[[nodiscard]] FoundJournal find_journal(const std::string& path);

/// Local. Whether a journal that counts lies beside the file: of an edit that goes on or was interrupted. Errors: io.
[[nodiscard]] bool has_journal(const std::string& path);

/// Collective. The same as rank 0 sees it.
[[nodiscard]] FoundJournal find_journal(const Resources& resources, const std::string& path);

/// Collective. Whether a journal that counts lies beside any of the files. Errors: io.
[[nodiscard]] bool any_journal(const Resources& resources, std::span<const std::string> paths);

/// Collective. Returns a finding about the journal beside the file: critical if it counts, or major if the user asked
/// to ignore it; minor if it is unrelated.
[[nodiscard]] std::optional<Diagnostic> journal_diagnostic(const Resources& resources, const std::string& path,
                                                           bool ignores);

/// Collective. Throws if a journal that counts lies beside a file: Error(input), or Error(io) if it is foreign.
void require_no_journal(const Resources& resources, const std::string& path);

/// Local. The error that a foreign journal is.
[[nodiscard]] Error foreign_journal_error(const std::string& path, const FoundJournal& journal);

}  // namespace sill
