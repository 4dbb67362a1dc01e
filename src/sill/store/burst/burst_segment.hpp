// A file of runs that are on their way to other files.
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

/// A run of bytes of a file, and where a segment has them.
struct LoggedRun {
  int file = 0;
  std::int64_t offset_bytes = 0;
  std::int64_t length = 0;
  std::int64_t log_byte = 0;
};

/// Runs of files in the order in which they came, each with its place, length and checksum (docs/burst.md).
class BurstSegment {
 public:
  /// Local. Makes the file, which is removed with this object. Errors: io.
  BurstSegment(const std::string& path, const Opener& open);
  BurstSegment(const BurstSegment&) = delete;
  BurstSegment& operator=(const BurstSegment&) = delete;
  ~BurstSegment();

  /// Local. Begins anew. `number` is above those of all segments of this log that hold anything. Precondition: cleared.
  void begin(std::int64_t number);
  /// Local, from any thread. Appends writes to the file at `path`, which has the number `file`. Errors: io; then it
  /// must not be appended to before it is cleared, and has the runs of all calls that returned.
  void append(int file, const std::string& path, std::span<const Request> requests);
  /// Local. What was appended. Precondition: nobody appends.
  [[nodiscard]] std::span<const LoggedRun> runs() const { return runs_; }
  /// Local. Which has the bytes of the runs.
  [[nodiscard]] Store& store() { return *store_; }
  /// Local. What was appended so far is to be drained, should the process die. Precondition: nobody appends. Errors:
  /// io.
  void seal();
  /// Local. All is in the files: nothing is left that could be drained. Errors: io.
  void clear();

 private:
  std::string path_;
  std::unique_ptr<Store> store_;
  std::mutex mutex_;
  std::int64_t number_ = 0;
  std::int64_t end_byte_ = 0;
  std::set<int> named_;  // files whose paths it has
  std::vector<LoggedRun> runs_;
};

/// What a record of a segment names.
struct LoggedFile {
  std::string path;         ///< empty: a file without a name, gone with its process
  std::int64_t device = 0;  ///< with `inode`: which file had that path; 0 if there was none yet
  std::int64_t inode = 0;
};

/// A segment that a process left behind.
struct LeftSegment {
  std::int64_t number = 0;  ///< 0: it holds nothing that is to be drained
  std::vector<LoggedFile> files;
  std::vector<LoggedRun> runs;  ///< whose bytes are as they were when they were appended
  bool is_damaged = false;      ///< behind them bytes are cut or changed
};

/// Local. The whole runs of a segment. Errors: io; input if it is no segment.
[[nodiscard]] LeftSegment read_segment(Store& store);

}  // namespace sill
