// The numeric codes in headers of netCDF's classic formats.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "sill/formats/array/element_type.hpp"

namespace sill::cdf {

/// Tags of lists. Source: "NetCDF Classic Format Specification".
inline constexpr std::uint32_t dimension_tag = 0x0A;
inline constexpr std::uint32_t variable_tag = 0x0B;
inline constexpr std::uint32_t attribute_tag = 0x0C;

/// The types by code, starting at 1: first the types of CDF-1 and CDF-2, then the types that CDF-5 adds.
inline constexpr std::array types{ElementType::i1, ElementType::text, ElementType::i2, ElementType::i4,
                                  ElementType::f4, ElementType::f8,   ElementType::u1, ElementType::u2,
                                  ElementType::u4, ElementType::i8,   ElementType::u8};
inline constexpr std::uint32_t last_classic_type = 6;

/// Local. Returns the code of a type.
[[nodiscard]] constexpr std::uint32_t type_code(ElementType type) {
  std::uint32_t code = 1;
  while (types[code - 1] != type) ++code;
  return code;
}
/// Local. Returns the type of a code; nullopt if there is none.
[[nodiscard]] constexpr std::optional<ElementType> type_of_code(std::uint32_t code) {
  if (code < 1 || code > types.size()) return std::nullopt;
  return types[code - 1];
}

}  // namespace sill::cdf
