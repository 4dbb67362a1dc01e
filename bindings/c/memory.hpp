// Conversion of the ownership and the types of arrays from C to C++.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "sill.h"
#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/element_type.hpp"
#include "sill/move/mover.hpp"
#include "status.hpp"

namespace sill::bindings {

/// Local. Converts a number. Any number except SILL_LENT is treated as SILL_COPIED, which is always safe.
[[nodiscard]] inline Memory memory_of(int number) { return number == SILL_LENT ? Memory::lent : Memory::copied; }

/// Local. Converts the number of a type. Errors: usage for other numbers.
[[nodiscard]] inline ElementType element_type(int number) {
  constexpr std::array types{ElementType::i1, ElementType::i2, ElementType::i4,  ElementType::i8,
                             ElementType::u1, ElementType::u2, ElementType::u4,  ElementType::u8,
                             ElementType::f4, ElementType::f8, ElementType::text};
  if (number < 0 || number >= static_cast<int>(types.size())) {
    refuse("the type of elements is " + std::to_string(number), "give SILL_I1 to SILL_F8, or SILL_CHARACTER");
  }
  return types[static_cast<std::size_t>(number)];
}

/// Local. Returns an attribute with `count` values. Errors: usage for NULL, other types and a `count` below 0.
[[nodiscard]] inline Attribute attribute_of(const char* name, int type, std::int64_t count, const void* values) {
  Attribute attribute;
  attribute.name = &at(name, "the name of the attribute");
  attribute.type = element_type(type);
  const auto* const first = static_cast<const std::byte*>(values);
  std::int64_t size = 0;
  if (count < 0 || __builtin_mul_overflow(count, std::int64_t{bytes_of(attribute.type)}, &size))
    refuse("an attribute has " + std::to_string(count) + " values", "give the number of its values");
  const std::span<const std::byte> bytes = list_of(first, size, "attribute " + attribute.name);
  attribute.values.assign(bytes.begin(), bytes.end());
  return attribute;
}

}  // namespace sill::bindings
