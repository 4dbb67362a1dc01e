// The log of a rank: files in a fast folder that hold what is on its way to slower files.
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

/// The segments of a log, used again and again, and a lock that says that its process lives. It is removed with this
/// object.
class BurstLog {
 public:
  /// Local. `meter`, which may be null, and else outlives it, counts what goes through it. Errors: usage if there is no
  /// such folder, or logs lie there that a process left behind (`require_no_left_logs`); io.
  BurstLog(const std::string& folder, Meter* meter, Opener open = open_posix);

  /// Local, from any thread. Returns an empty segment. Errors: io.
  [[nodiscard]] std::unique_ptr<BurstSegment> begin();
  /// Local, from any thread. Takes back a segment whose runs are in their files, or lost.
  void end(std::unique_ptr<BurstSegment> segment);

  /// Local, from any thread. Whether the folder is worth going through: not, once it has taken longer for its bytes
  /// than the files took for theirs.
  [[nodiscard]] bool is_fast() const;
  /// Local, from any thread. What the folder took; what was brought into files; what it could not take.
  void count_appended(std::int64_t bytes, std::int64_t ns);
  void count_drained(std::int64_t bytes, std::int64_t ns);
  void count_refused(std::int64_t bytes);
  /// Local, from any thread. The time of the lock says when this process last wrote to a file.
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
  // Removes the lock behind the segments.
  struct Removed {
    std::string path;
    ~Removed();
  } removed_;
  std::vector<std::unique_ptr<BurstSegment>> unused_;
};

}  // namespace sill
