// Conversion of elements between types and byte orders.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sill/base/byte_order.hpp"
#include "sill/formats/array/element_type.hpp"

namespace sill {

/// Type and byte order of stored elements.
struct ElementForm {
  ElementType type = ElementType::f4;
  ByteOrder order = native_order;

  friend constexpr bool operator==(const ElementForm&, const ElementForm&) = default;
};

/// Local. Returns true if both types are text, or if neither is text.
[[nodiscard]] constexpr bool is_convertible(ElementType from, ElementType to) {
  return (from == ElementType::text) == (to == ElementType::text);
}

/// A row of elements.
struct ElementRow {
  std::int64_t stride_bytes = 0;  ///< distance between neighbours; may be negative
  ElementForm form = {};
};

/// Local. Converts `count` elements. Returns the number of converted elements: `count`, or the number of elements
/// before the first value that the target type cannot represent. An integer becomes the nearest float. A float becomes
/// an integer without its fraction (toward zero), or the nearest float of fewer bytes. Values that cannot be
/// represented are integers out of range, NaN and infinity as integers, and finite floats that would become infinite.
/// Preconditions: the types are convertible (is_convertible); the byte orders are big or little. `from` and `to` may be
/// the same memory if types and strides are equal.
std::int64_t convert_elements(const std::byte* from, const ElementRow& from_row, std::byte* to,
                              const ElementRow& to_row, std::int64_t count);

/// Local. Returns the value of an element as text, for messages.
[[nodiscard]] std::string element_text(const std::byte* element, ElementForm form);

}  // namespace sill
