// Measures of the distance between the positions of two traces.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace sill {

/// DSDR, the distance of the sources plus the distance of the receivers. Points: group, sx, sy, gx, gy; points of
/// different groups are infinitely far apart. `reciprocal`: the smaller of DSDR and DSDR with source and receiver of
/// one trace exchanged. Bounds are rounded like distances: each operation is monotone.
struct SourceReceiverDistance {
  using Point = std::array<double, 5>;
  bool reciprocal = false;

  [[nodiscard]] double distance(const Point& a, const Point& b) const {
    if (a[0] != b[0]) return std::numeric_limits<double>::infinity();
    const double same = apart(a, source, b, source) + apart(a, receiver, b, receiver);
    return reciprocal ? std::min(same, apart(a, source, b, receiver) + apart(a, receiver, b, source)) : same;
  }

  [[nodiscard]] double bound(const Point& from, const Point& low, const Point& high) const {
    if (from[0] < low[0] || from[0] > high[0]) return std::numeric_limits<double>::infinity();
    const double same = beyond(from, source, low, high, source) + beyond(from, receiver, low, high, receiver);
    return reciprocal
               ? std::min(same, beyond(from, source, low, high, receiver) + beyond(from, receiver, low, high, source))
               : same;
  }

 private:
  // Returns the distance between position `of_a` of `a` (its source or its receiver) and position `of_b` of `b`.
  [[gnu::always_inline]] static double apart(const Point& a, std::size_t of_a, const Point& b, std::size_t of_b) {
    const double x = a[of_a] - b[of_b];
    const double y = a[of_a + 1] - b[of_b + 1];
    return std::sqrt(x * x + y * y);
  }
  // Returns the distance from position `of_from` of `from` to a rectangle.
  [[gnu::always_inline]] static double beyond(const Point& from, std::size_t of_from, const Point& low,
                                              const Point& high, std::size_t of_box) {
    const auto outside = [](double at, double min, double max) { return std::max(std::max(min - at, at - max), 0.0); };
    const double x = outside(from[of_from], low[of_box], high[of_box]);
    const double y = outside(from[of_from + 1], low[of_box + 1], high[of_box + 1]);
    return std::sqrt(x * x + y * y);
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
    // Between the two, an angle is smallest at an end, unless half a turn, which is 0 with reciprocity, is between
    // them.
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
