// The names of element types in NcML, VTK, XDMF and MetaImage.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sill/formats/array/element_type.hpp"

namespace sill::image {

struct TypeNames {
  ElementType type;
  std::string_view ncml;
  std::string_view vtk;  ///< empty: VTK has no such arrays
  std::string_view xdmf;
  std::string_view meta;
};

inline constexpr std::array type_names{TypeNames{ElementType::i1, "byte", "Int8", "Char", "MET_CHAR"},
                                       TypeNames{ElementType::i2, "short", "Int16", "Short", "MET_SHORT"},
                                       TypeNames{ElementType::i4, "int", "Int32", "Int", "MET_INT"},
                                       TypeNames{ElementType::i8, "long", "Int64", "Int", "MET_LONG_LONG"},
                                       TypeNames{ElementType::u1, "ubyte", "UInt8", "UChar", "MET_UCHAR"},
                                       TypeNames{ElementType::u2, "ushort", "UInt16", "UShort", "MET_USHORT"},
                                       TypeNames{ElementType::u4, "uint", "UInt32", "UInt", "MET_UINT"},
                                       TypeNames{ElementType::u8, "ulong", "UInt64", "UInt", "MET_ULONG_LONG"},
                                       TypeNames{ElementType::f4, "float", "Float32", "Float", "MET_FLOAT"},
                                       TypeNames{ElementType::f8, "double", "Float64", "Float", "MET_DOUBLE"},
                                       TypeNames{ElementType::text, "char", "", "UChar", "MET_UCHAR"}};

/// Local. Returns the names of a type.
[[nodiscard]] constexpr const TypeNames& names_of(ElementType type) {
  std::size_t i = 0;
  while (type_names[i].type != type) ++i;
  return type_names[i];
}

/// Local. Returns the first type whose name in the given format is `name`; nullopt if there is none.
[[nodiscard]] constexpr std::optional<ElementType> type_named(std::string_view TypeNames::*format,
                                                              std::string_view name) {
  for (const TypeNames& each : type_names) {
    if (!name.empty() && each.*format == name) return each.type;
  }
  return std::nullopt;
}

}  // namespace sill::image
