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

}  // namespace sill
