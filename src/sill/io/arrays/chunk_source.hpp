// The elements of an array that is stored as chunks, as one file.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "sill/formats/zarr/zarr_array.hpp"
#include "sill/io/session/resources.hpp"
#include "sill/store/store.hpp"

namespace sill {

/// Reads an array of Zarr as a file in which chunk i begins at byte i * ChunkGrid::chunk_bytes(), decompressed. Chunks
/// that are not stored contain the fill value. Some decompressed chunks and open shards are kept for later requests.
class ChunkSource final : public Store {
 public:
  /// Local. Opens nothing. `opener` opens the files in `folder`, the folder of the array; `variable` is its name, for
  /// messages. At most `cache_bytes` bytes of chunks are kept, but at least two chunks.
  ChunkSource(Opener opener, std::string folder, std::string variable, zarr::ArrayForm form, std::int64_t cache_bytes);

  [[nodiscard]] const std::string& name() const override { return folder_; }
  void submit(std::span<const Request> requests) override;
  void submit_strided(const StridedRead& read) override;
  [[nodiscard]] std::int64_t size_bytes() override { return grid_.chunks() * grid_.chunk_bytes(); }
  void allocate(std::int64_t size_bytes) override;
  void punch_hole(ByteRange bytes) override;
  void sync() override {}
  void close() override;

 private:
  struct Chunk {
    std::once_flag once = {};
    std::vector<std::byte> bytes = {};
  };
  struct Shard {
    std::once_flag once = {};
    std::unique_ptr<Store> file = {};  // null: no chunk of the shard is stored
    std::vector<std::optional<zarr::ChunkPlace>> places = {};
  };
  template <class T>
  using Recent = std::list<std::pair<std::int64_t, std::shared_ptr<T>>>;  // by number, the most recently used first

  template <class T>
  [[nodiscard]] std::shared_ptr<T> recent(Recent<T>& kept, std::int64_t number, std::size_t max);
  [[nodiscard]] std::shared_ptr<const Chunk> chunk(std::int64_t number);
  void read_chunk(std::int64_t number, std::span<std::byte> raw);
  void open_shard(std::int64_t number, Shard& shard);
  void fill(std::span<std::byte> raw) const;

  Opener opener_;
  std::string folder_;
  std::string variable_;
  zarr::ArrayForm form_;
  ChunkGrid grid_;
  ChunkGrid shards_;
  ChunkGrid in_shard_;
  std::size_t max_chunks_;
  std::mutex mutex_;  // for the next two members
  Recent<Chunk> chunks_;
  Recent<Shard> open_shards_;
};

}  // namespace sill
