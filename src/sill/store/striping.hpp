// Stripes of files: requests to the file system, and reports of the resulting stripes.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sill/store/posix/file_system_calls.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// The number of servers (disks, objects) that hold a file, and the number of bytes stored on one server before the
/// next server follows.
struct Striping {
  int count = 0;
  std::int64_t unit_bytes = 0;

  friend constexpr bool operator==(const Striping&, const Striping&) = default;
};

/// Where the file system stores the bytes of files; this determines the cost of requests.
enum class FileSystemKind {
  memory,      ///< the memory of this node
  local,       ///< the page cache of this node, backed by disks
  network,     ///< servers that several nodes use
  user_space,  ///< a program (FUSE), possibly in front of servers; the system passes it one write per file at a time
};

/// Local. Returns true if writes and cached reads move bytes within the memory of this node, regardless of the disk.
[[nodiscard]] constexpr bool is_on_this_node(FileSystemKind kind) {
  return kind == FileSystemKind::memory || kind == FileSystemKind::local;
}

/// Local. Returns the kind of the file system that holds `path` or, if `path` does not exist, its folder. Never fails;
/// unknown kinds are reported as local.
[[nodiscard]] FileSystemKind file_system_kind_of(const std::string& path, FileSystemCalls& calls = system_calls());

/// The stripes of a file as its file system reports them.
struct StripingFound {
  std::string file_system;           ///< name of the file system, such as "Lustre"
  std::optional<Striping> striping;  ///< nullopt if the file has no stripes, or they are not reported
  std::string reason;                ///< the reason for a missing striping
};

/// Local. Returns the stripes of a file or, on Lustre, the stripes of new files in a folder. Never fails. If the
/// stripes change along the file (a progressive layout of Lustre), returns the last stripes: they hold all bytes of the
/// file except the first ones.
[[nodiscard]] StripingFound striping_of(const std::string& path, FileSystemCalls& calls = system_calls());

/// Local. Returns the alignment at which requests to the file are efficient: the unit of its stripes, or else the
/// request size that the file system prefers, or else 4096. Never fails.
[[nodiscard]] std::int64_t stripe_bytes_of(const std::string& path, FileSystemCalls& calls = system_calls());

/// The outcome of requesting stripes for a file.
struct StripingOutcome {
  Striping asked;
  StripingFound found;  ///< read back from the file
  std::string reason;   ///< why the stripes differ from the request, if known

  /// Local. Returns the outcome as text: "Lustre: 2 stripes of 1M; the request was 4 stripes of 1M".
  [[nodiscard]] std::string text() const;
};

/// Local. Creates an empty file with the requested stripes, if its file system supports them. Returns nullopt if a file
/// of that name exists. If the stripes are unavailable, this is not an error; the outcome states the reason. Errors: io
/// if no file can be created.
[[nodiscard]] std::optional<StripingOutcome> create_striped(const std::string& path, const Striping& asked,
                                                            unsigned mode = 0666,
                                                            FileSystemCalls& calls = system_calls());

/// A short report on the stripes of many files. Several threads may add.
class StripingReport {
 public:
  struct Line {
    std::string text;
    std::int64_t files = 0;
    std::string first;  ///< the file that was reported first
  };

  /// Local. Adds the outcome for a file.
  void add(const std::string& path, const StripingOutcome& outcome);
  /// Local. Returns one line per distinct outcome.
  [[nodiscard]] std::vector<Line> lines() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Line> lines_;
};

/// Local. Returns an opener that creates files with the requested stripes and adds the outcomes to `report`. Only for
/// files of the operating system. If several ranks may create a file, the first one creates it; a rank that finds it
/// reports its stripes. Precondition: `report` and `calls` outlive the opener.
[[nodiscard]] Opener striped(Opener inner, const Striping& asked, StripingReport& report,
                             FileSystemCalls& calls = system_calls());

}  // namespace sill
