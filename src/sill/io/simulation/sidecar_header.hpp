// How the files begin that Sill keeps beside others, and what proves them whole: magic number, version, words,
// checksum.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/base/checksum.hpp"

namespace sill {

/// What files of one kind begin with: eight bytes, then the version as a little-endian number of 64 bits.
struct KeptKind {
  std::array<char, 8> magic;
  std::uint64_t version;
};

inline constexpr std::int64_t kept_checksum_bytes = 8;

/// Local. The bytes of a head: magic number, version, and `words` numbers of 64 bits.
[[nodiscard]] constexpr std::int64_t sidecar_header_bytes(std::int64_t words) { return 16 + 8 * words; }

/// Local. Puts a head at the beginning of `into`. Precondition: room for it.
void put_kept_head(const KeptKind& kind, std::span<const std::int64_t> words, std::span<std::byte> into);

/// Local. Whether a file that begins so is of the kind, of whatever version; less than eight bytes never are.
[[nodiscard]] bool is_of_kind(const KeptKind& kind, std::span<const std::byte> bytes);

/// Local. The version, and the words, of a head. Precondition: `head` is as long as it is with these words.
[[nodiscard]] std::uint64_t kept_version(std::span<const std::byte> head);
void take_kept_words(std::span<const std::byte> head, std::span<std::int64_t> words);

/// Local. Puts a checksum into the first eight bytes of `into`; whether one stands there.
void put_checksum(const Checksum& sum, std::span<std::byte> into);
[[nodiscard]] bool has_checksum(const Checksum& sum, std::span<const std::byte> from);

}  // namespace sill
