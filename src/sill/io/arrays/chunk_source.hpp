// The elements of an array that is stored as chunks, as one file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sill/formats/array/chunk_grid.hpp"
#include "sill/formats/codec/filters.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// A chunk in a file, or in memory.
struct StoredChunk {
  std::shared_ptr<Store> file = {};  ///< null: the chunk is `memory`
  std::int64_t offset_bytes = 0;
  std::int64_t bytes = 0;
  std::int64_t skipped = 0;  ///< bit i: filter i was not applied
  std::span<const std::byte> memory = {};
};

/// Finds the chunks of an array. Several threads may call it at once.
class ChunkFinder {
 public:
  virtual ~ChunkFinder() = default;
  ChunkFinder() = default;
  ChunkFinder(const ChunkFinder&) = delete;
  ChunkFinder& operator=(const ChunkFinder&) = delete;
  /// Local. Returns a chunk by its number; nullopt if it is not stored, so that its elements have the fill value.
  /// Errors: io; input for a damaged index.
  [[nodiscard]] virtual std::optional<StoredChunk> find(std::int64_t number) = 0;
};

/// Keeps the values of the most recently used numbers. Several threads may call it at once.
template <class T>
class RecentlyUsed {
 public:
  explicit RecentlyUsed(std::size_t max) : max_(max) {}
  /// Local. Returns the value of `number`, which `make` sets if it is not kept. Errors: those of `make`.
  template <class Make>
  [[nodiscard]] std::shared_ptr<const T> of(std::int64_t number, Make&& make) {
    const std::shared_ptr<Kept> kept = kept_of(number);
    std::call_once(kept->once, [&] { make(kept->value); });
    return {kept, &kept->value};
  }

 private:
  struct Kept {
    std::once_flag once = {};
    T value = {};
  };
  std::shared_ptr<Kept> kept_of(std::int64_t number) {
    const std::lock_guard lock(mutex_);
    const auto found = place_of_.find(number);
    if (found != place_of_.end()) {
      kept_.splice(kept_.begin(), kept_, found->second);
      return kept_.front().second;
    }
    kept_.emplace_front(number, std::make_shared<Kept>());
    place_of_.emplace(number, kept_.begin());
    if (kept_.size() > max_) {
      place_of_.erase(kept_.back().first);
      kept_.pop_back();
    }
    return kept_.front().second;
  }

  using List = std::list<std::pair<std::int64_t, std::shared_ptr<Kept>>>;

  std::size_t max_;
  std::mutex mutex_;
  List kept_;  // the most recently used first
  std::unordered_map<std::int64_t, typename List::iterator> place_of_;
};

/// The chunks of a variable and their form.
struct ChunkForm {
  ChunkGrid grid = {};
  std::vector<Filter> filters = {};  ///< in the order of writing
  /// The fill value of chunks that are not stored, as in the file: an element, or a string whose characters are the
  /// last dimension of a chunk.
  std::vector<std::byte> fill = {};
};

/// Reads an array as a file in which chunk i begins at byte i * ChunkGrid::chunk_bytes(), decompressed. Some chunks are
/// kept for later requests.
class ChunkSource final : public Store {
 public:
  /// Local. Reads nothing. `name` and `variable` are for messages. At most `cache_bytes` bytes of chunks are kept, but
  /// at least one more chunk than `threads`, the number of threads that read chunks.
  ChunkSource(std::string name, std::string variable, ChunkForm form, std::shared_ptr<ChunkFinder> finder,
              std::int64_t cache_bytes, int threads);

  [[nodiscard]] const std::string& name() const override { return name_; }
  void submit(std::span<const Request> requests) override;
  void submit_strided(const StridedRead& read) override;
  [[nodiscard]] std::int64_t size_bytes() override { return form_.grid.chunks() * form_.grid.chunk_bytes(); }
  void allocate(std::int64_t size_bytes) override;
  void punch_hole(ByteRange bytes) override;
  void sync() override {}
  void close() override {}

 private:
  // Requested bytes of one chunk.
  struct Piece {
    std::int64_t chunk;
    std::int64_t first_byte;
    std::span<std::byte> memory;
  };
  // Reads pieces of the same chunk.
  void read_pieces(std::span<const Piece> pieces);
  void read_chunk(std::int64_t number, const StoredChunk& chunk, std::span<std::byte> raw) const;
  // Returns the defect of a damaged chunk.
  std::optional<std::string_view> decode(const StoredChunk& chunk, std::span<std::byte> raw) const;
  [[noreturn]] void refuse_chunk(std::int64_t number, const StoredChunk& chunk, std::string_view defect) const;

  std::string name_;
  std::string variable_;
  ChunkForm form_;
  std::shared_ptr<ChunkFinder> finder_;
  int threads_;
  RecentlyUsed<std::unique_ptr<std::byte[]>> chunks_;
};

}  // namespace sill
