#include "sill/store/part/part_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <random>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/store/part/left_part_files.hpp"
#include "sill/store/posix/folder.hpp"
#include "sill/store/ranged/ranged_source.hpp"

namespace sill {

// An entry of a list that a signal handler traverses to remove part files. The list only grows, at its head; entries
// are reused.
struct PathToRemove {
  std::atomic<const char*> path = nullptr;
  std::string text;                     // the text that `path` points to, if it is set; handlers do not read it
  PathToRemove* next = nullptr;         // never changes once the entry is in the list
  PathToRemove* next_unused = nullptr;  // for entries without a path
};

namespace {

namespace fs = std::filesystem;

static_assert(std::atomic<const char*>::is_always_lock_free && std::atomic<PathToRemove*>::is_always_lock_free);
std::atomic<PathToRemove*> paths_to_remove{nullptr};
std::atomic<int> handlers{0};  // handlers that are traversing the list

// The memory of the list and its unused entries. Signal handlers do not read it.
struct PathPool {
  std::mutex mutex;
  std::deque<PathToRemove> members;
  PathToRemove* unused = nullptr;
};
PathPool& path_pool() {
  static auto* const paths = new PathPool;
  return *paths;
}

PathToRemove* activate(const std::string& path) {
  PathPool& all = path_pool();
  const std::lock_guard lock(all.mutex);
  // The text may be changed while no handler runs. A handler that starts now finds no path in this entry.
  if (all.unused != nullptr && handlers == 0) {
    all.unused->text = path;
    PathToRemove* const member = std::exchange(all.unused, all.unused->next_unused);
    member->path = member->text.c_str();
    return member;
  }
  PathToRemove& member = all.members.emplace_back();
  member.text = path;
  member.path = member.text.c_str();
  member.next = paths_to_remove;
  paths_to_remove = &member;
  return &member;
}

void deactivate(PathToRemove* member) {
  PathPool& all = path_pool();
  member->path = nullptr;
  const std::lock_guard lock(all.mutex);
  member->next_unused = std::exchange(all.unused, member);
}

fs::path folder_of(const fs::path& target) { return target.has_parent_path() ? target.parent_path() : fs::path("."); }

const std::string& without_leftovers(const std::string& target) {
  if (unnamed_file_at(target)) return target;
  remove_left_part_files(std::span(&target, 1));
  return target;
}

const std::string& without_leftovers_of_stored(const std::string& target) {
  remove_left_part_files_of_stored(target);
  return target;
}

// Creates and opens a file that does not exist yet; returns -1, with errno, on failure.
int open_new(const std::string& path, mode_t mode, const Striping& asked, std::optional<StripingOutcome>& outcome) {
  constexpr int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;
  if (asked.count == 0) return ::open(path.c_str(), flags | O_CREAT | O_EXCL, mode);
  outcome = create_striped(path, asked, mode);
  if (outcome) return ::open(path.c_str(), flags);
  errno = EEXIST;
  return -1;
}

// Locks a new file. Between creating and locking, another process may have mistaken it for a leftover and removed it.
bool is_ours(int descriptor) {
  bool known = true;
  struct stat status {};
  return try_lock_part_file(descriptor, known) && ::fstat(descriptor, &status) == 0 && status.st_nlink > 0;
}

// Removes an unfinished file. Frees its space first, because a process that still has it open would hold the space, as
// MPI-IO may until it ends.
void remove_unfinished(const std::string& path, int descriptor) {
  const int own = descriptor >= 0 ? -1 : ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  const int opened = descriptor >= 0 ? descriptor : own;
  struct stat status {};
  const bool has_no_other_name = opened >= 0 && ::fstat(opened, &status) == 0 && status.st_nlink == 1;
  if (has_no_other_name && S_ISREG(status.st_mode)) {
    [[maybe_unused]] const int failed = ::ftruncate(opened, 0);  // on failure the last closing frees it
  }
  if (own >= 0) ::close(own);
  ::unlink(path.c_str());
}

// Returns the status of the file that the output replaces, which must be a regular file that may be written; nullopt if
// there is none yet.
std::optional<struct stat> checked_target(const fs::path& target) {
  struct stat status {};
  if (::lstat(target.c_str(), &status) != 0) {
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
  return status;
}

// Gives a new file the permissions and the group of the file `of`. If the group cannot be set, the group of the new
// file gets only the permissions that `of` gives to others. Returns false, with errno, on failure.
bool set_permissions(int descriptor, const struct stat& of) {
  mode_t mode = of.st_mode & 0777U;
  struct stat own {};
  if (::fstat(descriptor, &own) != 0) return false;
  const bool is_of_group = own.st_gid == of.st_gid || ::fchown(descriptor, static_cast<uid_t>(-1), of.st_gid) == 0;
  if (!is_of_group) mode &= S_IRWXU | S_IRWXO | (mode & S_IRWXO) << 3U;
  return ::fchmod(descriptor, mode) == 0;
}

}  // namespace

PartFile::PartFile(const std::string& target, const Striping& striping)
    : PartFile(without_leftovers(target), striping, nullptr, nullptr) {}

PartFile::PartFile(const std::string& target, const Striping& striping, const PartFile* guard)
    : PartFile(target, striping, guard, nullptr) {}

PartFile::PartFile(const std::string& target, const Striping& striping, const StoredBeside& beside)
    : PartFile(without_leftovers_of_stored(target), striping, nullptr, &beside) {}

PartFile::PartFile(const std::string& target, const Striping& striping, const PartFile* guard,
                   const StoredBeside* beside) {
  if (const std::optional<int> unnamed = unnamed_file_at(target)) {
    target_ = target;
    path_ = unnamed_.emplace(folder_of_unnamed(*unnamed)).path();
    return;
  }
  const std::optional<struct stat> belongs_to = take_target(target, beside);
  const fs::path file = target_;
  const std::string prefix = part_prefix_of(file.filename().string());
  std::random_device random;
  const auto digits = [&random] { return fmt::format("{:08x}", random()); };
  while (true) {
    const std::string group =
        guard == nullptr ? digits() : std::string(parse_part_name(fs::path(guard->path_).filename().string())->group);
    path_ = (folder_of(file) / part_name(prefix, group, digits())).string();
    entry_ = activate(path_);  // before the file exists: a signal may come at any time
    try {
      descriptor_ = open_new(path_, belongs_to ? 0600 : 0666, striping, striping_);
    } catch (...) {
      release();
      throw;
    }
    if (descriptor_ < 0) {
      const int reason = errno;
      release();
      // With stripes the file is created first and then opened: another process may have removed it as a leftover in
      // between.
      if (reason == EEXIST || (striping_ && reason == ENOENT)) continue;
      throw system_error(reason, "creating a file next to the output", {.file = target_});
    }
    if (guard != nullptr || is_ours(descriptor_)) break;
    ::unlink(path_.c_str());
    release();
  }
  if (belongs_to && !set_permissions(descriptor_, *belongs_to)) {
    const int reason = errno;
    ::unlink(path_.c_str());
    release();
    throw system_error(reason, "setting the permissions of the output", {.file = target_});
  }
  if (guard != nullptr) ::close(std::exchange(descriptor_, -1));
}

PartFile::PartFile(const std::string& target, const Striping& striping, const KeptAs& kept) {
  const std::optional<struct stat> belongs_to = take_target(target, nullptr);
  const fs::path file = target_;
  path_ = (folder_of(file) / part_prefix_of(file.filename().string()).append(kept.ending)).string();
  descriptor_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  was_there_ = descriptor_ >= 0;
  if (descriptor_ < 0 && errno == ENOENT) descriptor_ = open_new(path_, belongs_to ? 0600 : 0666, striping, striping_);
  if (descriptor_ < 0) throw system_error(errno, "opening a file next to the output", {.file = target_});
  try {
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) throw system_error(errno, "stat", {.file = path_});
    if (!S_ISREG(status.st_mode) || status.st_uid != ::geteuid() || status.st_nlink > 1)
      throw Error({.code = ErrorCode::io,
                   .problem = "a file with the name of an interrupted run's file is not a regular file, belongs to "
                              "another user, or has hard links",
                   .where = {.file = path_},
                   .action = "check this file, and remove it or name another output"});
    if (!is_ours(descriptor_))
      throw Error({.code = ErrorCode::io,
                   .problem = "another run is writing this output",
                   .where = {.file = target_},
                   .action = "wait until it has ended, or stop it"});
    if (!was_there_ && belongs_to && !set_permissions(descriptor_, *belongs_to))
      throw system_error(errno, "setting the permissions of the output", {.file = target_});
  } catch (...) {
    release();
    throw;
  }
}

std::optional<struct stat> PartFile::take_target(const std::string& target, const StoredBeside* beside) {
  const fs::path file = beside != nullptr ? target : file_of_output(target);
  if (target.empty())
    throw Error({.code = ErrorCode::usage, .problem = "the output has no name", .action = "name a file"});
  if (is_url(target)) throw read_only_error(target);
  if (!file.has_filename()) throw system_error(EISDIR, "opening for writing", {.file = target});
  target_ = file.string();
  std::optional<struct stat> belongs_to = checked_target(file);
  if (beside != nullptr) {
    if (::stat(beside->file.c_str(), &belongs_to.emplace()) != 0)
      throw system_error(errno, "stat", {.file = beside->file});
    belongs_to->st_mode = (belongs_to->st_mode & 0666U) | S_IRUSR | S_IWUSR;  // the caller is its owner
  }
  return belongs_to;
}

PartFile::~PartFile() {
  if (entry_ != nullptr) remove_unfinished(path_, descriptor_);
  release();
}

void PartFile::release() {
  if (entry_ != nullptr) deactivate(std::exchange(entry_, nullptr));
  if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
}

void PartFile::commit(bool durable) {
  if (unnamed_) {
    if (::dup3(unnamed_->descriptor(), unnamed_file_at(target_).value(), O_CLOEXEC) < 0)
      throw system_error(errno, "moving the complete output to its path", {.file = target_});
    return;
  }
  if (::rename(path_.c_str(), target_.c_str()) != 0) {
    throw system_error(errno, "renaming the complete output to its name", {.file = target_});
  }
  release();
  if (durable) sync_folder(folder_of(target_).string());
}

std::deque<PartFile> part_files_of(std::span<const std::string> targets, const Striping& striping) {
  std::deque<PartFile> parts;
  std::map<std::string, const PartFile*> guards;  // by folder
  remove_left_part_files(targets);
  for (std::size_t i = targets.size(); i-- > 0;) {
    const PartFile*& guard = guards[folder_of(file_of_output(targets[i])).string()];
    const PartFile& part = parts.emplace_front(targets[i], striping, guard);
    if (guard == nullptr) guard = &part;
  }
  return parts;
}

bool remove_part_files_of_process() noexcept {
  bool any = false;
  ++handlers;
  for (PathToRemove* member = paths_to_remove; member != nullptr; member = member->next) {
    const char* path = member->path.exchange(nullptr);
    if (path == nullptr) continue;
    ::unlink(path);
    any = true;
  }
  --handlers;
  return any;
}

}  // namespace sill
