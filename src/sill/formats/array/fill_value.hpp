// What elements hold that no rank brings.
#pragma once

#include <array>
#include <cstddef>
#include <span>

#include "sill/formats/array/dataset_description.hpp"
#include "sill/formats/array/element_conversion.hpp"
#include "sill/plan/extent.hpp"

namespace sill {

/// Makes bytes of which every element is the fill value of a variable: that of its attribute `_FillValue` or, without
/// one of its kind, that of its type. Source: netcdf.h (NC_FILL_BYTE, …).
class FillEncoder final : public Encoder {
 public:
  FillEncoder(const Variable& variable, ElementForm file);

  void fill(ByteRange range, std::span<std::byte> bytes) const override;
  [[nodiscard]] bool is_for_threads() const override { return true; }

 private:
  std::array<std::byte, 8> element_{};
  std::int64_t element_bytes_;
};

/// Local. Returns the description with the attribute `_FillValue`, of the type's value, of each variable that has none:
/// so readers mask what no rank brings. Not of text, of types of one byte, of which each value may be meant, and of
/// coordinate variables, which may lack nothing. Sources: NetCDF Users Guide, attribute conventions; CF 1.11, 2.5.1.
[[nodiscard]] DatasetDescription with_fill_values(DatasetDescription description);

}  // namespace sill
