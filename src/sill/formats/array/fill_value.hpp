// The values of elements that no rank writes.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/element_conversion.hpp"
#include "sill/plan/extent.hpp"

namespace sill {

/// Local. Fills `bytes` with repetitions of `element`, starting at byte `first` of it. Preconditions: `element` is not
/// empty; 0 <= first.
void repeat_element(std::span<const std::byte> element, std::int64_t first, std::span<std::byte> bytes);

/// Local. Returns an element in the form of a file with the fill value of a variable, at the beginning of 8 bytes: its
/// attribute `_FillValue`, if that is a single value that can be converted to the type of the file; otherwise the
/// default of the type. Source: netcdf.h (NC_FILL_BYTE, …).
[[nodiscard]] std::array<std::byte, 8> fill_element(const Variable& variable, ElementForm file);

/// Local. Returns an attribute of a variable; `_FillValue` as `fill_of_type` does, because elements that no rank writes
/// have this value. Variables with a zarr_type have no such type. Errors: usage for another `_FillValue`.
[[nodiscard]] Attribute with_type_of(const Variable& variable, Attribute attribute);

/// Local. Returns the description with each attribute as `with_type_of` returns it. Errors: as with_type_of.
[[nodiscard]] DatasetDescription with_types_of_fill_values(DatasetDescription description);

/// Local. Returns true if the attribute has the value that `with_fill_values` adds to a variable of type `type`.
[[nodiscard]] bool is_default_fill(const Attribute& attribute, ElementType type);

/// Fills bytes with `fill_element`.
class FillEncoder final : public Encoder {
 public:
  FillEncoder(const Variable& variable, ElementForm file)
      : element_(fill_element(variable, file)), element_bytes_(bytes_of(file.type)) {}

  void fill(ByteRange range, std::span<std::byte> bytes) const override;
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  std::array<std::byte, 8> element_;
  std::int64_t element_bytes_;
};

/// Local. Returns the description with an attribute `_FillValue`, with the default of the type, added to each variable
/// that has no such attribute, so that readers mask elements that no rank writes. No attribute is added to variables of
/// text and of one-byte types, because any of their values may be valid, and to coordinate variables, which must not
/// have missing values. Sources: NetCDF Users Guide, attribute conventions; CF 1.11, 2.5.1.
[[nodiscard]] DatasetDescription with_fill_values(DatasetDescription description);

}  // namespace sill
