#include "sill/formats/array/element_conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace sill {
namespace {

template <class To, class From>
bool holds(From value) {
  if constexpr (std::is_same_v<To, From> || std::is_same_v<From, char> || std::is_same_v<To, char>) {
    return true;
  } else if constexpr (std::is_floating_point_v<To>) {
    if constexpr (sizeof(To) < sizeof(From) && std::is_floating_point_v<From>) {
      // A value that rounds to more than the largest number becomes infinite.
      return std::isinf(static_cast<To>(value)) == std::isinf(value);
    }
    return true;
  } else if constexpr (std::is_floating_point_v<From>) {
    // Both bounds are powers of two, or 0, so that they are floats. NaN compares false.
    const From end = std::ldexp(From{1}, std::numeric_limits<To>::digits);
    const From whole = std::trunc(value);
    return whole >= static_cast<From>(std::numeric_limits<To>::min()) && whole < end;
  } else {
    return std::in_range<To>(value);
  }
}

// The bytes of one byte order are the reversed bytes of the other.
template <class U>
void swap_row(const std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride,
              std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    U value;
    std::memcpy(&value, from + i * from_stride, sizeof value);
    value = swap_bytes(value);
    std::memcpy(to + i * to_stride, &value, sizeof value);
  }
}

template <class U>
void copy_row(const std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride,
              std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) std::memcpy(to + i * to_stride, from + i * from_stride, sizeof(U));
}

template <class U>
void move_row(const std::byte* from, std::int64_t from_stride, std::byte* to, std::int64_t to_stride,
              std::int64_t count, bool swaps) {
  constexpr auto size = static_cast<std::int64_t>(sizeof(U));
  const bool is_packed = from_stride == size && to_stride == size;
  if (swaps && sizeof(U) > 1) {
    // With constant strides the compiler vectorizes the loop.
    if (is_packed) {
      swap_row<U>(from, size, to, size, count);
    } else {
      swap_row<U>(from, from_stride, to, to_stride, count);
    }
  } else if (is_packed) {
    if (to != from) std::memcpy(to, from, static_cast<std::size_t>(count) * sizeof(U));
  } else {
    copy_row<U>(from, from_stride, to, to_stride, count);
  }
}

template <class To, class From>
std::int64_t convert_row(const std::byte* from, const ElementRow& from_row, std::byte* to, const ElementRow& to_row,
                         std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const From value = load<From>(from + i * from_row.stride_bytes, from_row.form.order);
    if (!holds<To>(value)) return i;
    store(to + i * to_row.stride_bytes, static_cast<To>(value), to_row.form.order);
  }
  return count;
}

}  // namespace

std::int64_t convert_elements(const std::byte* from, const ElementRow& from_row, std::byte* to,
                              const ElementRow& to_row, std::int64_t count) {
  if (count == 0) return 0;  // there may be no memory: an attribute without values
  if (from_row.form.type == to_row.form.type) {
    const bool swaps = from_row.form.order != to_row.form.order;
    const auto move = [&](auto bits) {
      move_row<decltype(bits)>(from, from_row.stride_bytes, to, to_row.stride_bytes, count, swaps);
    };
    switch (bytes_of(to_row.form.type)) {
      case 1: move(std::uint8_t{}); break;
      case 2: move(std::uint16_t{}); break;
      case 4: move(std::uint32_t{}); break;
      default: move(std::uint64_t{}); break;
    }
    return count;
  }
  return visit_type(from_row.form.type, [&](auto of_from) {
    return visit_type(to_row.form.type, [&](auto of_to) {
      return convert_row<decltype(of_to), decltype(of_from)>(from, from_row, to, to_row, count);
    });
  });
}

std::string element_text(const std::byte* element, ElementForm form) {
  return visit_type(form.type, [&](auto of_type) {
    const auto value = load<decltype(of_type)>(element, form.order);
    if constexpr (sizeof value == 1 && !std::is_same_v<decltype(of_type), char>) {
      return fmt::format("{}", static_cast<int>(value));
    } else {
      return fmt::format("{}", value);
    }
  });
}

}  // namespace sill
