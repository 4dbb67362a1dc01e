// How far a long operation is, for whoever wants to show it.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>

namespace sill {

/// Written by the threads of an operation, read by anyone at any time. `stage` points to a text that lives for ever.
struct Progress {
  std::atomic<const char*> stage{""};
  std::atomic<std::int64_t> total_bytes{0};
  std::atomic<std::int64_t> done_bytes{0};

  /// Local. A new stage of `bytes` on this rank begins.
  void begin(const char* name, std::int64_t bytes) {
    total_bytes = 0;
    done_bytes = 0;
    stage = name;
    total_bytes = bytes;
  }
};

/// Local. A text that lives for ever, for the name of a stage that is made at run time: one of few. Thread-safe.
[[nodiscard]] inline const char* lasting_name(const std::string& name) {
  static std::mutex mutex;
  static std::set<std::string> names;
  const std::scoped_lock lock(mutex);
  return names.insert(name).first->c_str();
}

/// Local. Adds to what is done, if `progress` is not null.
inline void count_done(Progress* progress, std::int64_t bytes) {
  if (progress != nullptr) progress->done_bytes += bytes;
}

}  // namespace sill
