// The header and the checksum of sidecar files: files that Sill stores next to others, such as journals and indexes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/base/checksum.hpp"

namespace sill {

/// The beginning of sidecar files of one kind: a magic number of eight bytes, then the version as a little-endian
/// 64-bit number.
struct SidecarKind {
  std::array<char, 8> magic;
  std::uint64_t version;
};

inline constexpr std::int64_t sidecar_checksum_bytes = 8;

/// Local. Returns the size of a header: magic number, version, and `words` numbers of 64 bits.
[[nodiscard]] constexpr std::int64_t sidecar_header_bytes(std::int64_t words) { return 16 + 8 * words; }

/// Local. Writes a header to the beginning of `into`. Precondition: `into` has room for it.
void put_sidecar_header(const SidecarKind& kind, std::span<const std::int64_t> words, std::span<std::byte> into);

/// Local. Returns true if `bytes`, the beginning of a file, have the magic number of `kind`; the version may differ.
[[nodiscard]] bool is_of_kind(const SidecarKind& kind, std::span<const std::byte> bytes);

/// Local. Returns the version of a header. Precondition: `header` contains the magic number and the version.
[[nodiscard]] std::uint64_t sidecar_version(std::span<const std::byte> header);
/// Local. Fills `words` with the words of a header. Precondition: `header` contains at least `words.size()` words.
void get_sidecar_words(std::span<const std::byte> header, std::span<std::int64_t> words);

/// Local. Writes a checksum to the first eight bytes of `into`.
void put_checksum(const Checksum& sum, std::span<std::byte> into);
/// Local. Returns true if the first eight bytes of `from` are the checksum `sum`.
[[nodiscard]] bool has_checksum(const Checksum& sum, std::span<const std::byte> from);

}  // namespace sill
