// What the library of a codec takes, without anything else.
#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <utility>

#include "array_libraries.hpp"
#include "sill/base/error.hpp"
#include "sill/formats/array/chunk_codec.hpp"

namespace sill::bench {
namespace {

void compress(const ChunkCodec& codec, const std::vector<std::vector<std::byte>>& chunks, int threads) {
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    libdeflate_compressor* const deflate = libdeflate_alloc_compressor(codec.level);
    ZSTD_CCtx* const zstd = ZSTD_createCCtx();
    std::vector<std::byte> packed;
    for (std::size_t i = next++; i < chunks.size(); i = next++) {
      const std::vector<std::byte>& chunk = chunks[i];
      if (codec.compression == Compression::zstd) {
        packed.resize(ZSTD_compressBound(chunk.size()));
        const std::size_t bytes =
            ZSTD_compressCCtx(zstd, packed.data(), packed.size(), chunk.data(), chunk.size(), codec.level);
        if (ZSTD_isError(bytes) != 0) failed = true;
      } else {
        packed.resize(libdeflate_zlib_compress_bound(deflate, chunk.size()));
        if (libdeflate_zlib_compress(deflate, chunk.data(), chunk.size(), packed.data(), packed.size()) == 0) {
          failed = true;
        }
      }
    }
    ZSTD_freeCCtx(zstd);
    libdeflate_free_compressor(deflate);
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread) others.emplace_back(work);
  work();
  for (std::thread& thread : others) thread.join();
  if (failed) throw Error({.code = ErrorCode::io, .problem = "the library of the codec failed"});
}

}  // namespace

std::function<void()> compression_of(const std::string& text, const ArrayPart& part, const Index& chunk, int threads) {
  const ChunkCodec codec = ChunkCodec::parse(text);
  if (codec.shuffles || codec.keep_bits > 0 || codec.compression == Compression::none) {
    throw Error({.code = ErrorCode::usage, .problem = "only deflate and zstd are timed alone"});
  }
  std::vector<std::vector<std::byte>> chunks;
  const Index& count = part.box.count;
  const std::int64_t size = bytes_of(part.type);
  for (std::int64_t z = 0; z < count[0]; z += chunk[0]) {
    for (std::int64_t y = 0; y < count[1]; y += chunk[1]) {
      for (std::int64_t x = 0; x < count[2]; x += chunk[2]) {
        std::vector<std::byte>& bytes = chunks.emplace_back();
        for (std::int64_t k = z; k < std::min(z + chunk[0], count[0]); ++k) {
          for (std::int64_t j = y; j < std::min(y + chunk[1], count[1]); ++j) {
            const std::byte* const row = part.first + ((k * count[1] + j) * count[2] + x) * size;
            bytes.insert(bytes.end(), row, row + std::min(chunk[2], count[2] - x) * size);
          }
        }
      }
    }
  }
  return [codec, threads, chunks = std::move(chunks)] { compress(codec, chunks, threads); };
}

}  // namespace sill::bench
