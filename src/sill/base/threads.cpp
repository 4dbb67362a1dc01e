#include "sill/base/threads.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace sill {
namespace {

class FirstException {
 public:
  void keep_current() {
    const std::lock_guard lock(mutex_);
    if (!first_) first_ = std::current_exception();
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr first_;
};

}  // namespace

void run_on_threads(int threads, const std::function<void(int)>& work) {
  FirstException failure;
  const auto guarded = [&](int thread) {
    try {
      work(thread);
    } catch (...) {
      failure.keep_current();
    }
  };
  {
    std::vector<std::jthread> others;
    others.reserve(static_cast<std::size_t>(threads - 1));
    bool all_started = true;
    try {
      for (int thread = 1; thread < threads; ++thread) others.emplace_back(guarded, thread);
    } catch (const std::system_error&) {
      failure.keep_current();  // the system gives no more threads; those that run are waited for
      all_started = false;
    }
    if (all_started) guarded(0);
  }
  failure.rethrow();
}

void hand_out(int threads, std::int64_t tasks, const std::function<void(std::int64_t, int)>& work) {
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> stop{false};
  const auto useful = static_cast<int>(std::clamp<std::int64_t>(tasks, 1, threads));
  run_on_threads(useful, [&](int thread) {
    try {
      while (!stop) {
        const std::int64_t task = next++;
        if (task >= tasks) break;
        work(task, thread);
      }
    } catch (...) {
      stop = true;
      throw;
    }
  });
}

}  // namespace sill
