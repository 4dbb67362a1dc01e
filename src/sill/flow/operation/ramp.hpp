// Weights that rise from 0 to 1.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string_view>

namespace sill::flow {

enum class RampShape : std::uint8_t { linear, cosine2, sine };

/// The names of the shapes, in the order of `RampShape`; `hann`, the last name, is a synonym of cosine2.
inline constexpr std::array<std::string_view, 4> ramp_shapes{"linear", "cosine2", "sine", "hann"};

/// Local. Returns the shape of the name with this index in `ramp_shapes`.
[[nodiscard]] constexpr RampShape ramp_shape(std::size_t index) {
  return index == 3 ? RampShape::cosine2 : static_cast<RampShape>(index);
}

/// Local. Returns the weight at `distance` after the start of a ramp of `length`, in equal units: 0 before the start, 1
/// after the end. For a length of 0, the weight is 1 from the start.
[[nodiscard]] inline double ramp_weight(RampShape shape, double distance, double length) {
  if (length <= 0.0) return distance >= 0.0 ? 1.0 : 0.0;
  const double u = std::clamp(distance / length, 0.0, 1.0);
  switch (shape) {
    case RampShape::linear: return u;
    case RampShape::cosine2: return 0.5 * (1.0 - std::cos(std::numbers::pi * u));
    case RampShape::sine: return std::sin(0.5 * std::numbers::pi * u);
  }
  return u;
}

}  // namespace sill::flow
