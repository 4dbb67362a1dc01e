// The file requests of one collective call, which may outlast it.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/move/io_threads.hpp"

namespace sill {

/// Jobs that are performed immediately or by background threads, and their results. After a job has failed, jobs that
/// were submitted later and have not started are skipped. Earlier jobs still run, so that the speed of the threads does
/// not determine which error is thrown. Owned by all threads that perform its jobs.
class RequestBatch : public std::enable_shared_from_this<RequestBatch> {
 public:
  /// Performs `last` once after all jobs, unless a job failed.
  explicit RequestBatch(std::function<void()> last) : last_(std::move(last)) {}

  /// Local. Performs `job` on a thread of `background`, and destroys it before the job is treated as done. A job that
  /// cannot be started has failed.
  void start(IoThreads& background, std::function<void()> job);
  /// Local. Performs `job` on this thread.
  void perform(const std::function<void()>& job);
  /// Local. Records an error that occurred outside the jobs as an error of a job.
  void fail(const std::optional<Error>& error);
  /// Local. Returns true if anything has failed so far.
  [[nodiscard]] bool has_failed() const;
  /// Local. Ends the submission of jobs.
  void seal();
  /// Local. Returns true if all jobs and `last` are done. Precondition: `seal` was called.
  [[nodiscard]] bool finished() const;
  /// Local. Waits until all is done. Returns the error of the failed job that was submitted first, if any.
  /// Precondition: `seal` was called.
  [[nodiscard]] std::optional<Error> wait();

 private:
  void run(int number, const std::function<void()>& job);
  void note(int number, const std::optional<Error>& error);
  void done();

  std::function<void()> last_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int given_ = 0;
  int open_ = 1;  // number of jobs that are not done, plus one until `seal`
  bool finished_ = false;
  int failed_job_ = 0;
  std::optional<Error> error_;
};

}  // namespace sill
