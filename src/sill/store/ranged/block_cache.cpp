#include "sill/store/ranged/block_cache.hpp"

namespace sill {

std::int64_t BlockCache::number_of(const std::string& identity) {
  const std::scoped_lock lock(mutex_);
  return files_.try_emplace(identity, static_cast<std::int64_t>(files_.size())).first->second;
}

bool BlockCache::contains(std::int64_t file, std::int64_t number) {
  const std::scoped_lock lock(mutex_);
  return blocks_.contains({file, number});
}

BlockCache::Claim BlockCache::claim(std::int64_t file, std::int64_t number, std::int64_t bytes) {
  const Key key{file, number};
  const std::scoped_lock lock(mutex_);
  if (const auto found = blocks_.find(key); found != blocks_.end()) {
    uses_.splice(uses_.begin(), uses_, found->second.use);
    return {.block = found->second.block, .must_load = false};
  }
  auto block = std::make_shared<Block>();
  block->bytes.resize(static_cast<std::size_t>(bytes));
  uses_.push_front(key);
  blocks_.emplace(key, Entry{block, uses_.begin()});
  bytes_ += bytes;
  return {.block = std::move(block), .must_load = true};
}

void BlockCache::finish(std::int64_t file, std::span<const std::int64_t> numbers, BlockState state) {
  const auto drop = [&](std::map<Key, Entry>::iterator found) {
    bytes_ -= static_cast<std::int64_t>(found->second.block->bytes.size());
    uses_.erase(found->second.use);
    blocks_.erase(found);
  };
  const std::scoped_lock lock(mutex_);
  for (const std::int64_t number : numbers) {
    const auto found = blocks_.find({file, number});
    found->second.block->state = state;
    if (state == BlockState::failed) drop(found);
  }
  for (auto use = uses_.end(); use != uses_.begin() && bytes_ > max_bytes_;) {
    const auto found = blocks_.find(*--use);
    if (found->second.block->state == BlockState::loading) continue;
    ++use;
    drop(found);
  }
  finished_.notify_all();
}

bool BlockCache::wait(const Block& block) {
  std::unique_lock lock(mutex_);
  finished_.wait(lock, [&] { return block.state != BlockState::loading; });
  return block.state == BlockState::ready;
}

}  // namespace sill
