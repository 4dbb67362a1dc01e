#include "sill/store/burst/left_logs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/store/burst/burst_segment.hpp"
#include "sill/store/part/part_name.hpp"
#include "sill/store/posix/file_lock.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;

// A log whose process is dead, locked by this one.
struct LeftLog {
  std::string lock_path;
  std::unique_ptr<FileLock> lock;
  std::vector<std::string> paths;  // of the segments
  std::int64_t newest_s = 0;       // when its process wrote last
};

struct LeftLogs {
  std::vector<LeftLog> logs;
  int in_use = 0;
};

std::int64_t changed_s(const struct stat& status) { return status.st_mtim.tv_sec; }

std::int64_t changed_s(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0 ? changed_s(status) : 0;
}

LeftLogs find_left_logs(const std::string& folder) {
  std::error_code failed;
  if (!fs::is_directory(folder, failed)) {
    const bool is_known = !failed || failed == std::errc::no_such_file_or_directory;
    if (!is_known) throw system_error(failed.value(), "opening the folder", {.file = folder});
    throw Error({.code = ErrorCode::usage,
                 .problem = "there is no such folder for a burst buffer",
                 .where = {.file = folder},
                 .action = "name a folder that every node has: of its memory, or of a disk of its own"});
  }
  std::vector<std::string> names;
  for (fs::directory_iterator entry(folder, failed); !failed && entry != fs::directory_iterator();
       entry.increment(failed))
    names.push_back(entry->path().filename().string());
  if (failed) throw system_error(failed.value(), "reading the folder", {.file = folder});
  std::ranges::sort(names);
  LeftLogs left;
  for (const std::string& name : names) {
    if (!name.starts_with(log_prefix) || !name.ends_with(lock_ending)) continue;
    LeftLog log{.lock_path = folder + "/" + name, .lock = nullptr, .paths = {}};
    const std::optional<Error> unopened = attempt([&] { log.lock = std::make_unique<FileLock>(log.lock_path); });
    if (::access(log.lock_path.c_str(), F_OK) != 0) continue;  // its process has just ended
    if (unopened) throw Error(*unopened);
    if (!log.lock->try_alone()) {
      ++left.in_use;
      continue;
    }
    if (!log.lock->is_at(log.lock_path)) continue;
    const std::string prefix = name.substr(0, name.size() - lock_ending.size()) + ".";
    log.newest_s = changed_s(log.lock_path);
    for (const std::string& each : names) {
      if (!each.starts_with(prefix) || !each.ends_with(segment_ending)) continue;
      log.paths.push_back(folder + "/" + each);
      log.newest_s = std::max(log.newest_s, changed_s(log.paths.back()));
    }
    left.logs.push_back(std::move(log));
  }
  return left;
}

// Why what a log has is not for the file that is there now; empty if it is.
std::string reason_to_drop(const LoggedFile& file, std::int64_t newest_s) {
  constexpr std::int64_t clocks_differ_s = 60;
  if (file.path.empty()) return "the unfinished output of a command is gone with it";
  if (target_of_part(file.path) != file.path) return "it is the unfinished output of a command: run it again";
  struct stat status {};
  if (::stat(file.path.c_str(), &status) != 0)
    return errno == ENOENT ? "the file is not there" : "it cannot be reached";
  const bool was_there = file.inode != 0;
  if (was_there && (static_cast<std::int64_t>(status.st_ino) != file.inode ||
                    static_cast<std::int64_t>(status.st_dev) != file.device))
    return "another file has its name by now";
  if (changed_s(status) > newest_s + clocks_differ_s)
    return "the file was changed after the process that wrote it ended";
  return "";
}

void remove_log(const LeftLog& log) {
  for (const std::string& path : log.paths) ::unlink(path.c_str());
  ::unlink(log.lock_path.c_str());
}

struct OpenSegment {
  std::unique_ptr<Store> store;
  LeftSegment left;
};

