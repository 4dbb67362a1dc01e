// Threads that perform file requests while their rank goes on. None of them ever calls MPI.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace sill {

/// A few threads that perform jobs in the order in which they were given, several at once; but no job of a phase begins
/// before all jobs of the phases before it are done, so that later writes of the same bytes come later. Jobs must not
/// throw.
class IoThreads {
 public:
  /// Local. Threads begin with the first job. With 0 threads a job is performed by who gives it, at once.
  explicit IoThreads(int threads) : max_threads_(threads) {}
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;
  /// Returns when all jobs are done.
  ~IoThreads();

  /// Local. Jobs from now on are of another phase.
  void begin_phase();
  /// Local. Errors: io if the system gives not even one thread.
  void start(std::function<void()> job);

  [[nodiscard]] int threads() const { return max_threads_; }

 private:
  struct Job {
    std::int64_t phase = 0;
    std::function<void()> work;
  };

  void work();
  [[nodiscard]] bool may_begin() const;

  int max_threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Job> jobs_;             // which takes no memory while there are none
  std::int64_t phase_ = 0;          // of the jobs that are given now
  std::int64_t running_phase_ = 0;  // of the jobs that are being performed
  int running_ = 0;
  int idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

/// Buffers of one size, lent and given back, no more than a number of them at once.
class StagePool {
 public:
  /// Precondition: most >= 1.
  StagePool(std::int64_t bytes_each, int most);
  StagePool(const StagePool&) = delete;
  StagePool& operator=(const StagePool&) = delete;

  /// Local. Makes sure that `count` buffers exist, or as many as there may be: so many can be taken without waiting for
  /// one to come back. Errors: std::bad_alloc.
  void prepare(int count);
  /// Local. A buffer, when one is free; it goes back when the last owner lets go of it. Precondition: `prepare` was
  /// called; who waits holds none of the buffers that others wait for. Errors: std::bad_alloc; no buffer is lost.
  [[nodiscard]] std::shared_ptr<std::byte[]> take();

  [[nodiscard]] std::int64_t bytes_each() const { return bytes_each_; }
  [[nodiscard]] int most() const { return most_; }
  /// Local. How many buffers there are by now.
  [[nodiscard]] int made() const;

 private:
  struct Shelf {
    mutable std::mutex mutex;
    std::condition_variable returned;
    std::vector<std::unique_ptr<std::byte[]>> free;
    int made = 0;
  };

  std::int64_t bytes_each_;
  int most_;
  std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();  // outlives the pool while buffers are out
};

}  // namespace sill
