#include "sill/formats/codec/compressor.hpp"

#include <fmt/format.h>
#include <libdeflate.h>
#include <zstd.h>

#include <algorithm>
#include <new>

#include "sill/base/error.hpp"

namespace sill {

struct Compressor::Contexts {
  std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> deflate{nullptr, libdeflate_free_compressor};
  std::unique_ptr<ZSTD_CCtx, std::size_t (*)(ZSTD_CCtx*)> zstd{nullptr, ZSTD_freeCCtx};
};

int max_level(Compression compression) { return compression == Compression::zstd ? 19 : 12; }

Compressor::Compressor(Compression compression, int level, bool has_checksum)
    : compression_(compression), contexts_(std::make_unique<Contexts>()) {
  if (compression == Compression::none) return;
  const int min_level = compression == Compression::zstd ? 1 : 0;
  if (level < min_level || level > max_level(compression)) {
    throw Error({.code = ErrorCode::usage,
                 .problem = fmt::format("the compression has no level {}", level),
                 .action = fmt::format("give {} to {}", min_level, max_level(compression))});
  }
  if (compression != Compression::zstd) {
    contexts_->deflate.reset(libdeflate_alloc_compressor(level));
    if (!contexts_->deflate) throw std::bad_alloc();
    return;
  }
  contexts_->zstd.reset(ZSTD_createCCtx());
  if (!contexts_->zstd) throw std::bad_alloc();
  ZSTD_CCtx_setParameter(contexts_->zstd.get(), ZSTD_c_compressionLevel, level);
  ZSTD_CCtx_setParameter(contexts_->zstd.get(), ZSTD_c_checksumFlag, has_checksum ? 1 : 0);
}

Compressor::Compressor(Compressor&&) noexcept = default;
Compressor::~Compressor() = default;

std::size_t Compressor::max_bytes(std::size_t raw_bytes) const {
  libdeflate_compressor* const deflate = contexts_->deflate.get();
  switch (compression_) {
    case Compression::none: return raw_bytes;
    case Compression::deflate: return libdeflate_deflate_compress_bound(deflate, raw_bytes);
    case Compression::zlib: return libdeflate_zlib_compress_bound(deflate, raw_bytes);
    case Compression::gzip: return libdeflate_gzip_compress_bound(deflate, raw_bytes);
    case Compression::zstd: break;
  }
  return ZSTD_compressBound(raw_bytes);
}

std::optional<std::size_t> Compressor::compress(std::span<const std::byte> raw, std::span<std::byte> room) {
  if (compression_ == Compression::none) {
    if (raw.size() > room.size()) return std::nullopt;
    std::ranges::copy(raw, room.begin());
    return raw.size();
  }
  if (compression_ == Compression::zstd) {
    const std::size_t size = ZSTD_compress2(contexts_->zstd.get(), room.data(), room.size(), raw.data(), raw.size());
    if (ZSTD_isError(size) == 0) return size;
    throw Error({.code = ErrorCode::io,
                 .problem = fmt::format("compression with zstd failed: {}", ZSTD_getErrorName(size)),
                 .action = "free memory, or write without compression"});
  }
  const auto compress_by = compression_ == Compression::deflate ? libdeflate_deflate_compress
                           : compression_ == Compression::zlib  ? libdeflate_zlib_compress
                                                                : libdeflate_gzip_compress;
  const std::size_t size = compress_by(contexts_->deflate.get(), raw.data(), raw.size(), room.data(), room.size());
  return size == 0 ? std::nullopt : std::optional(size);
}

std::optional<std::string_view> decompress(Compression compression, std::span<const std::byte> packed,
                                           std::span<std::byte> raw) {
  constexpr std::string_view is_short = "it contains fewer bytes";
  if (compression == Compression::none) {
    if (packed.size() != raw.size()) return is_short;
    std::ranges::copy(packed, raw.begin());
    return std::nullopt;
  }
  if (compression == Compression::zstd) {
    const std::size_t size = ZSTD_decompress(raw.data(), raw.size(), packed.data(), packed.size());
    if (ZSTD_isError(size) != 0) return ZSTD_getErrorName(size);
    return size == raw.size() ? std::nullopt : std::optional(is_short);
  }
  const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> decompressor(
      libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
  if (!decompressor) throw std::bad_alloc();
  const auto decompress_by = compression == Compression::deflate ? libdeflate_deflate_decompress_ex
                             : compression == Compression::zlib  ? libdeflate_zlib_decompress_ex
                                                                 : libdeflate_gzip_decompress_ex;
  std::size_t filled = 0;
  do {  // gzip may have several members
    std::size_t taken = 0;
    std::size_t made = 0;
    const std::span<std::byte> room = raw.subspan(filled);
    const libdeflate_result result =
        decompress_by(decompressor.get(), packed.data(), packed.size(), room.data(), room.size(), &taken, &made);
    if (result != LIBDEFLATE_SUCCESS) return "its deflate stream is damaged";
    packed = packed.subspan(taken);
    filled += made;
  } while (compression == Compression::gzip && !packed.empty());
  return filled == raw.size() ? std::nullopt : std::optional(is_short);
}

}  // namespace sill
