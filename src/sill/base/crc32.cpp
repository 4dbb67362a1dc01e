#include "sill/base/crc32.hpp"

#include <libdeflate.h>
#include <zlib.h>

namespace sill {

std::uint32_t crc32_of(std::span<const std::byte> bytes) { return libdeflate_crc32(0, bytes.data(), bytes.size()); }

// A CRC-32 is the complement of a remainder that begins as the complement of 0.
std::uint32_t raw_crc32(std::uint32_t so_far, std::span<const std::byte> bytes) {
  if (bytes.empty()) return so_far;  // without memory libdeflate returns the CRC-32 of no bytes
  return ~libdeflate_crc32(~so_far, bytes.data(), bytes.size());
}

std::uint32_t crc32_share(std::uint32_t raw, std::int64_t bytes_behind) {
  if (bytes_behind == 0) return raw;
  return static_cast<std::uint32_t>(crc32_combine64(raw, 0, bytes_behind));
}

}  // namespace sill
