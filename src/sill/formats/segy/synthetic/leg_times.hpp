// Travel times in a medium whose velocity depends on depth alone: water, below it a velocity that grows linearly.
#pragma once

#include <cstdint>
#include <vector>

namespace sill::segy {

inline constexpr double water_velocity_m_s = 1500.0;
inline constexpr double water_depth_m = 300.0;
inline constexpr double top_velocity_m_s = 1600.0;    ///< at the sea floor, from above it is that of water
inline constexpr double velocity_gradient_1_s = 0.6;  ///< below the sea floor

/// Velocity at a depth below the sea floor.
[[nodiscard]] constexpr double velocity_at(double depth_m) {
  return top_velocity_m_s + velocity_gradient_1_s * (depth_m - water_depth_m);
}

/// Local. Two-way vertical time of a depth below the sea floor.
[[nodiscard]] double vertical_time_s(double depth_m);

/// Local. Root-mean-square velocity from the surface to a two-way vertical time; that of water at 0.
[[nodiscard]] double rms_velocity_m_s(double time_s);

/// A one-way time with its derivatives by distance and depth.
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
/// A ray crosses the sea floor where its time is least (Fermat); below it is an arc of a circle, on which
/// t = acosh(1 + k^2 (h^2 + d^2) / (2 v1 v2)) / k for points h apart and d below each other (Slotnick 1959). The table
/// holds t^2, which is nearly a polynomial of second degree; between its nodes it is a cubic one in both directions.
class LegTimes {
 public:
  LegTimes();

  /// Local. Returns true if a point at this horizontal distance and depth lies in the table.
  [[nodiscard]] static bool covers(double distance_m, double depth_m);

  /// Local. Precondition: `covers`.
  [[nodiscard]] LegTime at(double distance_m, double depth_m) const;

  /// Local. The same from Fermat's principle, without the table: what it is made of.
  [[nodiscard]] static double exact_s(double distance_m, double depth_m);

 private:
  std::vector<double> squares_;  ///< row by row of depth
};

}  // namespace sill::segy
