// Reads and writes integers and IEEE floats of a given byte order at any address.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace sill {

/// The byte order of a file. `pairwise`: 16-bit words little-endian, their sequence big-endian (bytes 2 1 4 3).
enum class ByteOrder { big, little, pairwise };

/// The byte order of this machine's memory.
inline constexpr ByteOrder native_order =
    std::endian::native == std::endian::little ? ByteOrder::little : ByteOrder::big;

[[nodiscard]] constexpr std::string_view name_of(ByteOrder order) {
  switch (order) {
    case ByteOrder::big: return "big";
    case ByteOrder::little: return "little";
    case ByteOrder::pairwise: return "pairwise";
  }
  return "big";
}

[[nodiscard]] constexpr std::uint8_t swap_bytes(std::uint8_t v) { return v; }
[[nodiscard]] constexpr std::uint16_t swap_bytes(std::uint16_t v) { return __builtin_bswap16(v); }
[[nodiscard]] constexpr std::uint32_t swap_bytes(std::uint32_t v) { return __builtin_bswap32(v); }
[[nodiscard]] constexpr std::uint64_t swap_bytes(std::uint64_t v) { return __builtin_bswap64(v); }

namespace detail {
template <std::size_t Bytes>
using UnsignedOf = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

/// Converts from file order to native order and back (it is its own inverse).
template <class U>
[[nodiscard]] constexpr U reorder(U raw, ByteOrder order) {
  if (order == ByteOrder::pairwise && sizeof(U) > 1) {
    // Swap within each pair, which gives big-endian bytes.
    constexpr U low = static_cast<U>(0x00FF00FF00FF00FFULL);
    raw = static_cast<U>(((raw & low) << 8U) | ((raw >> 8U) & low));
    order = ByteOrder::big;
  }
  return order == native_order ? raw : swap_bytes(raw);
}
}  // namespace detail

/// Local. Returns the value of type T (integer or IEEE float of 1, 2, 4 or 8 bytes) stored at `from` in `order`.
template <class T>
[[nodiscard]] T load(const std::byte* from, ByteOrder order) {
  detail::UnsignedOf<sizeof(T)> raw;
  static_assert(sizeof raw == sizeof(T));
  std::memcpy(&raw, from, sizeof raw);
  return std::bit_cast<T>(detail::reorder(raw, order));
}

/// Local. Stores `value` at `to` in `order`.
template <class T>
void store(std::byte* to, T value, ByteOrder order) {
  auto raw = std::bit_cast<detail::UnsignedOf<sizeof(T)>>(value);
  raw = detail::reorder(raw, order);
  std::memcpy(to, &raw, sizeof raw);
}

}  // namespace sill
