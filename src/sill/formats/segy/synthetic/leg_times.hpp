// Travel times in a medium whose velocity depends only on depth: water, and below the sea floor a velocity that
// increases linearly with depth.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace sill::segy {

inline constexpr double water_velocity_m_s = 1500.0;
inline constexpr double water_depth_m = 300.0;
inline constexpr double top_velocity_m_s = 1600.0;    ///< directly below the sea floor; above it is water
inline constexpr double velocity_gradient_1_s = 0.6;  ///< below the sea floor

/// Local. Returns the velocity at a depth below the sea floor.
[[nodiscard]] constexpr double velocity_at(double depth_m) {
  return top_velocity_m_s + velocity_gradient_1_s * (depth_m - water_depth_m);
}

/// Local. Returns the two-way vertical time of a depth below the sea floor.
[[nodiscard]] double vertical_time_s(double depth_m);

/// Local. Returns the root-mean-square velocity from the surface to a two-way vertical time; the velocity of water at
/// time 0.
[[nodiscard]] double rms_velocity_m_s(double time_s);

/// A one-way time with its derivatives with respect to distance (r) and depth (z).
struct LegTime {
  double t = 0.0;
  double r = 0.0;
  double z = 0.0;
  double rr = 0.0;
  double rz = 0.0;
  double zz = 0.0;
};

/// One-way times from the surface to points below the sea floor, tabulated once.
///
/// A ray crosses the sea floor where its time is least (Fermat). Below the sea floor the ray is an arc of a circle, on
/// which t = acosh(1 + k^2 (h^2 + d^2) / (2 v1 v2)) / k for two points with the horizontal distance h and the vertical
/// distance d (Slotnick 1959). The table contains t^2, which is nearly a polynomial of second degree. Between its nodes
/// the table is interpolated by cubic polynomials in both directions.
class LegTimes {
 public:
  LegTimes();

  /// Local. Returns true if the table contains a point at this horizontal distance and depth.
  [[nodiscard]] static bool covers(double distance_m, double depth_m);

  /// Local. Returns the times at two distances with their derivatives. Precondition: `covers(distance_m, depth_m)` for
  /// both.
  [[nodiscard]] std::array<LegTime, 2> at(std::array<double, 2> distances_m, double depth_m) const;

  /// Local. Returns the one-way time computed by Fermat's principle, without the table. The table is filled with these
  /// times.
  [[nodiscard]] static double exact_s(double distance_m, double depth_m);

 private:
  std::vector<double> squares_;  ///< squared times; one row per depth
};

}  // namespace sill::segy
