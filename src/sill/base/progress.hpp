// How far a long operation is, for whoever wants to show it.
#pragma once

#include <atomic>
#include <cstdint>

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

/// Local. Adds to what is done, where somebody wants to know.
inline void count_done(Progress* progress, std::int64_t bytes) {
  if (progress != nullptr) progress->done_bytes += bytes;
}

}  // namespace sill
