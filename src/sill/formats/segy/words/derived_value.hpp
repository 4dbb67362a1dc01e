// Values derived from the coordinates of a trace: distance, direction and midpoint of source and receiver.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "sill/formats/segy/words/header_map.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// The distance of source and receiver; the direction from source to receiver in degrees clockwise from +y, in
/// [0, 360), 0 where they coincide; the point midway between them.
enum class DerivedKind : std::uint8_t { offset, azimuth, midpoint_x, midpoint_y };

/// A derived value of a map's traces: from the true values of its words sx, sy, gx and gy, in double.
class DerivedValue {
 public:
  /// Local. "calc_offset", "azimuth", "midpoint_x", "midpoint_y".
  [[nodiscard]] static std::span<const std::string_view> names();

  /// Local. The value of that name, in any case; nothing if none has it. Errors: usage, if `map` has not the words, or
  /// not the scalars that their true values need.
  [[nodiscard]] static std::optional<DerivedValue> named(std::string_view name, const HeaderMap& map);

  [[nodiscard]] DerivedKind kind() const { return kind_; }
  /// Local. The bytes of a trace, from 0, that it looks at.
  [[nodiscard]] TrueBytes needed_bytes() const { return needed_bytes_; }

  /// Local. The value, in the unit of the coordinates or in degrees. `header` is the address of byte 1 of the trace.
  /// Errors: input, without a place, if the coordinates are angles (bytes 89-90).
  [[nodiscard]] double value(const std::byte* header, ByteOrder order) const;

 private:
  DerivedKind kind_ = DerivedKind::offset;
  std::vector<WordRef> coordinates_;  // sx, sy, gx, gy
  std::optional<WordRef> unit_;       // of the coordinates
  TrueBytes needed_bytes_;
};

}  // namespace sill::segy
