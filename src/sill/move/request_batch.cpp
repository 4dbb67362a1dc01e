#include "sill/move/request_batch.hpp"

#include <utility>

#include "sill/comm/agree.hpp"

namespace sill {

void RequestBatch::start(IoThreads& background, std::function<void()> job) {
  int number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = given_++;
    ++open_;
  }
  const std::optional<Error> refused = attempt([&] {
    background.start([self = shared_from_this(), number, job = std::move(job)]() mutable {
      self->run(number, job);
      job = nullptr;  // releases the captured objects before the job is reported as done
      self->done();
    });
  });
  if (refused) {
    note(number, refused);
    done();
  }
}

void RequestBatch::perform(const std::function<void()>& job) {
  int number = 0;
  {
    const std::lock_guard lock(mutex_);
    number = given_++;
    ++open_;
  }
  run(number, job);
  done();
}

void RequestBatch::fail(const std::optional<Error>& error) {
  if (!error) return;
  const std::lock_guard lock(mutex_);
  if (error_ && failed_job_ <= given_) return;
  error_ = error;
  failed_job_ = given_;
}

bool RequestBatch::has_failed() const {
  const std::lock_guard lock(mutex_);
  return error_.has_value();
}

void RequestBatch::seal() { done(); }

bool RequestBatch::finished() const {
  const std::lock_guard lock(mutex_);
  return finished_;
}

std::optional<Error> RequestBatch::wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return finished_; });
  return error_;
}

void RequestBatch::run(int number, const std::function<void()>& job) {
  bool wanted = false;
  {
    const std::lock_guard lock(mutex_);
    // A job submitted before the failed one may fail as well, and its error then takes precedence.
    wanted = !error_ || number < failed_job_;
  }
  if (wanted) note(number, attempt(job));
}

void RequestBatch::note(int number, const std::optional<Error>& error) {
  if (!error) return;
  const std::lock_guard lock(mutex_);
  if (error_ && failed_job_ <= number) return;
  error_ = error;
  failed_job_ = number;
}

void RequestBatch::done() {
  bool all = false;
  bool failed = false;
  {
    const std::lock_guard lock(mutex_);
    all = --open_ == 0;
    failed = error_.has_value();
  }
  if (!all) return;
  if (!failed && last_) note(given_, attempt(last_));
  // Under the lock, so that a waiting thread cannot destroy the batch before this thread has left it.
  const std::lock_guard lock(mutex_);
  finished_ = true;
  changed_.notify_all();
}

}  // namespace sill
