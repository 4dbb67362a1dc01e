// Logs of processes that died before everything was in the files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sill {

/// Names of the files of a log: the prefix, host, process and number, then an ending.
inline constexpr std::string_view log_prefix = "sill-";
inline constexpr std::string_view lock_ending = ".lock";
inline constexpr std::string_view segment_ending = ".log";

/// What became of the runs of one file.
struct DrainedFile {
  std::string path;
  std::int64_t runs = 0;     ///< that the logs had whole
  std::int64_t bytes = 0;    ///< of those runs
  std::string dropped = {};  ///< why they were not brought into the file; empty: they were
};

/// What became of the logs of a folder.
struct DrainedLogs {
  int drained = 0;                        ///< which are gone now
  int in_use = 0;                         ///< whose processes live
  std::vector<DrainedFile> files = {};    ///< of those drained
  std::vector<std::string> damaged = {};  ///< segments of which only the beginning could be used

  /// Local. Whether all that the logs had is in the files.
  [[nodiscard]] bool is_whole() const;
};

/// Local. Brings into their files what the logs of dead processes in `folder` have whole, in long requests, synced, and
/// removes those logs.
/// Dropped is what is of files that are not there, that are others than those written to, that changed since their
/// process ended, or that were to appear only when complete. Errors: usage if there is no such folder; io, and then
/// no log is removed.
[[nodiscard]] DrainedLogs drain_left_logs(const std::string& folder);

/// Local. Removes logs of dead processes from `folder` that have nothing for any file. Errors: usage if there is no
/// such folder, or if a log has something.
void require_no_left_logs(const std::string& folder);

}  // namespace sill
