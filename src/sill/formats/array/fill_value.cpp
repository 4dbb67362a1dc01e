#include "sill/formats/array/fill_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

#include "sill/base/byte_order.hpp"
#include "sill/base/error.hpp"
#include "sill/base/user_text.hpp"

namespace sill {
namespace {

template <class T>
T default_fill() {
  if constexpr (std::is_same_v<T, char>) {
    return '\0';
  } else if constexpr (std::is_floating_point_v<T>) {
    return static_cast<T>(9.9692099683868690e+36F);
  } else if constexpr (sizeof(T) == 8) {
    // NC_FILL_INT64 and NC_FILL_UINT64 do not follow the rule of the smaller types.
    return std::is_signed_v<T> ? std::numeric_limits<T>::min() + 2 : std::numeric_limits<T>::max() - 1;
  } else {
    return std::is_signed_v<T> ? static_cast<T>(std::numeric_limits<T>::min() + 1) : std::numeric_limits<T>::max();
  }
}

}  // namespace

void repeat_element(std::span<const std::byte> element, std::int64_t first, std::span<std::byte> bytes) {
  std::size_t done = std::min(element.size(), bytes.size());
  const auto from = static_cast<std::size_t>(first);
  for (std::size_t i = 0; i < done; ++i) bytes[i] = element[(from + i) % element.size()];
  while (done < bytes.size()) {  // whole elements
    const std::size_t more = std::min(done, bytes.size() - done);
    std::memcpy(bytes.data() + done, bytes.data(), more);
    done += more;
  }
}

std::array<std::byte, 8> fill_element(const Variable& variable, ElementForm file) {
  std::array<std::byte, 8> element{};
  visit_type(file.type, [&](auto of_type) { store(element.data(), default_fill<decltype(of_type)>(), file.order); });
  for (const Attribute& attribute : variable.attributes) {
    if (attribute.name != "_FillValue" || attribute.count() != 1) continue;
    if (!is_convertible(attribute.type, file.type)) continue;
    convert_elements(attribute.values.data(), {0, {attribute.type}}, element.data(), {0, file}, 1);
  }
  return element;
}

DatasetDescription with_fill_values(DatasetDescription description) {
  for (Variable& variable : description.variables) {
    const bool is_coordinate = std::ranges::find(variable.dimensions, variable.name) != variable.dimensions.end();
    const bool has_one =
        std::ranges::find(variable.attributes, "_FillValue", &Attribute::name) != variable.attributes.end();
    if (is_coordinate || has_one || bytes_of(variable.type) == 1) continue;
    visit_type(variable.type, [&](auto of_type) {
      if constexpr (!std::is_same_v<decltype(of_type), char>)
        variable.attributes.emplace_back("_FillValue", default_fill<decltype(of_type)>());
    });
  }
  return description;
}

Attribute with_type_of(const Variable& variable, Attribute attribute) {
  if (attribute.name != "_FillValue" || !variable.zarr_type.empty()) return attribute;
  if (std::optional<Attribute> fill = fill_of_type(attribute, variable.type)) return std::move(*fill);
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("variable {}: its attribute _FillValue is {}, of type {}, which is not one value "
                                      "of type {}",
                                      echoed(variable.name), echoed(attribute.text()), name_of(attribute.type),
                                      name_of(variable.type)),
               .action = "give a value that elements of the variable can have, or give the variable another type"});
}

DatasetDescription with_types_of_fill_values(DatasetDescription description) {
  for (Variable& variable : description.variables) {
    for (Attribute& each : variable.attributes) each = with_type_of(variable, std::move(each));
  }
  return description;
}

bool is_default_fill(const Attribute& attribute, ElementType type) {
  const DatasetDescription of_type = with_fill_values({.variables = {{.name = "v", .type = type}}});
  const std::vector<Attribute>& added = of_type.variables.front().attributes;
  return !added.empty() && attribute == added.front();
}

void FillEncoder::fill(ByteRange range, std::span<std::byte> bytes) const {
  repeat_element(std::span(element_).first(static_cast<std::size_t>(element_bytes_)), range.offset, bytes);
}

}  // namespace sill
