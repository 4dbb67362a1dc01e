// How far the positions of two traces are apart.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sill {

/// DSDR, the distance of the sources plus the distance of the receivers. Points: group, sx, sy, gx, gy; those of
/// different groups are infinitely far apart. `reciprocal`: the smaller of that and the same with source and receiver
/// of one trace exchanged. Its bounds round as distances do: each operation is monotone.
struct SourceReceiverDistance {
  using Point = std::array<double, 5>;
  bool reciprocal = false;

  [[nodiscard]] double distance(const Point& a, const Point& b) const {
    if (a[0] != b[0]) return std::numeric_limits<double>::infinity();
    const auto apart = [&](std::size_t of_a, std::size_t of_b) {
      const double x = a[of_a] - b[of_b];
      const double y = a[of_a + 1] - b[of_b + 1];
      return std::sqrt(x * x + y * y);
    };
    return smaller(apart);
  }

  [[nodiscard]] double bound(const Point& from, const Point& low, const Point& high) const {
    if (from[0] < low[0] || from[0] > high[0]) return std::numeric_limits<double>::infinity();
    const auto apart = [&](std::size_t of_from, std::size_t of_box) {
      const double x = beyond(from[of_from], low[of_box], high[of_box]);
      const double y = beyond(from[of_from + 1], low[of_box + 1], high[of_box + 1]);
      return std::sqrt(x * x + y * y);
    };
    return smaller(apart);
  }

 private:
  // How far a coordinate is from a range.
  static double beyond(double at, double low, double high) { return std::max(std::max(low - at, at - high), 0.0); }

  template <class Apart>
  [[nodiscard]] double smaller(const Apart& apart) const {
    const double same = apart(source, source) + apart(receiver, receiver);
    return reciprocal ? std::min(same, apart(source, receiver) + apart(receiver, source)) : same;
  }

  static constexpr std::size_t source = 1;
  static constexpr std::size_t receiver = 3;
};

/// The angle between the directions from source to receiver, 0 to 180 degrees. Points: group, azimuth from 0 to 360.
/// `reciprocal`: opposite directions are equal, 0 to 90 degrees.
struct AzimuthDifference {
  using Point = std::array<double, 2>;
  bool reciprocal = false;

  [[nodiscard]] double distance(const Point& a, const Point& b) const { return bound(a, b, b); }

  [[nodiscard]] double bound(const Point& from, const Point& low, const Point& high) const {
    if (from[0] < low[0] || from[0] > high[0]) return std::numeric_limits<double>::infinity();
    const double nearest = std::max({low[1] - from[1], 0.0, from[1] - high[1]});
    const double farthest = std::max(std::abs(low[1] - from[1]), std::abs(high[1] - from[1]));
    // Between the two an angle is smallest at an end, unless half a turn, which reciprocity makes 0, lies there.
    if (reciprocal && nearest <= 180.0 && farthest >= 180.0) return 0.0;
    return std::min(angle(nearest), angle(farthest));
  }

 private:
  [[nodiscard]] double angle(double degrees) const {
    const double turned = std::min(degrees, 360.0 - degrees);
    return reciprocal ? std::min(turned, 180.0 - turned) : turned;
  }
};

}  // namespace sill
