#include "sill/store/part_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <random>
#include <string_view>

#include "sill/base/error.hpp"
#include "sill/store/folder.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t longest_name = 255;
constexpr std::string_view marker = ".sill-";
constexpr std::string_view ending = ".part";
constexpr std::size_t id_digits = 16;

// Paths a signal handler may have to remove.
std::array<std::atomic<const char*>, 64> registered{};

// A copy of `path` that is never freed, since a handler may be reading it at any moment.
const char* kept_for_ever(const std::string& path) {
  static std::mutex mutex;
  static auto* const paths = new std::deque<std::string>;
  const std::lock_guard lock(mutex);
  return paths->emplace_back(path).c_str();
}

void register_path(const std::string& path) {
  const char* copy = kept_for_ever(path);
  for (auto& slot : registered) {
    const char* empty = nullptr;
    if (slot.compare_exchange_strong(empty, copy)) return;
  }
}

void unregister_path(const std::string& path) {
  for (auto& slot : registered) {
    const char* text = slot.load();
    if (text != nullptr && path == text) slot = nullptr;
  }
}

fs::path folder_of(const fs::path& target) { return target.has_parent_path() ? target.parent_path() : fs::path("."); }

std::string prefix_of(const fs::path& target) {
  const std::string name = target.filename().string();
  const std::size_t room = longest_name - 1 - marker.size() - id_digits - ending.size();
  return fmt::format(".{}{}", name.substr(0, room), marker);
}

bool is_id(std::string_view text) {
  return text.size() == id_digits && text.find_first_not_of("0123456789abcdef") == text.npos;
}

// Whether `name` is that of a part file whose name begins with `prefix`.
bool is_part_name(std::string_view name, std::string_view prefix) {
  if (!name.starts_with(prefix) || !name.ends_with(ending)) return false;
  name.remove_prefix(prefix.size());
  return name.size() >= ending.size() && is_id(name.substr(0, name.size() - ending.size()));
}

// True if the lock could be had, or if the file system knows no locks (then `known` is false).
bool try_lock(int descriptor, bool& known) {
  known = true;
  if (::flock(descriptor, LOCK_EX | LOCK_NB) == 0) return true;
  known = errno == EWOULDBLOCK;
  return !known;
}

void remove_leftovers(const fs::path& target) {
  const std::string prefix = prefix_of(target);
  const fs::path folder = folder_of(target);
  DIR* entries = ::opendir(folder.c_str());
  if (entries == nullptr) return;  // creating the part file will say why
  while (const dirent* entry = ::readdir(entries)) {
    const std::string_view name(entry->d_name);
    if (!is_part_name(name, prefix)) continue;
    const fs::path leftover = folder / name;
    // For writing: over NFS an exclusive lock needs that.
    const int descriptor = ::open(leftover.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0) continue;
    bool known = true;
    if (try_lock(descriptor, known) && known) ::unlink(leftover.c_str());
    ::close(descriptor);
  }
  ::closedir(entries);
}

// Makes and opens a file that is not there yet; -1, with errno, if that cannot be.
int open_new(const std::string& path, const Striping& asked, std::optional<StripingOutcome>& outcome) {
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  if (asked.count == 0) return ::open(path.c_str(), flags | O_CREAT | O_EXCL, 0666);
  outcome = create_striped(path, asked);
  if (outcome) return ::open(path.c_str(), flags);
  errno = EEXIST;
  return -1;
}

// The permissions of `target`; nothing when there is none yet.
std::optional<mode_t> checked_mode_of(const fs::path& target) {
  struct stat status {};
  if (::stat(target.c_str(), &status) != 0) {
    if (errno == ENOENT) return std::nullopt;
    throw system_error(errno, "opening", {.file = target.string()});
  }
  if (S_ISDIR(status.st_mode)) throw system_error(EISDIR, "opening for writing", {.file = target.string()});
  if (!S_ISREG(status.st_mode)) {
    throw Error({.code = ErrorCode::io,
                 .problem = "the output is not a regular file",
                 .where = {.file = target.string()},
                 .action = "name a file on disk"});
  }
  if (::access(target.c_str(), W_OK) != 0) throw system_error(errno, "opening for writing", {.file = target.string()});
  return status.st_mode & 07777;
}

}  // namespace

