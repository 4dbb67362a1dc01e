#include "sill/base/threads.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "sill/base/error.hpp"

namespace sill {
namespace {

// Stores the exception with the lowest number, so that the thrown exception does not depend on timing.
class LowestException {
 public:
  void capture_current(std::int64_t number) {
    const std::lock_guard lock(mutex_);
    if (exception_ && number >= number_) return;
    exception_ = std::current_exception();
    number_ = number;
  }
  void rethrow() const {
    if (exception_) std::rethrow_exception(exception_);
  }

 private:
  std::mutex mutex_;
  std::exception_ptr exception_;
  std::int64_t number_ = 0;
};

}  // namespace

void run_on_threads(int threads, const std::function<void(int)>& work) {
  LowestException failure;
  const auto guarded = [&](int thread) {
    try {
      work(thread);
    } catch (...) {
      failure.capture_current(thread);
    }
  };
  {
    std::vector<std::jthread> others;  // joined at the end of the block in any case
    others.reserve(static_cast<std::size_t>(threads - 1));
    try {
      for (int thread = 1; thread < threads; ++thread) others.emplace_back(guarded, thread);
    } catch (const std::system_error& refusal) {
      throw Error({.code = ErrorCode::io,
                   .problem = fmt::format("the system provides only {} of {} threads: {}", others.size() + 1, threads,
                                          refusal.what()),
                   .action = "use fewer threads, or raise the limits on processes and memory",
                   .system_error_number = refusal.code().value()});
    }
    guarded(0);
  }
  failure.rethrow();
}

void parallel_for(int threads, std::int64_t tasks, const std::function<void(std::int64_t, int)>& work) {
  std::atomic<std::int64_t> next{0};
  std::atomic<bool> stop{false};
  LowestException failure;
  const auto useful = static_cast<int>(std::clamp<std::int64_t>(tasks, 1, threads));
  run_on_threads(useful, [&](int thread) {
    while (!stop) {
      const std::int64_t task = next++;
      if (task >= tasks) break;
      try {
        work(task, thread);
      } catch (...) {
        failure.capture_current(task);
        stop = true;
      }
    }
  });
  failure.rethrow();
}

}  // namespace sill
