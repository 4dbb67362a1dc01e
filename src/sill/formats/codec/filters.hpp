// Filters that the chunks of an array pass through on their way to a file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "sill/formats/codec/compressor.hpp"

namespace sill {

/// One filter.
struct Filter {
  enum class Kind : std::uint8_t {
    gzip,
    zlib,
    zstd,
    blosc,       ///< Blosc 1, which states its own compression and shuffle; only read
    crc32c,      ///< appends the CRC-32C of the bytes, little-endian
    fletcher32,  ///< appends HDF5's checksum of the bytes, little-endian
    shuffle,     ///< all first bytes of elements, then all second bytes, …
  };
  Kind kind = Kind::zstd;
  std::int64_t element_bytes = 1;  ///< of shuffle

  friend bool operator==(const Filter&, const Filter&) = default;
};

/// Local. Returns the CRC-32C of `bytes` (RFC 3720, B.4; polynomial 0x1edc6f41).
[[nodiscard]] std::uint32_t crc32c_of(std::span<const std::byte> bytes);

/// Local. Returns HDF5's Fletcher checksum of `bytes` (H5_checksum_fletcher32): sums of big-endian words of 16 bits.
[[nodiscard]] std::uint32_t fletcher32_of(std::span<const std::byte> bytes);

/// Local. Returns true if a filter compresses.
[[nodiscard]] constexpr bool compresses(Filter::Kind kind) {
  return kind == Filter::Kind::gzip || kind == Filter::Kind::zlib || kind == Filter::Kind::zstd ||
         kind == Filter::Kind::blosc;
}

/// Local. Returns the compression of a filter; none if it does not compress.
[[nodiscard]] Compression compression_of(Filter::Kind kind);

/// Local. Sorts the bytes of elements by their significance: the filter shuffle. Precondition: equal sizes.
void shuffle(std::span<const std::byte> from, std::int64_t element_bytes, std::span<std::byte> to);

/// Local. Rounds floating-point numbers to `keep_bits` bits of the mantissa, to nearest, ties to even. NaN, infinity
/// and elements that equal `kept` stay unchanged; numbers that would become infinite are truncated. Preconditions:
/// elements, like `kept`, have 4 or 8 bytes in the machine's order and more than `keep_bits` bits.
void round_bits(std::span<std::byte> elements, int keep_bits, std::span<const std::byte> kept);

/// Local. Reverses `filters`, which are listed in the order of writing, at most one of which compresses. Fills `raw`
/// exactly. Returns the defect of damaged bytes, after which `raw` may be incomplete; nullopt if they are intact.
/// Errors: std::bad_alloc.
[[nodiscard]] std::optional<std::string_view> unfiltered(std::span<const Filter> filters,
                                                         std::span<const std::byte> packed, std::span<std::byte> raw);

}  // namespace sill
