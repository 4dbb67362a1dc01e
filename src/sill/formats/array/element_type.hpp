// The types of array elements, in memory and in files.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>

namespace sill {

/// Integers and IEEE floats, named by their number of bytes, and characters.
enum class ElementType : std::uint8_t { i1, i2, i4, i8, u1, u2, u4, u8, f4, f8, text };

/// Local. Returns the size of an element, in bytes.
[[nodiscard]] constexpr std::int64_t bytes_of(ElementType type) {
  switch (type) {
    case ElementType::i1:
    case ElementType::u1:
    case ElementType::text: return 1;
    case ElementType::i2:
    case ElementType::u2: return 2;
    case ElementType::i4:
    case ElementType::u4:
    case ElementType::f4: return 4;
    case ElementType::i8:
    case ElementType::u8:
    case ElementType::f8: return 8;
  }
  return 1;
}

/// Local. Returns the name of a type: "i4", "f8", "text", …
[[nodiscard]] std::string_view name_of(ElementType type);
/// Local. Returns the type called `name`; nullopt if there is none.
[[nodiscard]] std::optional<ElementType> element_type_named(std::string_view name);

/// Local. Returns the element type for elements that a program stores as T.
template <class T>
[[nodiscard]] constexpr ElementType element_type_of() {
  static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8);
  if constexpr (std::is_same_v<T, char>) {
    return ElementType::text;
  } else if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? ElementType::f4 : ElementType::f8;
  } else {
    constexpr ElementType with_sign[] = {ElementType::i1, ElementType::i2, ElementType::i4, ElementType::i8};
    constexpr ElementType without_sign[] = {ElementType::u1, ElementType::u2, ElementType::u4, ElementType::u8};
    constexpr int log2 = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return std::is_signed_v<T> ? with_sign[log2] : without_sign[log2];
  }
}

/// Local. Returns `visit(T{})`, where T is the C++ type of elements of `type`.
template <class Visit>
decltype(auto) visit_type(ElementType type, Visit&& visit) {
  switch (type) {
    case ElementType::i1: return visit(std::int8_t{});
    case ElementType::i2: return visit(std::int16_t{});
    case ElementType::i4: return visit(std::int32_t{});
    case ElementType::i8: return visit(std::int64_t{});
    case ElementType::u1: return visit(std::uint8_t{});
    case ElementType::u2: return visit(std::uint16_t{});
    case ElementType::u4: return visit(std::uint32_t{});
    case ElementType::u8: return visit(std::uint64_t{});
    case ElementType::f4: return visit(float{});
    case ElementType::f8: return visit(double{});
    case ElementType::text: break;
  }
  return visit(char{});
}

}  // namespace sill
