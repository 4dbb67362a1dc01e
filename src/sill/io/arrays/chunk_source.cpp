#include "sill/io/arrays/chunk_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "sill/base/error.hpp"
#include "sill/base/threads.hpp"
#include "sill/formats/array/fill_value.hpp"

namespace sill {
namespace {

constexpr std::int64_t max_overhead_bytes = 1 << 16;  // more than any compression adds
constexpr std::int64_t max_expansion = 1 << 16;       // of decompression: a block of zstd, 4 bytes, fills 128 KiB

[[noreturn]] void refuse_writing(const std::string& name) {
  throw Error({.code = ErrorCode::usage,
               .problem = "the chunks of an array are only read",
               .where = {.file = name},
               .action = "write the dataset with a DatasetWriter"});
}

}  // namespace

ChunkSource::ChunkSource(std::string name, std::string variable, ChunkForm form, std::shared_ptr<ChunkFinder> finder,
                         std::int64_t cache_bytes, int threads)
    : name_(std::move(name)),
      variable_(std::move(variable)),
      form_(std::move(form)),
      finder_(std::move(finder)),
      threads_(threads),
      chunks_(static_cast<std::size_t>(std::max<std::int64_t>(threads + 1, cache_bytes / form_.grid.chunk_bytes()))) {}

std::optional<std::string_view> ChunkSource::decode(const StoredChunk& chunk, std::span<std::byte> raw) const {
  std::vector<Filter> filters;
  for (std::size_t f = 0; f < form_.filters.size(); ++f) {
    if ((chunk.skipped >> f & 1) == 0) filters.push_back(form_.filters[f]);
  }
  if (chunk.file == nullptr) return unfiltered(filters, chunk.memory, raw);
  if (filters.empty() && chunk.bytes == std::ssize(raw)) {
    read_at(*chunk.file, chunk.offset_bytes, raw);
    return std::nullopt;
  }
  const auto packed = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(chunk.bytes));
  const std::span<std::byte> bytes(packed.get(), static_cast<std::size_t>(chunk.bytes));
  read_at(*chunk.file, chunk.offset_bytes, bytes);
  return unfiltered(filters, bytes, raw);
}

void ChunkSource::read_chunk(std::int64_t number, const StoredChunk& chunk, std::span<std::byte> raw) const {
  const auto defect = decode(chunk, raw);
  if (defect) refuse_chunk(number, chunk, *defect);
}

void ChunkSource::refuse_chunk(std::int64_t number, const StoredChunk& chunk, std::string_view defect) const {
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("chunk ({}) of variable {} is damaged: {}",
                                      fmt::join(form_.grid.index_of(number), ", "), variable_, defect),
               .where = {.file = chunk.file ? chunk.file->name() : name_, .byte = chunk.offset_bytes},
               .action = "get an intact copy"});
}

void ChunkSource::read_pieces(std::span<const Piece> pieces) {
  const std::int64_t number = pieces.front().chunk;
  const std::optional<StoredChunk> chunk = finder_->find(number);
  if (!chunk) {
    for (const Piece& each : pieces) repeat_element(form_.fill, each.first_byte, each.memory);
    return;
  }
  const std::int64_t chunk_bytes = form_.grid.chunk_bytes();
  // Before memory for a chunk is allocated: damaged metadata may state any length.
  if (chunk->bytes > 2 * chunk_bytes + max_overhead_bytes || chunk_bytes / max_expansion > chunk->bytes)
    refuse_chunk(number, *chunk, "its length is wrong");
  if (std::ssize(pieces.front().memory) == chunk_bytes && pieces.size() == 1)
    return read_chunk(number, *chunk, pieces.front().memory);
  const auto raw = chunks_.of(number, [&](std::unique_ptr<std::byte[]>& made) {
    made = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(chunk_bytes));
    read_chunk(number, *chunk, {made.get(), static_cast<std::size_t>(chunk_bytes)});
  });
  for (const Piece& each : pieces) std::memcpy(each.memory.data(), raw->get() + each.first_byte, each.memory.size());
}

void ChunkSource::submit(std::span<const Request> requests) {
  const std::int64_t chunk_bytes = form_.grid.chunk_bytes();
  std::vector<Piece> pieces;
  std::vector<std::size_t> begins;  // of pieces of the same chunk
  for (const Request& request : requests) {
    if (request.operation != Operation::read) refuse_writing(name_);
    std::int64_t at = request.offset_bytes;
    for (const iovec& memory : request.memory) {
      std::span<std::byte> to(static_cast<std::byte*>(memory.iov_base), memory.iov_len);
      while (!to.empty()) {
        const std::int64_t chunk = at / chunk_bytes;
        const std::int64_t first_byte = at % chunk_bytes;
        const auto length = std::min(to.size(), static_cast<std::size_t>(chunk_bytes - first_byte));
        if (pieces.empty() || pieces.back().chunk != chunk) begins.push_back(pieces.size());
        pieces.push_back({chunk, first_byte, to.first(length)});
        to = to.subspan(length);
        at += static_cast<std::int64_t>(length);
      }
    }
  }
  begins.push_back(pieces.size());
  parallel_for(threads_, std::ssize(begins) - 1, [&](std::int64_t task, int /*thread*/) {
    const std::size_t first = begins[static_cast<std::size_t>(task)];
    read_pieces(std::span(pieces).subspan(first, begins[static_cast<std::size_t>(task) + 1] - first));
  });
}

void ChunkSource::submit_strided(const StridedRead& read) {
  for (std::int64_t i = 0; i < read.count; ++i) {
    read_at(*this, read.offset_bytes + i * read.stride_bytes,
            {read.memory + i * read.length_bytes, static_cast<std::size_t>(read.length_bytes)});
  }
}

void ChunkSource::allocate(std::int64_t) { refuse_writing(name_); }
void ChunkSource::punch_hole(ByteRange) { refuse_writing(name_); }

}  // namespace sill
