#include "sill/formats/codec/filters.hpp"

#include <blosc.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "sill/base/byte_order.hpp"

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

std::optional<std::string_view> decompress_blosc(std::span<const std::byte> packed, std::span<std::byte> raw) {
  std::size_t size = 0;
  if (blosc_cbuffer_validate(packed.data(), packed.size(), &size) != 0) return "its Blosc header is damaged";
  if (size != raw.size()) return "it contains another number of bytes";
  constexpr int threads = 1;
  const int found = blosc_decompress_ctx(packed.data(), raw.data(), raw.size(), threads);
  return std::cmp_equal(found, raw.size()) ? std::nullopt
                                           : std::optional<std::string_view>("its Blosc data is damaged");
}

std::optional<std::string_view> decompress_by(Filter::Kind kind, std::span<const std::byte> packed,
                                              std::span<std::byte> raw) {
  return kind == Filter::Kind::blosc ? decompress_blosc(packed, raw) : decompress(compression_of(kind), packed, raw);
}

bool is_checksum(Filter::Kind kind) { return kind == Filter::Kind::crc32c || kind == Filter::Kind::fletcher32; }

// Unshuffles elements of a size that the compiler knows.
template <std::size_t element_bytes>
void unshuffle_elements(const std::byte* from, std::size_t elements, std::byte* to) {
  for (std::size_t i = 0; i < elements; ++i) {
    for (std::size_t b = 0; b < element_bytes; ++b) to[i * element_bytes + b] = from[b * elements + i];
  }
}

void unshuffle(std::span<const std::byte> from, std::size_t element_bytes, std::span<std::byte> to) {
  const std::size_t elements = from.size() / element_bytes;
  switch (element_bytes) {
    case 2: unshuffle_elements<2>(from.data(), elements, to.data()); break;
    case 4: unshuffle_elements<4>(from.data(), elements, to.data()); break;
    case 8: unshuffle_elements<8>(from.data(), elements, to.data()); break;
    default:
      for (std::size_t b = 0; b < element_bytes; ++b) {
        const std::byte* const plane = from.data() + b * elements;
        for (std::size_t i = 0; i < elements; ++i) to[i * element_bytes + b] = plane[i];
      }
  }
  const std::size_t rest = elements * element_bytes;  // bytes after the last complete element stay in place
  std::ranges::copy(from.subspan(rest), to.subspan(rest).begin());
}

// Rounds numbers whose bits are `Bits` and whose mantissa has `mantissa` bits.
template <class Bits, int mantissa>
void round_numbers(std::span<std::byte> elements, int keep_bits, std::span<const std::byte> kept_bytes) {
  constexpr Bits exponent = ((Bits{1} << (sizeof(Bits) * 8 - 1)) - 1) >> mantissa << mantissa;
  const int dropped = mantissa - keep_bits;
  if (dropped < 1) return;
  Bits kept = 0;
  std::memcpy(&kept, kept_bytes.data(), sizeof kept);
  const Bits mask = ~((Bits{1} << dropped) - 1);
  const Bits half = (Bits{1} << (dropped - 1)) - 1;
  for (std::size_t at = 0; at + sizeof(Bits) <= elements.size(); at += sizeof(Bits)) {
    Bits bits = 0;
    std::memcpy(&bits, elements.data() + at, sizeof bits);
    if ((bits & exponent) == exponent || bits == kept) continue;
    const Bits rounded = (bits + half + (bits >> dropped & 1U)) & mask;
    bits = (rounded & exponent) == exponent ? bits & mask : rounded;
    std::memcpy(elements.data() + at, &bits, sizeof bits);
  }
}

}  // namespace

Compression compression_of(Filter::Kind kind) {
  switch (kind) {
    case Filter::Kind::gzip: return Compression::gzip;
    case Filter::Kind::zlib: return Compression::zlib;
    case Filter::Kind::zstd: return Compression::zstd;
    case Filter::Kind::blosc:
    case Filter::Kind::crc32c:
    case Filter::Kind::fletcher32:
    case Filter::Kind::shuffle: break;
  }
  return Compression::none;
}

