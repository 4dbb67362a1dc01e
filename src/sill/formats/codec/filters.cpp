#include "sill/formats/codec/filters.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/codec/compressor.hpp"

namespace sill {
namespace {

constexpr std::size_t checksum_bytes = 4;

constexpr std::array<std::uint32_t, 256> crc32c_table = [] {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t i = 0; i < table.size(); ++i) {
    std::uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) value = (value >> 1U) ^ ((value & 1U) != 0 ? 0x82f63b78U : 0U);
    table[i] = value;
  }
  return table;
}();

Compression compression_of(Filter::Kind kind) {
  switch (kind) {
    case Filter::Kind::gzip: return Compression::gzip;
    case Filter::Kind::zlib: return Compression::zlib;
    case Filter::Kind::zstd: return Compression::zstd;
    case Filter::Kind::crc32c:
    case Filter::Kind::shuffle: break;
  }
  return Compression::none;
}

void unshuffle(std::span<const std::byte> from, std::size_t element_bytes, std::span<std::byte> to) {
  const std::size_t elements = from.size() / element_bytes;
  for (std::size_t b = 0; b < element_bytes; ++b) {
    const std::byte* const plane = from.data() + b * elements;
    for (std::size_t i = 0; i < elements; ++i) to[i * element_bytes + b] = plane[i];
  }
  const std::size_t rest = elements * element_bytes;  // bytes after the last complete element stay in place
  std::ranges::copy(from.subspan(rest), to.subspan(rest).begin());
}

}  // namespace

std::uint32_t crc32c_of(std::span<const std::byte> bytes) {
  std::uint32_t value = 0xffffffffU;
  for (const std::byte each : bytes)
    value = crc32c_table[(value ^ std::to_integer<std::uint32_t>(each)) & 0xffU] ^ (value >> 8U);
  return ~value;
}

std::optional<std::string_view> unfiltered(std::span<const Filter> filters, std::span<const std::byte> packed,
                                           std::span<std::byte> raw) {
  constexpr std::string_view wrong_length = "its length is wrong";
  std::vector<std::byte> decompressed;
  std::vector<std::byte> shuffled;
  for (std::size_t f = filters.size(); f-- > 0;) {
    const Filter& filter = filters[f];
    if (filter.kind == Filter::Kind::crc32c) {
      if (packed.size() < checksum_bytes) return wrong_length;
      const std::span<const std::byte> data = packed.first(packed.size() - checksum_bytes);
      if (crc32c_of(data) != load<std::uint32_t>(packed.data() + data.size(), ByteOrder::little))
        return "its checksum differs";
      packed = data;
    } else if (filter.kind == Filter::Kind::shuffle) {
      std::vector<std::byte> ordered(packed.size());
      unshuffle(packed, static_cast<std::size_t>(filter.element_bytes), ordered);
      shuffled = std::move(ordered);
      packed = shuffled;
    } else {
      const auto before = filters.first(f);
      const auto checksums = static_cast<std::size_t>(std::ranges::count(before, Filter::Kind::crc32c, &Filter::kind));
      if (before.empty()) return decompress(compression_of(filter.kind), packed, raw);
      decompressed.resize(raw.size() + checksums * checksum_bytes);
      if (const auto defect = decompress(compression_of(filter.kind), packed, decompressed)) return defect;
      packed = decompressed;
    }
  }
  if (packed.size() != raw.size()) return wrong_length;
  std::ranges::copy(packed, raw.begin());
  return std::nullopt;
}

}  // namespace sill
