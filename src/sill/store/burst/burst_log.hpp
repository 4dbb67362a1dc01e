// The log of a rank: files in a fast folder that hold writes on their way to slower files.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "sill/store/burst/burst_segment.hpp"
#include "sill/store/meter_store.hpp"
#include "sill/store/posix/file_lock.hpp"
#include "sill/store/posix/posix_store.hpp"

namespace sill {

/// The reusable segments of a log, and a lock file that shows that the process is alive. The destructor removes both.
class BurstLog {
 public:
  /// Local. Creates the log. `meter`, which may be null, counts the bytes that the log accepts and refuses.
  /// Precondition: `meter` outlives this object. Errors: usage if the folder does not exist or contains logs that a
  /// dead process left behind (`require_no_left_logs`); io.
  BurstLog(const std::string& folder, Meter* meter, Opener open = open_posix);

  /// Local, from any thread. Returns an empty segment. Errors: io.
  [[nodiscard]] std::unique_ptr<BurstSegment> begin();
  /// Local, from any thread. Takes back a segment whose runs were copied into their files, or are lost.
  void end(std::unique_ptr<BurstSegment> segment);

  /// Local, from any thread. Returns true unless the folder has taken longer per byte than the files. If it has, the
  /// log is not useful.
  [[nodiscard]] bool is_fast() const;
  /// Local, from any thread. Count bytes: appended to the log, drained into the files, refused by the log.
  void count_appended(std::int64_t bytes, std::int64_t ns);
  void count_drained(std::int64_t bytes, std::int64_t ns);
  void count_refused(std::int64_t bytes);
  /// Local, from any thread. Sets the time of the lock file to now: the time of the last write of this process to a
  /// file.
  void touch() const;

 private:
  std::string folder_;
  std::string name_;
  Meter* meter_;
  Opener open_;
  std::optional<FileLock> lock_;
  std::atomic<std::int64_t> appended_bytes_{0};
  std::atomic<std::int64_t> appended_ns_{0};
  std::atomic<std::int64_t> drained_bytes_{0};
  std::atomic<std::int64_t> drained_ns_{0};
  std::mutex mutex_;
  std::int64_t begun_ = 0;
  int made_ = 0;
  // Removes the lock file after the segments.
  struct Removed {
    std::string path;
    ~Removed();
  } removed_;
  std::vector<std::unique_ptr<BurstSegment>> unused_;
};

}  // namespace sill
