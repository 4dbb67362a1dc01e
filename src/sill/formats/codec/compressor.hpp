// Compression of blocks of bytes by libdeflate and zstd.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sill {

/// The forms of a compressed block.
enum class Compression : std::uint8_t {
  none,
  deflate,  ///< a raw deflate stream (RFC 1951)
  zlib,     ///< a deflate stream with zlib's header and Adler-32 (RFC 1950)
  gzip,     ///< a gzip member (RFC 1952)
  zstd,     ///< a Zstandard frame (RFC 8878)
};

/// Compresses blocks, one after another. One thread uses it at a time.
class Compressor {
 public:
  /// Local. Creates a compressor. `has_checksum`: zstd frames contain a checksum of their data. Errors: usage for a
  /// level that the compression lacks (deflate, zlib and gzip have 0 to 12, zstd 1 to 19); std::bad_alloc.
  Compressor(Compression compression, int level, bool has_checksum = false);
  Compressor(Compressor&&) noexcept;
  ~Compressor();

  /// Local. Returns the maximum size of a compressed block of `raw_bytes` bytes.
  [[nodiscard]] std::size_t max_bytes(std::size_t raw_bytes) const;
  /// Local. Compresses `raw` into `room`; returns the number of bytes, or nullopt if `room` is too small. Errors: io if
  /// zstd fails.
  std::optional<std::size_t> compress(std::span<const std::byte> raw, std::span<std::byte> room);

 private:
  struct Contexts;
  Compression compression_;
  std::unique_ptr<Contexts> contexts_;
};

/// Local. Decompresses a block into `raw`, which it fills exactly. Returns the defect of a damaged block, whose
/// contents in `raw` may be incomplete; nullopt if the block is intact. Errors: std::bad_alloc.
[[nodiscard]] std::optional<std::string_view> decompress(Compression compression, std::span<const std::byte> packed,
                                                         std::span<std::byte> raw);

/// Local. Returns the highest level of a compression.
[[nodiscard]] int max_level(Compression compression);

}  // namespace sill
