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

/// The names of the shapes, in their order; `hann` is the last and means cosine2.
inline constexpr std::array<std::string_view, 4> ramp_shapes{"linear", "cosine2", "sine", "hann"};

/// Local. The shape whose name has that index in `ramp_shapes`.
[[nodiscard]] constexpr RampShape ramp_shape(std::size_t index) {
  return index == 3 ? RampShape::cosine2 : static_cast<RampShape>(index);
}

/// Local. The weight at `distance` behind the beginning of a ramp of `length`, in equal units: 0 before it, 1 after its
/// end; without a length 1 from the beginning on.
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