void shuffle(std::span<const std::byte> from, std::int64_t element_bytes, std::span<std::byte> to) {
  const auto size = static_cast<std::size_t>(element_bytes);
  const std::size_t elements = from.size() / size;
  for (std::size_t b = 0; b < size; ++b) {
    std::byte* const plane = to.data() + b * elements;
    for (std::size_t i = 0; i < elements; ++i) plane[i] = from[i * size + b];
  }
  std::ranges::copy(from.subspan(elements * size), to.subspan(elements * size).begin());
}

void round_bits(std::span<std::byte> elements, int keep_bits, std::span<const std::byte> kept) {
  if (kept.size() == 4) {
    round_numbers<std::uint32_t, 23>(elements, keep_bits, kept);
  } else {
    round_numbers<std::uint64_t, 52>(elements, keep_bits, kept);
  }
}

std::uint32_t crc32c_of(std::span<const std::byte> bytes) {
  std::uint32_t value = 0xffffffffU;
  for (const std::byte each : bytes)
    value = crc32c_table[(value ^ std::to_integer<std::uint32_t>(each)) & 0xffU] ^ (value >> 8U);
  return ~value;
}

std::uint32_t fletcher32_of(std::span<const std::byte> bytes) {
  constexpr std::size_t block_words = 360;  // sums of this many words fit into 32 bits
  std::uint32_t sum = 0;
  std::uint32_t sum_of_sums = 0;
  const auto fold = [](std::uint32_t value) { return (value & 0xffffU) + (value >> 16U); };
  const std::size_t words = (bytes.size() + 1) / 2;
  for (std::size_t word = 0; word < words; ++word) {
    const auto high = std::to_integer<std::uint32_t>(bytes[2 * word]) << 8U;
    const auto low = 2 * word + 1 < bytes.size() ? std::to_integer<std::uint32_t>(bytes[2 * word + 1]) : 0U;
    sum += high | low;
    sum_of_sums += sum;
    if ((word + 1) % block_words != 0 && word + 1 < words) continue;
    sum = fold(sum);
    sum_of_sums = fold(sum_of_sums);
  }
  return fold(sum_of_sums) << 16U | fold(sum);
}

std::optional<std::string_view> unfiltered(std::span<const Filter> filters, std::span<const std::byte> packed,
                                           std::span<std::byte> raw) {
  constexpr std::string_view wrong_length = "its length is wrong";
  std::vector<std::byte> decompressed;
  std::vector<std::byte> shuffled;
  for (std::size_t f = filters.size(); f-- > 0;) {
    const Filter& filter = filters[f];
    if (is_checksum(filter.kind)) {
      if (packed.size() < checksum_bytes) return wrong_length;
      const std::span<const std::byte> data = packed.first(packed.size() - checksum_bytes);
      const std::uint32_t sum = filter.kind == Filter::Kind::crc32c ? crc32c_of(data) : fletcher32_of(data);
      if (sum != load<std::uint32_t>(packed.data() + data.size(), ByteOrder::little)) return "its checksum differs";
      packed = data;
    } else if (filter.kind == Filter::Kind::shuffle) {
      if (f == 0 && packed.size() == raw.size()) {
        unshuffle(packed, static_cast<std::size_t>(filter.element_bytes), raw);
        return std::nullopt;
      }
      std::vector<std::byte> ordered(packed.size());
      unshuffle(packed, static_cast<std::size_t>(filter.element_bytes), ordered);
      shuffled = std::move(ordered);
      packed = shuffled;
    } else {
      const auto before = filters.first(f);
      const auto checksums = static_cast<std::size_t>(std::ranges::count_if(before, is_checksum, &Filter::kind));
      if (before.empty()) return decompress_by(filter.kind, packed, raw);
      decompressed.resize(raw.size() + checksums * checksum_bytes);
      if (const auto defect = decompress_by(filter.kind, packed, decompressed)) return defect;
      packed = decompressed;
    }
  }
  if (packed.size() != raw.size()) return wrong_length;
  std::ranges::copy(packed, raw.begin());
  return std::nullopt;
}

}  // namespace sill
