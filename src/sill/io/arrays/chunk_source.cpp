#include "sill/io/arrays/chunk_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstring>
#include <string_view>

#include "sill/base/error.hpp"
#include "sill/formats/array/fill_value.hpp"

namespace sill {
namespace {

constexpr std::int64_t max_overhead_bytes = 1 << 16;

[[noreturn]] void refuse_writing(const std::string& name) {
  throw Error({.code = ErrorCode::usage,
               .problem = "the chunks of an array are only read",
               .where = {.file = name},
               .action = "write the dataset with a DatasetWriter"});
}

}  // namespace

ChunkSource::ChunkSource(std::string name, std::string variable, ChunkForm form, std::unique_ptr<ChunkFinder> finder,
                         std::int64_t cache_bytes)
    : name_(std::move(name)),
      variable_(std::move(variable)),
      form_(std::move(form)),
      finder_(std::move(finder)),
      chunks_(static_cast<std::size_t>(std::max<std::int64_t>(2, cache_bytes / form_.grid.chunk_bytes()))) {}

void ChunkSource::read_chunk(std::int64_t number, std::span<std::byte> raw) {
  const std::optional<StoredChunk> chunk = finder_->find(number);
  if (!chunk) {
    repeat_element(form_.fill, 0, raw);
    return;
  }
  std::vector<Filter> filters;
  for (std::size_t f = 0; f < form_.filters.size(); ++f) {
    if ((chunk->skipped >> f & 1) == 0) filters.push_back(form_.filters[f]);
  }
  std::optional<std::string_view> defect;
  if (chunk->file == nullptr) {
    defect = unfiltered(filters, chunk->memory, raw);
  } else if (filters.empty() && chunk->bytes == std::ssize(raw)) {
    read_at(*chunk->file, chunk->offset_bytes, raw);
  } else if (chunk->bytes > 2 * std::ssize(raw) + max_overhead_bytes) {  // no compression adds so much
    defect = "its length is wrong";
  } else {
    std::vector<std::byte> packed(static_cast<std::size_t>(chunk->bytes));
    read_at(*chunk->file, chunk->offset_bytes, packed);
    defect = unfiltered(filters, packed, raw);
  }
  if (!defect) return;
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("chunk ({}) of variable {} is damaged: {}",
                                      fmt::join(form_.grid.index_of(number), ", "), variable_, *defect),
               .where = {.file = chunk->file ? chunk->file->name() : name_, .byte = chunk->offset_bytes},
               .action = "get an intact copy"});
}

void ChunkSource::submit(std::span<const Request> requests) {
  const std::int64_t chunk_bytes = form_.grid.chunk_bytes();
  for (const Request& request : requests) {
    if (request.operation != Operation::read) refuse_writing(name_);
    std::int64_t at = request.offset_bytes;
    for (const iovec& piece : request.memory) {
      std::span<std::byte> to(static_cast<std::byte*>(piece.iov_base), piece.iov_len);
      while (!to.empty()) {
        const std::int64_t number = at / chunk_bytes;
        const std::int64_t in_chunk = at % chunk_bytes;
        const auto length = std::min(to.size(), static_cast<std::size_t>(chunk_bytes - in_chunk));
        if (std::ssize(to) >= chunk_bytes && in_chunk == 0) {
          read_chunk(number, to.first(length));
        } else {
          const auto from = chunks_.of(number, [&](std::vector<std::byte>& raw) {
            raw.resize(static_cast<std::size_t>(chunk_bytes));
            read_chunk(number, raw);
          });
          std::memcpy(to.data(), from->data() + in_chunk, length);
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

void ChunkSource::allocate(std::int64_t) { refuse_writing(name_); }
void ChunkSource::punch_hole(ByteRange) { refuse_writing(name_); }

}  // namespace sill
