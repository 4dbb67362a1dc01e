// Blocks of remote files in memory.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sill {

/// Blocks of files, of which the least recently used ones are dropped. Several threads may use one object: the thread
/// that is first to need a block reads it, and the others wait for it.
class BlockCache {
 public:
  enum class BlockState { loading, ready, failed };
  struct Block {
    std::vector<std::byte> bytes;
    BlockState state = BlockState::loading;
  };
  /// A block, and whether the caller must load it: read its bytes and call `finish`.
  struct Claim {
    std::shared_ptr<Block> block;
    bool must_load = false;
  };

  /// Local. `max_bytes`: of all blocks, without those in use.
  explicit BlockCache(std::int64_t max_bytes) : max_bytes_(max_bytes) {}

  /// Local. Keeps other threads from claiming blocks while the result exists, so that one thread claims adjacent ones.
  [[nodiscard]] std::unique_lock<std::recursive_mutex> hold() { return std::unique_lock(mutex_); }
  /// Local. Returns the number of a file, the same for the same identity.
  [[nodiscard]] std::int64_t number_of(const std::string& identity);
  /// Local. Returns true if a block is in the cache, or a thread is loading it.
  [[nodiscard]] bool contains(std::int64_t file, std::int64_t number);
  /// Local. Returns a block of a file. If it is not in the cache, adds a block of `bytes` bytes, which the caller must
  /// load.
  [[nodiscard]] Claim claim(std::int64_t file, std::int64_t number, std::int64_t bytes);
  /// Local. Ends the loading of blocks of a file: those that wait for them continue. Failed blocks are dropped.
  void finish(std::int64_t file, std::span<const std::int64_t> numbers, BlockState state);
  /// Local. Waits while a block is loading. Returns true if it is ready.
  [[nodiscard]] bool wait(const Block& block);

 private:
  using Key = std::pair<std::int64_t, std::int64_t>;
  struct Entry {
    std::shared_ptr<Block> block;
    std::list<Key>::iterator use;
  };

  std::int64_t max_bytes_;
  std::recursive_mutex mutex_;
  std::condition_variable_any finished_;
  std::map<std::string, std::int64_t> files_;
  std::map<Key, Entry> blocks_;
  std::list<Key> uses_;  // the most recent first
  std::int64_t bytes_ = 0;
};

}  // namespace sill
