#include "sill/io/edit/journal_finding.hpp"

#include <fmt/format.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <string_view>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/comm/exchange.hpp"
#include "sill/comm/packer.hpp"
#include "sill/io/edit/journal_format.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill {
namespace {

constexpr std::string_view edit_goes_on =
    "an edit of this file was interrupted or is running: some of its traces may be changed, others not";

// Returns the reason why a journal does not belong to the file; empty if it may. Reads only its head, because another
// user may have made the rest arbitrarily long.
std::string why_unrelated(const std::string& journal, const std::string& path, const struct stat& file) {
  std::int64_t owner = -1;
  const std::unique_ptr<Store> store = open_stored_beside(journal, owner);
  const std::optional<JournalBeginning> found = journal_beginning(*store);
  if (!found) return "it is not a journal";
  if (!is_known_version(*found)) return {};
  const JournalHead& head = found->head;
  if (head.file_bytes != file.st_size)
    return fmt::format("it belongs to a file of {} bytes, this file has {}", head.file_bytes, file.st_size);
  if (head.inode != static_cast<std::int64_t>(file.st_ino))
    return fmt::format("it belongs to the file with inode {}, this file has {}", head.inode, file.st_ino);
  if (!is_possible_stretch(head.untouched, head.file_bytes)) return "it is damaged";
  const std::unique_ptr<Store> data = open_posix(path, OpenMode::read);
  if (sum_of_bytes(*data, head.untouched) != head.untouched_sum)
    return fmt::format("it belongs to a file whose bytes {} to {} differ", head.untouched.offset + 1,
                       head.untouched.end());
  return {};
}

}  // namespace

std::string name_of_user(std::int64_t user) {
  std::array<char, 4096> memory{};
  passwd entry{};
  passwd* found = nullptr;
  (void)::getpwuid_r(static_cast<uid_t>(user), &entry, memory.data(), memory.size(), &found);
  return found != nullptr ? std::string(found->pw_name) : fmt::format("{}", user);
}

bool is_caller_or_owner(std::int64_t user, const std::string& path) {
  if (user == static_cast<std::int64_t>(::geteuid())) return true;
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 && user == static_cast<std::int64_t>(file.st_uid);
}

std::string journal_path_of(const std::string& path) {
  std::error_code failed;
  const std::filesystem::path real = std::filesystem::canonical(path, failed);
  return (failed ? path : real.string()) + ".sill-journal";
}

FoundJournal find_journal(const std::string& path) {
  const std::string journal = journal_path_of(path);
  struct stat named {};
  if (::lstat(journal.c_str(), &named) != 0) {
    if (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG) return {};
    throw system_error(errno, "stat", {.file = journal});
  }
  struct stat file {};
  const bool has_file = ::stat(path.c_str(), &file) == 0;
  if (is_caller_or_owner(named.st_uid, path))
    return {.kind = JournalKind::trusted, .owner_id = named.st_uid, .owner = {}, .reason = {}};
  FoundJournal found{
      .kind = JournalKind::foreign, .owner_id = named.st_uid, .owner = name_of_user(named.st_uid), .reason = {}};
  if (!has_file) {
    found.reason = "the file does not exist";
  } else if (!S_ISREG(named.st_mode)) {
    found.reason = "it is not a regular file";
  } else {
    // A journal that cannot be read may belong to the file.
    (void)attempt([&] { found.reason = why_unrelated(journal, path, file); });
  }
  if (!found.reason.empty()) found.kind = JournalKind::unrelated;
  return found;
}

bool has_journal(const std::string& path) { return find_journal(path).counts(); }

FoundJournal find_journal(const Resources& resources, const std::string& path) {
  FoundJournal found;
  const auto exchange = [&](auto& message) { message(found.kind, found.owner_id, found.owner, found.reason); };
  const std::vector<std::byte> packed = value_from_rank(resources.comm, 0, [&] {
    found = find_journal(path);
    Packer packer;
    exchange(packer);
    return packer.take();
  });
  Unpacker unpacker(packed);
  exchange(unpacker);
  return found;
}

bool any_journal(const Resources& resources, std::span<const std::string> paths) {
  return value_from_rank(resources.comm, 0, [&] { return std::ranges::any_of(paths, has_journal); });
}

std::optional<Diagnostic> journal_diagnostic(const Resources& resources, const std::string& path, bool ignores) {
  const FoundJournal found = find_journal(resources, path);
  if (found.kind == JournalKind::none) return std::nullopt;
  if (found.kind == JournalKind::unrelated)
    return Diagnostic{
        .grade = Grade::minor,
        .problem = fmt::format(
            "the file with the name of this file's journal belongs to user {} and is not a journal of this file: {}",
            found.owner, found.reason),
        .where = journal_path_of(path),
        .clause = {},
        .action = "ignored; remove it"};
  const bool is_foreign = found.kind == JournalKind::foreign;
  return Diagnostic{
      .grade = ignores ? Grade::major : Grade::critical,
      .problem = is_foreign ? foreign_journal_error(path, found).parts().problem : std::string(edit_goes_on),
      .where = journal_path_of(path),
      .clause = {},
      .action = ignores      ? "ignored, as requested: the file is read with its current bytes"
                : is_foreign ? foreign_journal_error(path, found).parts().action
                             : "undo it: sill edit FILE --recover"};
}

Error foreign_journal_error(const std::string& path, const FoundJournal& journal) {
  return Error(
      {.code = ErrorCode::io,
       .problem = fmt::format(
           "according to its journal, user {} is editing this file, or an edit by this user was interrupted: some of "
           "its traces may be changed, others not. {} owns the journal, but not the file",
           journal.owner, journal.owner),
       .where = {.file = path},
       .action = fmt::format(
           "ask {0} to undo the edit (sill edit FILE --recover); the owner of the file can undo it with sill edit FILE "
           "--recover --journal-of {0}; --ignore-journal reads the file with its current bytes; the journal is {1}",
           journal.owner, journal_path_of(path))});
}

void require_no_journal(const Resources& resources, const std::string& path) {
  const FoundJournal found = find_journal(resources, path);
  if (!found.counts()) return;
  run_and_agree(resources.comm, [&] {
    if (found.kind == JournalKind::foreign) throw foreign_journal_error(path, found);
    throw Error({.code = ErrorCode::input,
                 .problem = std::string(edit_goes_on),
                 .where = {.file = path},
                 .action = fmt::format("undo it: sill edit FILE --recover; its journal is {}", journal_path_of(path))});
  });
}

}  // namespace sill
