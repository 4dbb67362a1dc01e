// A file that holds runs on their way to other files.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sill/store/store.hpp"

namespace sill {

/// A run of bytes of a file, and its position in a segment.
struct LoggedRun {
  int file = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t length = 0;
  std::int64_t log_byte = 0;
};

/// Runs of files in order of arrival, each with its offset, length and checksum (docs/burst.md).
class BurstSegment {
 public:
  /// Local. Creates the file; the destructor removes it. Errors: io.
  BurstSegment(const std::string& path, const Opener& open);
  BurstSegment(const BurstSegment&) = delete;
  BurstSegment& operator=(const BurstSegment&) = delete;
  ~BurstSegment();

  /// Local. Starts a new, empty segment with the number `number`. Preconditions: `number` is greater than the numbers
  /// of all segments of this log that are not empty; `clear` was called, or this object is new.
  void begin(std::int64_t number);
  /// Local, from any thread. Appends writes to the file at `path`, which has the number `file`. Errors: io; the segment
  /// then contains the runs of all calls that returned, and must be cleared before the next append.
  void append(int file, const std::string& path, std::span<const Request> requests);
  /// Local. Returns the appended runs. Precondition: no thread appends.
  [[nodiscard]] std::span<const LoggedRun> runs() const { return runs_; }
  /// Local. Returns the store that holds the bytes of the runs.
  [[nodiscard]] Store& store() { return *store_; }
  /// Local. Marks all runs appended so far: they will be drained if the process dies. Precondition: no thread appends.
  /// Errors: io.
  void seal();
  /// Local. Marks the segment as empty, so that none of its runs is drained later. Errors: io.
  void clear();

 private:
  std::string path_;
  std::unique_ptr<Store> store_;
  std::mutex mutex_;
  std::int64_t number_ = 0;
  std::int64_t end_byte_ = 0;
  std::set<int> named_;  // files whose paths the segment contains
  std::vector<LoggedRun> runs_;
};

/// A file that a record of a segment names.
struct LoggedFile {
  std::string path;         ///< empty for a file without a name, which vanished with its process
  std::int64_t device = 0;  ///< device of the file at `path`; 0 if it did not exist yet
  std::int64_t inode = 0;
};

/// A segment that a process left behind.
struct LeftSegment {
  std::int64_t number = 0;  ///< 0: the segment holds nothing to drain
  std::vector<LoggedFile> files;
  std::vector<LoggedRun> runs;  ///< intact runs: their bytes are the bytes that were appended
  bool is_damaged = false;      ///< after these runs, bytes are missing or changed
};

/// Local. Returns the intact runs of a segment. Errors: io; input if the file is not a segment.
[[nodiscard]] LeftSegment read_segment(Store& store);

}  // namespace sill
