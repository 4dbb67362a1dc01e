#include "sill/store/handle_cache.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"

namespace sill {
namespace {

// Closes all stores, then rethrows the first exception.
void close_all(const std::vector<std::shared_ptr<Store>>& stores) {
  std::exception_ptr failure;
  for (const auto& store : stores) {
    try {
      store->close();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace

std::size_t safe_open_files() {
  constexpr std::size_t max = 4096;
  struct rlimit limit {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return max;
  return std::clamp<std::size_t>(limit.rlim_cur / 2, 1, max);
}

HandleCache::HandleCache(Opener open, std::vector<std::string> paths, OpenMode mode, std::size_t max)
    : open_(std::move(open)),
      paths_(std::move(paths)),
      mode_(mode),
      max_open_(std::max<std::size_t>(max, 1)),
      slots_(paths_.size()) {}

HandleCache::~HandleCache() = default;

void HandleCache::require_file(int file) const {
  if (file >= 0 && static_cast<std::size_t>(file) < paths_.size()) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("file {} does not exist; there are {} files", file, paths_.size())});
}

std::shared_ptr<Store> HandleCache::get(int file) {
  require_file(file);
  std::vector<std::shared_ptr<Store>> surplus;
  {
    std::unique_lock lock(mutex_);
    Slot& wanted = slot(file);
    opened_.wait(lock, [&] { return wanted.state != State::opening; });
    if (wanted.state == State::open) {
      recent_.splice(recent_.begin(), recent_, wanted.place);
      return wanted.store;
    }
    surplus = take_surplus();
    wanted.state = State::opening;
    ++opening_;
  }
  // Opening and closing are slow on a parallel file system; other threads continue meanwhile.
  std::shared_ptr<Store> store;
  std::list<int> place;  // allocated here, where a failure leaves no partial state
  std::exception_ptr failure;
  try {
    close_all(std::exchange(surplus, {}));
    place.push_back(file);
    store = open_slot(file);
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    Slot& wanted = slot(file);
    --opening_;
    wanted.state = store ? State::open : State::closed;
    if (store) {
      wanted.exists = true;
      wanted.store = store;
      wanted.place = place.begin();
      recent_.splice(recent_.begin(), place);
    }
  }
  opened_.notify_all();
  if (failure) std::rethrow_exception(failure);
  return store;
}

// Returns the open stores to close so that one more stays within the bound. Precondition: locked.
std::vector<std::shared_ptr<Store>> HandleCache::take_surplus() {
  std::vector<std::shared_ptr<Store>> surplus;
  const std::size_t wanted = recent_.size() + opening_ + 1;
  if (wanted > max_open_) surplus.reserve(wanted - max_open_);
  for (auto place = recent_.end(); place != recent_.begin() && recent_.size() + opening_ + 1 > max_open_;) {
    --place;
    Slot& candidate = slot(*place);
    // Copies are only made under the lock: a single owner means that no thread uses the store, and that none begins to.
    if (candidate.store.use_count() > 1) continue;
    // Copying and releasing the pointer orders the last use in another thread before the closing.
    { const std::shared_ptr<Store> copy = candidate.store; }
    surplus.push_back(std::move(candidate.store));
    candidate.store.reset();
    candidate.state = State::closed;
    place = recent_.erase(place);
  }
  return surplus;
}

std::shared_ptr<Store> HandleCache::open_slot(int file) {
  bool exists = false;
  {
    const std::lock_guard lock(mutex_);
    exists = slot(file).exists;
  }
  return open_(paths_[static_cast<std::size_t>(file)], exists && mode_ != OpenMode::read ? OpenMode::write : mode_);
}

void HandleCache::set_exists(int file) {
  require_file(file);
  const std::lock_guard lock(mutex_);
  slot(file).exists = true;
}

void HandleCache::set_written(int file) {
  const std::lock_guard lock(mutex_);
  slot(file).is_unsynced = true;
}

void HandleCache::sync_written(int threads) {
  std::vector<int> files;
  {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < slots_.size(); ++i) {
      if (slots_[i].is_unsynced) files.push_back(static_cast<int>(i));
    }
  }
  const auto set_unsynced = [&](int file, bool value) {
    const std::lock_guard lock(mutex_);
    slot(file).is_unsynced = value;
  };
  parallel_for(threads, static_cast<std::int64_t>(files.size()), [&](std::int64_t task, int /*thread*/) {
    const int file = files[static_cast<std::size_t>(task)];
    set_unsynced(file, false);  // before the sync, so that a write during the sync marks the file again
    try {
      // A descriptor opened later also syncs writes through an earlier one, and reports their errors (fsync(2)).
      get(file)->sync();
    } catch (...) {
      set_unsynced(file, true);
      throw;
    }
  });
}

void HandleCache::close() {
  std::vector<std::pair<int, std::shared_ptr<Store>>> open;
  {
    const std::lock_guard lock(mutex_);
    open.reserve(recent_.size());
    for (const int file : recent_) {
      open.emplace_back(file, std::move(slot(file).store));
      slot(file).store.reset();
      slot(file).state = State::closed;
    }
    recent_.clear();
  }
  std::ranges::sort(open, {}, [](const auto& entry) { return entry.first; });
  std::vector<std::shared_ptr<Store>> stores;
  for (auto& [file, store] : open) stores.push_back(std::move(store));
  close_all(stores);
}

}  // namespace sill