std::string file_of_output(const std::string& target) {
  fs::path at(target);
  std::error_code ignored;
  for (int links = 0; fs::is_symlink(fs::symlink_status(at, ignored)); ++links) {
    if (links == 40) throw system_error(ELOOP, "opening", {.file = target});
    // What is open already, such as /dev/stdout: a file of that name would take the place of what is written there.
    if (at.string().starts_with("/proc/"))
      throw Error({.code = ErrorCode::io,
                   .problem = "the output is a stream that is open, not a file",
                   .where = {.file = target},
                   .action = "name a file on disk"});
    const fs::path next = fs::read_symlink(at, ignored);
    at = next.is_absolute() ? next : folder_of(at) / next;
  }
  return at.string();
}

void remove_left_part_files(const std::string& target) { remove_leftovers(file_of_output(target)); }

PartFile::PartFile(const std::string& target, const Striping& striping) {
  const fs::path file = file_of_output(target);
  if (target.empty()) throw Error({.code = ErrorCode::usage, .problem = "the output has no name"});
  if (!file.has_filename()) throw system_error(EISDIR, "opening for writing", {.file = target});
  target_ = file.string();
  const std::optional<mode_t> mode = checked_mode_of(file);
  remove_leftovers(file);
  std::random_device random;
  while (true) {
    path_ = (folder_of(file) / fmt::format("{}{:08x}{:08x}{}", prefix_of(file), random(), random(), ending)).string();
    register_path(path_);  // before it exists: a signal may come at any moment
    try {
      descriptor_ = open_new(path_, striping, striping_);
    } catch (...) {
      unregister_path(path_);
      throw;
    }
    if (descriptor_ < 0) {
      const int reason = errno;
      unregister_path(path_);
      // With stripes it is made first and opened then: another process may have taken it for a leftover by now.
      if (reason == EEXIST || (striping_ && reason == ENOENT)) continue;
      throw system_error(reason, "creating a file beside the output", {.file = target_});
    }
    // Between creating and locking, another process may have taken the file for a leftover.
    bool known = true;
    struct stat status {};
    if (try_lock(descriptor_, known) && ::fstat(descriptor_, &status) == 0 && status.st_nlink > 0) break;
    unregister_path(path_);
    ::close(descriptor_);
  }
  if (mode && ::fchmod(descriptor_, *mode) != 0) {
    const int reason = errno;
    ::unlink(path_.c_str());
    unregister_path(path_);
    ::close(descriptor_);
    throw system_error(reason, "setting the permissions of the output", {.file = target_});
  }
}

PartFile::~PartFile() {
  if (descriptor_ < 0) return;
  ::unlink(path_.c_str());
  unregister_path(path_);
  ::close(descriptor_);
}

void PartFile::commit(bool durable) {
  if (::rename(path_.c_str(), target_.c_str()) != 0) {
    throw system_error(errno, "renaming the complete output to its name", {.file = target_});
  }
  unregister_path(path_);
  ::close(descriptor_);
  descriptor_ = -1;
  if (durable) sync_folder(folder_of(target_).string());
}

std::string target_of_part(const std::string& path) {
  if (path.find(marker) == path.npos) return path;  // nearly always
  const fs::path file(path);
  const std::string name = file.filename().string();
  const std::size_t at = name.rfind(marker);
  if (at == name.npos || at < 2 || !is_part_name(name, name.substr(0, at + marker.size()))) return path;
  return (file.parent_path() / name.substr(1, at - 1)).string();
}

bool remove_part_files_of_process() noexcept {
  bool any = false;
  for (auto& slot : registered) {
    const char* path = slot.exchange(nullptr);
    if (path == nullptr) continue;
    ::unlink(path);
    any = true;
  }
  return any;
}

}  // namespace sill
