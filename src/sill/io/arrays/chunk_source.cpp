#include "sill/io/arrays/chunk_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "sill/base/error.hpp"

namespace sill {
namespace {

constexpr std::size_t max_open_shards = 8;

[[noreturn]] void refuse_writing(const std::string& name) {
  throw Error({.code = ErrorCode::usage,
               .problem = "the chunks of an array are only read",
               .where = {.file = name},
               .action = "write the dataset with a DatasetWriter"});
}

}  // namespace

ChunkSource::ChunkSource(Opener opener, std::string folder, std::string variable, zarr::ArrayForm form,
                         std::int64_t cache_bytes)
    : opener_(std::move(opener)),
      folder_(std::move(folder)),
      variable_(std::move(variable)),
      form_(std::move(form)),
      grid_(form_.chunks()),
      shards_(form_.shards()),
      in_shard_(form_.chunks_of_shard()),
      max_chunks_(static_cast<std::size_t>(std::max<std::int64_t>(2, cache_bytes / grid_.chunk_bytes()))) {}

template <class T>
std::shared_ptr<T> ChunkSource::recent(Recent<T>& kept, std::int64_t number, std::size_t max) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(kept, number, &std::pair<std::int64_t, std::shared_ptr<T>>::first);
  if (found != kept.end()) {
    kept.splice(kept.begin(), kept, found);
  } else {
    kept.emplace_front(number, std::make_shared<T>());
    if (kept.size() > max) kept.pop_back();
  }
  return kept.front().second;
}

void ChunkSource::fill(std::span<std::byte> raw) const {
  const auto size = static_cast<std::size_t>(grid_.element_bytes());
  for (std::size_t at = 0; at < raw.size(); at += size) std::memcpy(raw.data() + at, form_.fill.data(), size);
}

void ChunkSource::open_shard(std::int64_t number, Shard& shard) {
  const std::string path = folder_ + form_.file_of(shards_.index_of(number));
  try {
    shard.file = opener_(path, OpenMode::read);
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

void ChunkSource::read_chunk(std::int64_t number, std::span<std::byte> raw) {
  const Index index = grid_.index_of(number);
  Index shard_index(index.size());
  Index within(index.size());
  for (std::size_t d = 0; d < index.size(); ++d) {
    const std::int64_t per_shard = in_shard_.counts()[d];
    shard_index[d] = index[d] / per_shard;
    within[d] = index[d] % per_shard;
  }
  const std::int64_t shard_number = shards_.number_of(shard_index);
  const std::shared_ptr<Shard> shard = recent(open_shards_, shard_number, max_open_shards);
  std::call_once(shard->once, [&] { open_shard(shard_number, *shard); });
  const auto place = shard->file ? shard->places[static_cast<std::size_t>(in_shard_.number_of(within))] : std::nullopt;
  if (!place) return fill(raw);
  std::optional<std::string_view> defect;
  if (form_.filters.empty()) {
    if (place->bytes == std::ssize(raw)) return read_at(*shard->file, place->offset_bytes, raw);
    defect = "its length is wrong";
  } else {
    std::vector<std::byte> packed(static_cast<std::size_t>(place->bytes));
    read_at(*shard->file, place->offset_bytes, packed);
    defect = unfiltered(form_.filters, packed, raw);
  }
  if (!defect) return;
  throw Error(
      {.code = ErrorCode::input,
       .problem = fmt::format("chunk ({}) of variable {} is damaged: {}", fmt::join(index, ", "), variable_, *defect),
       .where = {.file = shard->file->name(), .byte = place->offset_bytes},
       .action = "get an intact copy"});
}

std::shared_ptr<const ChunkSource::Chunk> ChunkSource::chunk(std::int64_t number) {
  std::shared_ptr<Chunk> found = recent(chunks_, number, max_chunks_);
  std::call_once(found->once, [&] {
    found->bytes.resize(static_cast<std::size_t>(grid_.chunk_bytes()));
    read_chunk(number, found->bytes);
  });
  return found;
}

void ChunkSource::submit(std::span<const Request> requests) {
  const std::int64_t chunk_bytes = grid_.chunk_bytes();
  for (const Request& request : requests) {
    if (request.operation != Operation::read) refuse_writing(folder_);
    std::int64_t at = request.offset_bytes;
    for (const iovec& piece : request.memory) {
      std::span<std::byte> to(static_cast<std::byte*>(piece.iov_base), piece.iov_len);
      while (!to.empty()) {
        const std::int64_t in_chunk = at % chunk_bytes;
        const auto length = std::min(to.size(), static_cast<std::size_t>(chunk_bytes - in_chunk));
        if (std::ssize(to) >= chunk_bytes && in_chunk == 0) {
          read_chunk(at / chunk_bytes, to.first(length));
        } else {
          const std::shared_ptr<const Chunk> from = chunk(at / chunk_bytes);
          std::memcpy(to.data(), from->bytes.data() + in_chunk, length);
        }
        to = to.subspan(length);
        at += static_cast<std::int64_t>(length);
      }
    }
  }
}

void ChunkSource::submit_strided(const StridedRead& read) {
  for (std::int64_t i = 0; i < read.count; ++i) {
    read_at(*this, read.offset_bytes + i * read.stride_bytes,
            {read.memory + i * read.length_bytes, static_cast<std::size_t>(read.length_bytes)});
  }
}

void ChunkSource::allocate(std::int64_t) { refuse_writing(folder_); }
void ChunkSource::punch_hole(ByteRange) { refuse_writing(folder_); }

void ChunkSource::close() {
  const std::lock_guard lock(mutex_);
  chunks_.clear();
  open_shards_.clear();
}

}  // namespace sill
