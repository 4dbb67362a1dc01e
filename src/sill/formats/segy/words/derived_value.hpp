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

/// `offset`: the distance between source and receiver. `azimuth`: the direction from source to receiver in degrees
/// clockwise from +y, in [0, 360), or 0 where source and receiver coincide. `midpoint_x`, `midpoint_y`: the point
/// midway between source and receiver.
enum class DerivedKind : std::uint8_t { offset, azimuth, midpoint_x, midpoint_y };

/// A derived value of a trace, computed in double precision from the true values of the words sx, sy, gx and gy of a
/// header map.
class DerivedValue {
 public:
  /// Local. Returns the names "calc_offset", "azimuth", "midpoint_x", "midpoint_y".
  [[nodiscard]] static std::span<const std::string_view> names();

  /// Local. Returns the derived value called `name` (case is ignored), or nullopt if there is no derived value of that
  /// name. Errors: usage, if `map` does not have the required words, or does not have the scalars that the true values
  /// of these words need.
  [[nodiscard]] static std::optional<DerivedValue> named(std::string_view name, const HeaderMap& map);

  [[nodiscard]] DerivedKind kind() const { return kind_; }
  /// Local. Returns the bytes of a trace, from 0, that `value` reads.
  [[nodiscard]] TrueBytes needed_bytes() const { return needed_bytes_; }

  /// Local. Returns the value, in the unit of the coordinates or in degrees. `header` is the address of byte 1 of the
  /// trace. Errors: input, without a location, if the coordinates are angles (bytes 89-90).
  [[nodiscard]] double value(const std::byte* header, ByteOrder order) const;

 private:
  DerivedKind kind_ = DerivedKind::offset;
  std::vector<WordRef> coordinates_;  // sx, sy, gx, gy
  std::optional<WordRef> unit_;       // the word that states the unit of the coordinates
  TrueBytes needed_bytes_;
};

}  // namespace sill::segy
