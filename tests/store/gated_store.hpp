// Files whose opening waits until the test lets it.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "sill/store/store.hpp"

namespace sill::test {

/// Several threads may use it.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  /// Local. As it is at first.
  void close() {
    const std::lock_guard lock(mutex_);
    is_open_ = false;
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

/// An opener that goes through the gate first, which outlives it.
[[nodiscard]] inline Opener gated(Opener inner, Gate& gate) {
  return [inner = std::move(inner), &gate](const std::string& path, OpenMode mode) {
    gate.wait();
    return inner(path, mode);
  };
}

}  // namespace sill::test
