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

/// Jobs that are performed now or by background threads, and how they ended. After one failed, those that were given
/// after it and have not begun are left out; those before it are not, so that which error is thrown does not depend on
/// the threads' speed. Shared by whoever performs a job.
class RequestBatch : public std::enable_shared_from_this<RequestBatch> {
 public:
  /// `last` is performed once, after all jobs, unless one failed.
  explicit RequestBatch(std::function<void()> last) : last_(std::move(last)) {}

  /// Local. Performs `job` on a thread of `background` and lets go of it before it counts as done. A job that cannot be
  /// started has failed.
  void start(IoThreads& background, std::function<void()> job);
  /// Local. Performs `job` on this thread.
  void perform(const std::function<void()>& job);
  /// Local. Takes an error that happened beside the jobs as one of theirs.
  void fail(const std::optional<Error>& error);
  /// Local. Whether anything has failed so far.
  [[nodiscard]] bool has_failed() const;
  /// Local. No more jobs will come.
  void seal();
  /// Local. Whether all is done, `last` included. Precondition: sealed.
  [[nodiscard]] bool finished() const;
  /// Local. Waits until all is done; the error of the job that was given first, if any failed. Precondition: sealed.
  [[nodiscard]] std::optional<Error> wait();

 private:
  void run(int number, const std::function<void()>& job);
  void note(int number, const std::optional<Error>& error);
  void done();

  std::function<void()> last_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  int given_ = 0;
  int open_ = 1;  // jobs that are not done, and one until it is sealed
  bool finished_ = false;
  int failed_job_ = 0;
  std::optional<Error> error_;
};

}  // namespace sill
