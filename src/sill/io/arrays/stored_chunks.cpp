#include "sill/io/arrays/stored_chunks.hpp"

#include <cerrno>
#include <string>
#include <utility>
#include <vector>

#include "sill/base/error.hpp"

namespace sill {
namespace {

// The chunks of an array of Zarr, in shards or each in a file.
class ZarrChunks final : public ChunkFinder {
 public:
  ZarrChunks(Opener open, std::string folder, const zarr::ArrayForm& form, std::size_t max_open)
      : open_(std::move(open)),
        folder_(std::move(folder)),
        form_(form),
        chunks_(form.chunks()),
        shards_(form.shards()),
        in_shard_(form.chunks_of_shard()),
        open_shards_(max_open) {}

  [[nodiscard]] std::optional<StoredChunk> find(std::int64_t number) override {
    Index index = chunks_.index_of(number);
    Index shard_index(index.size());
    for (std::size_t d = 0; d < index.size(); ++d) {
      shard_index[d] = index[d] / in_shard_.counts()[d];
      index[d] %= in_shard_.counts()[d];
    }
    const std::int64_t shard_number = shards_.number_of(shard_index);
    const auto shard = open_shards_.of(shard_number, [&](Shard& opened) { open_shard(shard_number, opened); });
    if (!shard->file) return std::nullopt;
    const auto& place = shard->places[static_cast<std::size_t>(in_shard_.number_of(index))];
    if (!place) return std::nullopt;
    return StoredChunk{.file = shard->file, .offset_bytes = place->offset_bytes, .bytes = place->bytes};
  }

 private:
  struct Shard {
    std::shared_ptr<Store> file = {};  // null: no chunk of the shard is stored
    std::vector<std::optional<zarr::ChunkPlace>> places = {};
  };

  void open_shard(std::int64_t number, Shard& shard) const {
    const std::string path = folder_ + form_.file_of(shards_.index_of(number));
    try {
      shard.file = open_(path, OpenMode::read);
    } catch (const Error& error) {
      if (error.parts().system_error_number != ENOENT) throw;
      return;  // chunks of the fill value need no file
    }
    const std::int64_t file_bytes = shard.file->size_bytes();
    if (!form_.is_sharded) {
      shard.places = {zarr::ChunkPlace{0, file_bytes}};
      return;
    }
    const std::int64_t length = zarr::index_bytes(in_shard_.chunks(), form_.has_index_checksum);
    const auto refuse = [&](const char* problem) {
      throw Error(
          {.code = ErrorCode::input, .problem = problem, .where = {.file = path}, .action = "get an intact copy"});
    };
    if (file_bytes < length) refuse("the shard ends within the index of its chunks");
    std::vector<std::byte> index(static_cast<std::size_t>(length));
    read_at(*shard.file, form_.is_index_first ? 0 : file_bytes - length, index);
    auto places = zarr::parse_shard_index(index, form_.has_index_checksum, file_bytes);
    if (!places) refuse("the index of the shard is damaged");
    shard.places = std::move(*places);
  }

  Opener open_;
  std::string folder_;
  const zarr::ArrayForm& form_;
  ChunkGrid chunks_;
  ChunkGrid shards_;
  ChunkGrid in_shard_;
  RecentlyUsed<Shard> open_shards_;
};

// The chunks of a variable of HDF5, whose places are known.
class Hdf5Chunks final : public ChunkFinder {
 public:
  Hdf5Chunks(std::shared_ptr<Store> file, const hdf5::StoredVariable& stored, std::int64_t chunk_bytes)
      : file_(std::move(file)), stored_(stored), chunk_bytes_(chunk_bytes) {}

  [[nodiscard]] std::optional<StoredChunk> find(std::int64_t number) override {
    if (!stored_.values.empty()) return StoredChunk{.bytes = chunk_bytes_, .memory = stored_.values};
    const auto n = static_cast<std::size_t>(number);
    if (stored_.chunk_begins.empty() || stored_.chunk_begins[n] < 0) return std::nullopt;
    return StoredChunk{.file = file_,
                       .offset_bytes = stored_.chunk_begins[n],
                       .bytes = stored_.chunk_bytes.empty() ? chunk_bytes_ : stored_.chunk_bytes[n],
                       .skipped = stored_.skipped.empty() ? 0 : stored_.skipped[n]};
  }

 private:
  std::shared_ptr<Store> file_;
  const hdf5::StoredVariable& stored_;
  std::int64_t chunk_bytes_;
};

}  // namespace

std::shared_ptr<ChunkFinder> find_chunks(const Resources& resources, const DatasetContents& contents,
                                         std::size_t variable, std::size_t max_open, std::shared_ptr<Store>& file) {
  const std::string& path = contents.files.front();
  // The threads of the mover read chunks, but only the thread that initialized MPI may call MPI-IO.
  const Opener open = resources.policy.call == Policy::Call::mpiio ? Opener(open_posix) : resources.open;
  if (contents.zarr) {
    return std::make_shared<ZarrChunks>(open, path + "/" + contents.zarr->folders[variable],
                                        contents.zarr->forms[variable], max_open);
  }
  const hdf5::StoredVariable& stored = contents.hdf5.variables[variable];
  if (!file && !stored.chunk_begins.empty()) file = open(path, OpenMode::read);
  return std::make_shared<Hdf5Chunks>(file, stored, contents.chunks_of(variable).chunk_bytes());
}

std::unique_ptr<Store> open_chunks(const Resources& resources, const DatasetContents& contents, std::size_t variable,
                                   std::shared_ptr<ChunkFinder> finder, std::int64_t cache_bytes) {
  std::string path = contents.files.front();
  ChunkForm form{.grid = contents.chunks_of(variable)};
  if (contents.zarr) {
    const zarr::ArrayForm& of = contents.zarr->forms[variable];
    path += "/" + contents.zarr->folders[variable];
    form.filters = of.filters;
    form.fill.assign(of.fill.begin(), of.fill.begin() + form.grid.element_bytes());
  } else {
    form.filters = contents.hdf5.variables[variable].filters;
    form.fill = contents.hdf5.variables[variable].fill;
  }
  return std::make_unique<ChunkSource>(std::move(path), contents.description.variables[variable].name, std::move(form),
                                       std::move(finder), cache_bytes, resources.threads());
}

}  // namespace sill
