#include "sill/move/io_threads.hpp"

#include <algorithm>
#include <new>
#include <system_error>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/large_pages.hpp"

namespace sill {

IoThreads::~IoThreads() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void IoThreads::start(std::function<void()> job) {
  if (max_threads_ == 0) {
    job();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    // Waiting jobs may need the idle threads.
    if (static_cast<std::size_t>(idle_) <= jobs_.size() && static_cast<int>(threads_.size()) < max_threads_) {
      try {
        threads_.emplace_back([this] { work(); });
      } catch (const std::system_error& error) {
        // One thread is enough, but required.
        if (threads_.empty()) throw system_error(error.code().value(), "starting a thread", {});
      }
    }
    jobs_.push_back({batch_, std::move(job)});
  }
  changed_.notify_one();
}

void IoThreads::begin_batch() {
  const std::lock_guard lock(mutex_);
  ++batch_;
}

bool IoThreads::may_begin() const { return !jobs_.empty() && (running_ == 0 || jobs_.front().batch == running_batch_); }

void IoThreads::work() {
  std::unique_lock lock(mutex_);
  while (true) {
    ++idle_;
    changed_.wait(lock, [&] { return may_begin() || (ending_ && jobs_.empty()); });
    --idle_;
    if (!may_begin()) return;
    Job job = std::move(jobs_.front());
    jobs_.pop_front();
    running_batch_ = job.batch;
    ++running_;
    lock.unlock();
    job.work();
    job.work = nullptr;  // releases the captured objects before the next wait
    lock.lock();
    --running_;
    changed_.notify_all();
  }
}

StagePool::StagePool(std::int64_t bytes_each, int max_buffers) : bytes_each_(bytes_each), max_buffers_(max_buffers) {}

void StagePool::prepare(int count) {
  const std::lock_guard lock(shelf_->mutex);
  while (shelf_->made < std::min(count, max_buffers_)) {
    shelf_->free.reserve(static_cast<std::size_t>(shelf_->made) + 1);
    const auto bytes = static_cast<std::size_t>(bytes_each_);
    shelf_->free.push_back(std::unique_ptr<std::byte[]>(new std::byte[bytes]));
    prefer_large_pages({shelf_->free.back().get(), bytes});
    ++shelf_->made;
  }
}

std::shared_ptr<std::byte[]> StagePool::take() {
  std::unique_lock lock(shelf_->mutex);
  std::unique_ptr<std::byte[]> buffer;
  if (shelf_->free.empty() && shelf_->made < max_buffers_) {
    // If there is no memory for another buffer, waits for one to be returned.
    buffer.reset(new (std::nothrow) std::byte[static_cast<std::size_t>(bytes_each_)]);
    if (buffer) {
      prefer_large_pages({buffer.get(), static_cast<std::size_t>(bytes_each_)});
      shelf_->free.reserve(static_cast<std::size_t>(shelf_->made) + 1);  // so that returning a buffer cannot fail
      ++shelf_->made;
    }
  }
  if (!buffer) {
    shelf_->returned.wait(lock, [&] { return !shelf_->free.empty(); });
    buffer = std::move(shelf_->free.back());
    shelf_->free.pop_back();
  }
  lock.unlock();  // if the allocation of the owner count fails, the buffer returns to the pool immediately
  return {buffer.release(), [shelf = shelf_](std::byte* memory) {
            const std::lock_guard returning(shelf->mutex);
            shelf->free.emplace_back(memory);
            shelf->returned.notify_one();
          }};
}

int StagePool::made() const {
  const std::lock_guard lock(shelf_->mutex);
  return shelf_->made;
}

}  // namespace sill
