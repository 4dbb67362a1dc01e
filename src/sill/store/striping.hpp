// Stripes of files: asked of the file system, read back, and reported as they took effect.
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

/// Over how many servers (disks, objects) a file is spread, and how many bytes lie on one before the next.
struct Striping {
  int count = 0;
  std::int64_t unit_bytes = 0;

  friend constexpr bool operator==(const Striping&, const Striping&) = default;
};

/// Where the bytes of files go, which is what requests cost.
enum class FileSystemKind {
  memory,      ///< the memory of this node
  local,       ///< its page cache, and disks behind it
  network,     ///< servers that several nodes use
  user_space,  ///< a program (FUSE), maybe before servers, to which the system hands one write of a file at a time
};

/// Local. Whether writes and cached reads move bytes between memories of this node, whatever disk is behind.
[[nodiscard]] constexpr bool is_on_this_node(FileSystemKind kind) {
  return kind == FileSystemKind::memory || kind == FileSystemKind::local;
}

/// Local. The kind of the file system that holds `path`, or else its folder. Never fails; what is not known is local.
[[nodiscard]] FileSystemKind file_system_kind_of(const std::string& path, FileSystemCalls& calls = system_calls());

/// What a file system reports of the stripes of a file.
struct StripingFound {
  std::string file_system;           ///< its name, "Lustre"
  std::optional<Striping> striping;  ///< nothing if it has no stripes or does not report them
  std::string reason;                ///< why nothing
};

/// Local. The stripes of a file or, on Lustre, those that new files in a folder get. Never fails. Of a file whose
/// stripes change along it (a progressive layout of Lustre) it reports the last, where all but the first bytes lie.
[[nodiscard]] StripingFound striping_of(const std::string& path, FileSystemCalls& calls = system_calls());

/// Local. Where requests to the file had best begin and end: the unit of its stripes, or else the size of requests that
/// the file system prefers, or else 4096. Never fails.
[[nodiscard]] std::int64_t stripe_bytes_of(const std::string& path, FileSystemCalls& calls = system_calls());

/// What became of the stripes that were asked for a file.
struct StripingOutcome {
  Striping asked;
  StripingFound found;  ///< read back from the file
  std::string reason;   ///< why it is not what was asked, if that is known

  /// Local. In words: "Lustre: 2 stripes of 1M; asked were 4 of 1M".
  [[nodiscard]] std::string text() const;
};

/// Local. Makes an empty file with stripes as asked, as far as its file system has them. Nothing if there is a file of
/// that name already. Stripes that are not to be had are no error: see the outcome. Errors: io, if no file can be
/// made.
[[nodiscard]] std::optional<StripingOutcome> create_striped(const std::string& path, const Striping& asked,
                                                            unsigned mode = 0666,
                                                            FileSystemCalls& calls = system_calls());

/// What became of the stripes of many files, in few lines. Several threads may add.
class StripingReport {
 public:
  struct Line {
    std::string text;
    std::int64_t files = 0;
    std::string first;  ///< the file that was reported first
  };

  /// Local.
  void add(const std::string& path, const StripingOutcome& outcome);
  /// Local. A line for each outcome that differs from the others.
  [[nodiscard]] std::vector<Line> lines() const;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, Line> lines_;
};

/// Local. An opener that makes the files which it is to create with stripes as asked, and adds the outcome to `report`.
/// Only for files of the operating system. `report` and `calls` outlive it. Where several ranks may create one file,
/// the first to come makes it; one that finds it there reports its stripes.
[[nodiscard]] Opener striped(Opener inner, const Striping& asked, StripingReport& report,
                             FileSystemCalls& calls = system_calls());

}  // namespace sill
