// The progress of a long operation, for display.
#pragma once

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

#include "sill/base/error.hpp"

namespace sill {

/// The progress of an operation. The threads of the operation write it; any thread may read it at any time. `stage`
/// points to a text that is never freed.
struct Progress {
  std::atomic<const char*> stage{""};
  std::atomic<std::int64_t> total_bytes{0};
  std::atomic<std::int64_t> done_bytes{0};
  std::atomic<bool> is_cancelled{false};  ///< set by any thread to make the operation end with an error; only for
                                          ///< operations on one rank

  /// Local. Begins the stage `name`, in which this rank processes `bytes` bytes.
  void begin(const char* name, std::int64_t bytes) {
    total_bytes = 0;
    done_bytes = 0;
    stage = name;
    total_bytes = bytes;
  }
};

/// Local. Returns a copy of `name` that is never freed, for the name of a stage that is composed at run time. Only for
/// a small number of names. Thread-safe.
[[nodiscard]] inline const char* lasting_name(const std::string& name) {
  static std::mutex mutex;
  static std::set<std::string> names;
  const std::scoped_lock lock(mutex);
  return names.insert(name).first->c_str();
}

/// Local. Adds `bytes` to the bytes done, if `progress` is not null. Errors: io, with ECANCELED, if the operation is
/// cancelled.
inline void count_done(Progress* progress, std::int64_t bytes) {
  if (progress == nullptr) return;
  progress->done_bytes += bytes;
  if (progress->is_cancelled)
    throw Error({.code = ErrorCode::io,
                 .problem = "the operation was cancelled",
                 .action = "unfinished outputs are removed; files that they would have replaced are unchanged",
                 .system_error_number = ECANCELED});
}

}  // namespace sill