// Those that hold anything, in the order in which they were written.
std::vector<OpenSegment> segments_of(const LeftLog& log) {
  std::vector<OpenSegment> segments;
  for (const std::string& path : log.paths) {
    OpenSegment segment{open_posix(path, OpenMode::read), {}};
    segment.left = read_segment(*segment.store);
    if (segment.left.number != 0 || segment.left.is_damaged) segments.push_back(std::move(segment));
  }
  std::ranges::sort(segments, {}, [](const OpenSegment& each) { return each.left.number; });
  return segments;
}

void bring(const OpenSegment& from, const LoggedRun& run, Store& to) {
  constexpr std::int64_t copy_bytes = 8 << 20;
  std::vector<std::byte> block;
  for (std::int64_t done = 0; done < run.length; done += std::ssize(block)) {
    block.resize(static_cast<std::size_t>(std::min(copy_bytes, run.length - done)));
    read_at(*from.store, run.log_byte + done, block);
    write_at(to, run.offset_bytes + done, block);
  }
}

}  // namespace

bool DrainedLogs::is_whole() const {
  return damaged.empty() && std::ranges::all_of(files, [](const DrainedFile& file) { return file.dropped.empty(); });
}

DrainedLogs drain_left_logs(const std::string& folder) {
  const LeftLogs left = find_left_logs(folder);
  DrainedLogs result{.in_use = left.in_use};
  std::map<std::pair<std::string, std::string>, DrainedFile> files;  // by path and reason
  std::int64_t newest_s = 0;  // of all: one process may have written a shared file later than another
  for (const LeftLog& log : left.logs) newest_s = std::max(newest_s, log.newest_s);
  std::map<std::pair<std::string, std::int64_t>, std::string> reasons;  // as they were before anything is drained
  std::vector<std::vector<OpenSegment>> segments;
  for (const LeftLog& log : left.logs) {
    for (const OpenSegment& segment : segments.emplace_back(segments_of(log))) {
      for (const LoggedFile& file : segment.left.files)
        reasons.try_emplace({file.path, file.inode}, reason_to_drop(file, newest_s));
    }
  }
  for (std::size_t i = 0; i < left.logs.size(); ++i) {
    std::map<std::string, std::unique_ptr<Store>> stores;
    for (const OpenSegment& segment : segments[i]) {
      if (segment.left.is_damaged) result.damaged.push_back(segment.store->name());
      for (const LoggedRun& run : segment.left.runs) {
        const LoggedFile& file = segment.left.files[static_cast<std::size_t>(run.file)];
        const std::string& reason = reasons.at({file.path, file.inode});
        DrainedFile& drained = files.try_emplace({file.path, reason}, DrainedFile{.path = file.path}).first->second;
        drained.dropped = reason;
        ++drained.runs;
        drained.bytes += run.length;
        if (!reason.empty()) continue;
        std::unique_ptr<Store>& store = stores[file.path];
        if (!store) store = open_posix(file.path, OpenMode::write);
        bring(segment, run, *store);
      }
    }
    for (const auto& [path, store] : stores) {
      store->sync();
      store->close();
    }
    remove_log(left.logs[i]);
    ++result.drained;
  }
  for (auto& [key, file] : files) result.files.push_back(std::move(file));
  return result;
}

void require_no_left_logs(const std::string& folder) {
  for (const LeftLog& log : find_left_logs(folder).logs) {
    for (const OpenSegment& segment : segments_of(log)) {
      for (const LoggedFile& file : segment.left.files) {
        if (!reason_to_drop(file, log.newest_s).empty()) continue;
        throw Error({.code = ErrorCode::usage,
                     .problem = fmt::format("a process that was killed left {} here, with bytes for {}",
                                            fs::path(segment.store->name()).filename().string(), file.path),
                     .where = {.file = folder},
                     .action = fmt::format("bring them there (sill drain {}), or remove the log", folder)});
      }
    }
    remove_log(log);
  }
}

}  // namespace sill
