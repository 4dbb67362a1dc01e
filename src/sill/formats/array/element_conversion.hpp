// Elements of one type and byte order as elements of another.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sill/base/byte_order.hpp"
#include "sill/formats/array/element_type.hpp"

namespace sill {

/// How elements are stored.
struct ElementForm {
  ElementType type = ElementType::f4;
  ByteOrder order = native_order;

  friend constexpr bool operator==(const ElementForm&, const ElementForm&) = default;
};

/// Local. Returns true unless one of them is text and the other is not.
[[nodiscard]] constexpr bool is_convertible(ElementType from, ElementType to) {
  return (from == ElementType::text) == (to == ElementType::text);
}

/// A row of elements.
struct ElementRow {
  std::int64_t stride_bytes = 0;  ///< from one to the next; may be negative
  ElementForm form = {};
};

/// Local. Converts `count` elements, and returns how many were converted: all, or those before the first whose value
/// `to` cannot hold. An integer becomes the nearest float; a float loses its fraction as it becomes an integer (toward
/// zero), and becomes the nearest float of fewer bytes. Not held are integers out of range, NaN and infinity as
/// integers, and finite floats that would become infinite. Preconditions: is_convertible; byte orders big or little.
/// `from` and `to` may be the same memory where types and strides are equal.
std::int64_t convert_elements(const std::byte* from, const ElementRow& from_row, std::byte* to,
                              const ElementRow& to_row, std::int64_t count);

/// Local. Returns the value of an element as text, for messages.
[[nodiscard]] std::string element_text(const std::byte* element, ElementForm form);

}  // namespace sill
