// Threads that perform file requests while their rank continues. These threads never call MPI.
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

/// Threads that perform several jobs at the same time and start them in the order in which they were submitted. No job
/// of a batch starts before all jobs of earlier batches are done, so later writes of the same bytes are performed
/// later. Jobs must not throw.
class IoThreads {
 public:
  /// Local. Creates the object; threads start with the first job. With 0 threads, `start` performs the job itself.
  explicit IoThreads(int threads) : max_threads_(threads) {}
  IoThreads(const IoThreads&) = delete;
  IoThreads& operator=(const IoThreads&) = delete;
  /// Returns when all jobs are done.
  ~IoThreads();

  /// Local. Starts another batch, to which all later jobs belong.
  void begin_batch();
  /// Local. Submits a job. Errors: io if the system cannot start even one thread.
  void start(std::function<void()> job);

  [[nodiscard]] int threads() const { return max_threads_; }

 private:
  struct Job {
    std::int64_t batch = 0;
    std::function<void()> work;
  };

  void work();
  [[nodiscard]] bool may_begin() const;

  int max_threads_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Job> jobs_;             // a list, because an empty list allocates no memory
  std::int64_t batch_ = 0;          // batch of the jobs that are submitted now
  std::int64_t running_batch_ = 0;  // batch of the jobs that are running now
  int running_ = 0;
  int idle_ = 0;
  bool ending_ = false;
  std::vector<std::thread> threads_;
};

/// A pool of at most `max_buffers` buffers of one size.
class StagePool {
 public:
  /// Precondition: max_buffers >= 1.
  StagePool(std::int64_t bytes_each, int max_buffers);
  StagePool(const StagePool&) = delete;
  StagePool& operator=(const StagePool&) = delete;

  /// Local. Allocates buffers until `count` exist, but at most `max_buffers`. That many buffers can then be taken
  /// without waiting for another one to be returned. Errors: std::bad_alloc.
  void prepare(int count);
  /// Local. Returns a buffer; waits until one is free if necessary. The buffer returns to the pool when its last owner
  /// is destroyed. Preconditions: `prepare` was called; a waiting thread holds no buffer that others wait for. Errors:
  /// std::bad_alloc; no buffer is lost.
  [[nodiscard]] std::shared_ptr<std::byte[]> take();

  [[nodiscard]] std::int64_t bytes_each() const { return bytes_each_; }
  [[nodiscard]] int max_buffers() const { return max_buffers_; }
  /// Local. Returns the number of buffers allocated so far.
  [[nodiscard]] int made() const;

 private:
  struct Shelf {
    mutable std::mutex mutex;
    std::condition_variable returned;
    std::vector<std::unique_ptr<std::byte[]>> free;
    int made = 0;
  };

  std::int64_t bytes_each_;
  int max_buffers_;
  std::shared_ptr<Shelf> shelf_ = std::make_shared<Shelf>();  // outlives the pool while buffers are in use
};

}  // namespace sill
