// Logs of processes that died before all their writes were copied into the files.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sill {

/// The names of the files of a log consist of the prefix, host, process and number, then an ending.
inline constexpr std::string_view log_prefix = "sill-";
inline constexpr std::string_view lock_ending = ".lock";
inline constexpr std::string_view segment_ending = ".log";

/// The result of draining the runs of one file.
struct DrainedFile {
  std::string path;
  std::int64_t runs = 0;     ///< intact runs in the logs
  std::int64_t bytes = 0;    ///< bytes of the intact runs
  std::string dropped = {};  ///< reason why the runs were dropped; empty if they were written to the file
};

/// The result of draining the logs of a folder.
struct DrainedLogs {
  int drained = 0;                        ///< logs drained and removed
  int in_use = 0;                         ///< logs whose processes are alive
  std::vector<DrainedFile> files = {};    ///< the files of the drained logs
  std::vector<std::string> damaged = {};  ///< segments of which only the beginning could be used

  /// Local. Returns true if everything the logs contained was copied into the files.
  [[nodiscard]] bool is_whole() const;
};

/// Local. Copies the intact runs from the logs of dead processes in `folder` into their files, in long requests, syncs
/// the files and removes those logs. Drops the runs of a file that is missing, that replaced the file to which the
/// process wrote, that was changed after the process ended, or that should have appeared only when it was complete.
/// Errors: usage if the folder does not exist; io; after an io error no log is removed.
[[nodiscard]] DrainedLogs drain_left_logs(const std::string& folder);

/// Local. Removes logs of dead processes from `folder` that contain nothing for any file. Errors: usage if the folder
/// does not exist, or if a log contains runs for a file or is damaged; io.
void require_no_left_logs(const std::string& folder);

}  // namespace sill
