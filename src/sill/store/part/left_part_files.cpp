#include "sill/store/part/left_part_files.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <vector>

#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"
#include "sill/store/part/part_name.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;
using Prefixes = std::set<std::string, std::less<>>;

// Calls `visit` with each name of a part file in the folder, and its components. Returns the number of all names in the
// folder.
template <class Visit>
std::int64_t visit_part_names(const fs::path& folder, Visit&& visit) {
  DIR* const entries = ::opendir(folder.c_str());
  if (entries == nullptr) return 0;  // creating a part file reports the reason
  std::int64_t names = 0;
  while (const dirent* entry = ::readdir(entries)) {
    const std::string_view name(entry->d_name);
    if (const std::optional<PartName> parts = parse_part_name(name)) visit(name, *parts);
    ++names;
  }
  ::closedir(entries);
  return names;
}

// Locks a file and, with `remove`, removes it. Returns true if no process held the file, or if it does not exist.
bool is_unheld(const fs::path& path, bool remove) {
  // Opened for writing: over NFS an exclusive lock requires that.
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (descriptor < 0) return errno == ENOENT;
  bool known = true;
  const bool unheld = try_lock_part_file(descriptor, known) && known;
  if (unheld && remove) ::unlink(path.c_str());
  ::close(descriptor);
  return unheld;
}

// Returns the number of names in the folder.
std::int64_t remove_leftovers_in(const fs::path& folder, const Prefixes& prefixes) {
  std::map<std::string, std::vector<std::string>, std::less<>> groups;
  const std::int64_t entries = visit_part_names(folder, [&](std::string_view /*name*/, const PartName& parts) {
    if (prefixes.contains(parts.prefix)) groups.try_emplace(std::string(parts.group));
  });
  if (groups.empty()) return entries;
  // In a group only one file is locked, and that one was created first: if any file of the group was seen before, a
  // reader that starts now sees the locked one.
  visit_part_names(folder, [&](std::string_view name, const PartName& parts) {
    if (const auto found = groups.find(parts.group); found != groups.end()) found->second.emplace_back(name);
  });
  for (const auto& [group, names] : groups) {
    const bool is_held = std::any_of(names.begin(), names.end(),
                                     [&](const std::string& name) { return !is_unheld(folder / name, false); });
    if (is_held) continue;
    for (const std::string& name : names) {
      if (prefixes.contains(parse_part_name(name)->prefix)) (void)is_unheld(folder / name, true);
    }
  }
  return entries;
}

// Refuses a link in a folder where other users may create links but not replace this one. This is the system's own rule
// for links that are opened (protected_symlinks of proc(5)). The system does not apply the rule to links that are only
// read. Here it also applies to folders shared by a group.
void refuse_link_of_others(const fs::path& link) {
  const fs::path folder = link.has_parent_path() ? link.parent_path() : ".";
  struct stat of_link {};
  struct stat of_folder {};
  if (::lstat(link.c_str(), &of_link) != 0 || ::stat(folder.c_str(), &of_folder) != 0) return;  // opening reports it
  const bool is_shared = (of_folder.st_mode & S_ISVTX) != 0 && (of_folder.st_mode & (S_IWGRP | S_IWOTH)) != 0;
  if (!is_shared || of_link.st_uid == ::geteuid() || of_link.st_uid == of_folder.st_uid) return;
  throw Error({.code = ErrorCode::io,
               .problem = fmt::format("the output is a symbolic link of another user (user {}) in a folder that users "
                                      "share, and is not followed",
                                      of_link.st_uid),
               .where = {.file = link.string()},
               .action = fmt::format("check its target ({}), and name the target or another output",
                                     echoed(fs::read_symlink(link).string())),
               .system_error_number = EACCES});
}

// A folder with very many files, such as one to which a program writes one file after another, is not read again at
// once: leftovers in it stay until then.
constexpr std::int64_t very_many = 1000;
struct LongFolder {
  std::mutex mutex;
  std::string path;
  std::chrono::steady_clock::time_point read_again = {};
};
LongFolder& long_folder() {
  static auto* const folder = new LongFolder;
  return *folder;
}

bool is_to_be_read(const std::string& folder) {
  LongFolder& last = long_folder();
  const std::lock_guard lock(last.mutex);
  return last.path != folder || std::chrono::steady_clock::now() >= last.read_again;
}

void note_reading(const std::string& folder, std::chrono::steady_clock::time_point begin) {
  constexpr int times_longer = 100;
  const auto end = std::chrono::steady_clock::now();
  LongFolder& last = long_folder();
  const std::lock_guard lock(last.mutex);
  last.path = folder;
  last.read_again = end + times_longer * (end - begin);
}

void remove_leftovers_of(std::span<const fs::path> files) {
  std::map<std::string, Prefixes> folders;
  for (const fs::path& file : files) {
    const std::string name = file.filename().string();
    if (!name.empty()) folders[file.has_parent_path() ? file.parent_path().string() : "."].insert(part_prefix_of(name));
  }
  for (const auto& [folder, prefixes] : folders) {
    if (!is_to_be_read(folder)) continue;
    const auto begin = std::chrono::steady_clock::now();
    if (remove_leftovers_in(folder, prefixes) >= very_many) note_reading(folder, begin);
  }
}

}  // namespace

std::string file_of_output(const std::string& target) {
  fs::path at(target);
  std::error_code ignored;
  for (int links = 0; fs::is_symlink(fs::symlink_status(at, ignored)); ++links) {
    if (links == 40) throw system_error(ELOOP, "opening", {.file = target});
    // An open stream, such as /dev/stdout: a file of that name would replace what the stream writes to.
    if (at.string().starts_with("/proc/"))
      throw Error({.code = ErrorCode::io,
                   .problem = "the output is a stream that is open, not a file",
                   .where = {.file = target},
                   .action = "name a file on disk"});
    refuse_link_of_others(at);
    fs::path next = fs::read_symlink(at, ignored);
    if (!next.has_filename()) next = next.parent_path();  // "b/": the link b is followed too
    at = next.is_absolute() ? next : at.parent_path() / next;
  }
  return at.string();
}

void remove_left_part_files(std::span<const std::string> targets) {
  std::vector<fs::path> files;
  for (const std::string& target : targets) files.emplace_back(file_of_output(target));
  remove_leftovers_of(files);
}

void remove_left_part_files_of_stored(const std::string& path) {
  const fs::path file = path;
  remove_leftovers_of({&file, 1});
}

bool is_held(const std::string& path) { return !is_unheld(path, false); }

void remove_unless_held(const std::string& path) { (void)is_unheld(path, true); }

bool try_lock_part_file(int descriptor, bool& known) {
  known = true;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
  known = errno == EWOULDBLOCK;
  return !known;
}

}  // namespace sill
