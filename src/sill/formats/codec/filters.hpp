// Filters that the chunks of an array pass through on their way to a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace sill {

/// One filter.
struct Filter {
  enum class Kind : std::uint8_t {
    gzip,
    zlib,
    zstd,
    crc32c,   ///< appends the CRC-32C of the bytes, little-endian
    shuffle,  ///< all first bytes of elements, then all second bytes, …
  };
  Kind kind = Kind::zstd;
  std::int64_t element_bytes = 1;  ///< of shuffle

  friend bool operator==(const Filter&, const Filter&) = default;
};

/// Local. Returns the CRC-32C of `bytes` (RFC 3720, B.4; polynomial 0x1edc6f41).
[[nodiscard]] std::uint32_t crc32c_of(std::span<const std::byte> bytes);

/// Local. Reverses `filters`, which are listed in the order of writing, at most one of which compresses. Fills `raw`
/// exactly. Returns the defect of damaged bytes, after which `raw` may be incomplete; nullopt if they are intact.
/// Errors: std::bad_alloc.
[[nodiscard]] std::optional<std::string_view> unfiltered(std::span<const Filter> filters,
                                                         std::span<const std::byte> packed, std::span<std::byte> raw);

}  // namespace sill
