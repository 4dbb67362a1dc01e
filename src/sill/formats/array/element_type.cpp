#include "sill/formats/array/element_type.hpp"

#include <algorithm>
#include <array>

namespace sill {
namespace {

constexpr std::array<std::string_view, 11> names{"i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f4", "f8", "text"};

}  // namespace

std::string_view name_of(ElementType type) { return names[static_cast<std::size_t>(type)]; }

std::optional<ElementType> element_type_named(std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<ElementType>(found - names.begin());
}

}  // namespace sill
