#include "sill/io/files/sidecar_header.hpp"

#include <cstring>

#include "sill/base/byte_order.hpp"

namespace sill {

void put_sidecar_header(const SidecarKind& kind, std::span<const std::int64_t> words, std::span<std::byte> into) {
  std::memcpy(into.data(), kind.magic.data(), kind.magic.size());
  store<std::uint64_t>(into.data() + kind.magic.size(), kind.version, ByteOrder::little);
  std::byte* at = into.data() + sidecar_header_bytes(0);
  for (const std::int64_t word : words) {
    store<std::int64_t>(at, word, ByteOrder::little);
    at += sizeof word;
  }
}

bool is_of_kind(const SidecarKind& kind, std::span<const std::byte> bytes) {
  return bytes.size() >= kind.magic.size() && std::memcmp(bytes.data(), kind.magic.data(), kind.magic.size()) == 0;
}

std::uint64_t sidecar_version(std::span<const std::byte> header) {
  return load<std::uint64_t>(header.data() + 8, ByteOrder::little);
}

void get_sidecar_words(std::span<const std::byte> header, std::span<std::int64_t> words) {
  const std::byte* at = header.data() + sidecar_header_bytes(0);
  for (std::int64_t& word : words) {
    word = load<std::int64_t>(at, ByteOrder::little);
    at += sizeof word;
  }
}

void put_checksum(const Checksum& sum, std::span<std::byte> into) {
  store<std::uint64_t>(into.data(), sum.value(), ByteOrder::little);
}

bool has_checksum(const Checksum& sum, std::span<const std::byte> from) {
  return load<std::uint64_t>(from.data(), ByteOrder::little) == sum.value();
}

}  // namespace sill
