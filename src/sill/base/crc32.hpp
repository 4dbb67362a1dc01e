// CRC-32 of bytes that arrive in pieces, in any order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sill {

/// Local. Returns the CRC-32 of `bytes` as zlib, gzip and PNG define it (ISO 3309, polynomial 0x04c11db7).
[[nodiscard]] std::uint32_t crc32_of(std::span<const std::byte> bytes);

/// Local. Returns the contribution of a piece to the CRC-32 of a block in which `bytes_behind` bytes follow the piece.
/// The CRC-32 of the block is the exclusive or of the contributions of all its pieces and of the CRC-32 of a block of
/// zeros of the same length. Bytes that are in no piece are treated as zeros. `raw` is `raw_crc32` of the piece.
/// Source: CRC is linear over GF(2); zlib's crc32_combine.
[[nodiscard]] std::uint32_t crc32_share(std::uint32_t raw, std::int64_t bytes_behind);

/// Local. Returns the raw CRC-32 of a piece up to and including `bytes`. `so_far` is the raw CRC-32 of the earlier
/// bytes of the piece; 0 if there are none.
[[nodiscard]] std::uint32_t raw_crc32(std::uint32_t so_far, std::span<const std::byte> bytes);

}  // namespace sill
