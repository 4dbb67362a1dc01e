#include "sill/store/burst/left_logs.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <ranges>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/comm/agree.hpp"
#include "sill/store/burst/burst_segment.hpp"
#include "sill/store/burst/latest_bytes.hpp"
#include "sill/store/handle_cache.hpp"
#include "sill/store/part/part_name.hpp"
#include "sill/store/posix/file_lock.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill {
namespace {

namespace fs = std::filesystem;

// A log whose process is dead, locked by this process.
struct LeftLog {
  std::string lock_path;
  std::unique_ptr<FileLock> lock;
  std::vector<std::string> paths;  // of the segments
  std::int64_t newest_s = 0;       // time of the last write of its process
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
                 .problem = "the folder of the burst buffer does not exist",
                 .where = {.file = folder},
                 .action = "name a folder that exists on every node, in memory or on a local disk"});
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

// Returns the reason why the runs of a log must not be written to the file now at their path; empty if they may be.
std::string reason_to_drop(const LoggedFile& file, std::int64_t newest_s) {
  constexpr std::int64_t clocks_differ_s = 60;
  if (file.path.empty()) return "it belongs to the unfinished output of a command, which was removed";
  if (target_of_part(file.path) != file.path) return "it is the unfinished output of a command: run it again";
  struct stat status {};
  if (::stat(file.path.c_str(), &status) != 0)
    return errno == ENOENT ? "the file does not exist" : "it cannot be reached";
  const bool was_there = file.inode != 0;
  if (was_there && (static_cast<std::int64_t>(status.st_ino) != file.inode ||
                    static_cast<std::int64_t>(status.st_dev) != file.device))
    return "another file now has its name";
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

// Returns the segments that contain anything, in the order in which they were written.
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

}  // namespace

bool DrainedLogs::is_whole() const {
  return damaged.empty() && std::ranges::all_of(files, [](const DrainedFile& file) { return file.dropped.empty(); });
}

DrainedLogs drain_left_logs(const std::string& folder) {
  const LeftLogs left = find_left_logs(folder);
  DrainedLogs result{.in_use = left.in_use};
  std::int64_t newest_s = 0;  // maximum over all logs: one process may have written a shared file later than another
  for (const LeftLog& log : left.logs) newest_s = std::max(newest_s, log.newest_s);
  std::vector<std::vector<OpenSegment>> segments;
  for (const LeftLog& log : left.logs) segments.push_back(segments_of(log));
  std::map<std::string, int> numbers;  // of files
  std::vector<std::string> paths;
  std::map<std::pair<std::string, std::string>, DrainedFile> files;  // by path and reason for dropping
  LatestBytes latest;
  for (const OpenSegment& segment : std::views::join(segments)) {
    if (segment.left.is_damaged) result.damaged.push_back(segment.store->name());
    std::vector<std::string> reasons;
    for (const LoggedFile& file : segment.left.files) reasons.push_back(reason_to_drop(file, newest_s));
    for (LoggedRun run : segment.left.runs) {
      const std::string& path = segment.left.files[static_cast<std::size_t>(run.file)].path;
      const std::string& reason = reasons[static_cast<std::size_t>(run.file)];
      DrainedFile& drained =
          files.try_emplace({path, reason}, DrainedFile{.path = path, .dropped = reason}).first->second;
      ++drained.runs;
      drained.bytes += run.length;
      if (!reason.empty()) continue;
      const auto [found, is_new] = numbers.try_emplace(path, static_cast<int>(paths.size()));
      if (is_new) paths.push_back(path);
      run.file = found->second;
      latest.add(*segment.store, run);
    }
  }
  for (auto& [key, file] : files) result.files.push_back(std::move(file));
  HandleCache handles(open_posix, paths, OpenMode::write);
  latest.write(handles, 1, LatestBytes::max_request_bytes, [] {});
  handles.sync_written();
  handles.close();
  // Removes the oldest first: if this process is killed now, the remaining segments can be drained once more.
  for (const OpenSegment& segment : std::views::join(segments)) ::unlink(segment.store->name().c_str());
  for (const LeftLog& log : left.logs) remove_log(log);
  result.drained = static_cast<int>(left.logs.size());
  return result;
}

void require_no_left_logs(const std::string& folder) {
  for (const LeftLog& log : find_left_logs(folder).logs) {
    for (const OpenSegment& segment : segments_of(log)) {
      const auto has_its_file = [&](const LoggedFile& file) { return reason_to_drop(file, log.newest_s).empty(); };
      const auto found = std::ranges::find_if(segment.left.files, has_its_file);
      const bool has_any = found != segment.left.files.end();
      if (!has_any && !segment.left.is_damaged) continue;
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("a process that was killed left {} in this folder, {}",
                                          fs::path(segment.store->name()).filename().string(),
                                          has_any ? "with bytes for " + found->path : "which is damaged"),
                   .where = {.file = folder},
                   .action = fmt::format("write its data to its files (sill drain {}), or remove it", folder)});
    }
    remove_log(log);
  }
}

}  // namespace sill
