// CRC-32 of bytes that come in pieces, in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sill {

/// Local. The CRC-32 of `bytes` as zlib, gzip and PNG have it (ISO 3309, polynomial 0x04c11db7).
[[nodiscard]] std::uint32_t crc32_of(std::span<const std::byte> bytes);

/// Local. What a piece adds to the CRC-32 of a block in which `bytes_behind` bytes follow it: the exclusive or of what
/// all its pieces add, and of the CRC-32 of as many zeros as the block has bytes, is that of the block. Bytes that no
/// piece brings are zeros. `raw` is `raw_crc32` of the piece. Source: CRC is linear over GF(2); zlib's crc32_combine.
[[nodiscard]] std::uint32_t crc32_share(std::uint32_t raw, std::int64_t bytes_behind);

/// Local. Continues the remainder of a piece, which begins as 0, with `bytes`.
[[nodiscard]] std::uint32_t raw_crc32(std::uint32_t so_far, std::span<const std::byte> bytes);

}  // namespace sill
