#include "sill/formats/segy/synthetic/leg_times.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace sill::segy {
namespace {

constexpr double distance_step_m = 80.0;
constexpr double depth_step_m = 40.0;
constexpr std::int64_t distances = 102;  // from -80 m, where times equal those at 80 m, to 8,000 m
constexpr std::int64_t depths = 64;      // from the sea floor to 2,820 m

// Weights of four nodes for the value of a cubic polynomial at 0 <= x <= 1 between the second and the third node, and
// for its derivatives.
struct CubicWeights {
  std::array<double, 4> value;
  std::array<double, 4> first;
  std::array<double, 4> second;

  explicit CubicWeights(double x)
      : value{-x * (x - 1) * (x - 2) / 6, (x * x - 1) * (x - 2) / 2, -x * (x + 1) * (x - 2) / 2, x * (x * x - 1) / 6},
        first{-(3 * x * x - 6 * x + 2) / 6, (3 * x * x - 4 * x - 1) / 2, -(3 * x * x - 2 * x - 2) / 2,
              (3 * x * x - 1) / 6},
        second{1 - x, 3 * x - 2, 1 - 3 * x, x} {}
};

}  // namespace

double vertical_time_s(double depth_m) {
  return 2.0 * water_depth_m / water_velocity_m_s +
         2.0 / velocity_gradient_1_s * std::log(velocity_at(depth_m) / top_velocity_m_s);
}

double rms_velocity_m_s(double time_s) {
  constexpr double floor_s = 2.0 * water_depth_m / water_velocity_m_s;
  if (time_s <= floor_s) return water_velocity_m_s;
  // Below the sea floor v = v1 exp(k t / 2), where t is the two-way time from the sea floor.
  const double below = top_velocity_m_s * top_velocity_m_s / velocity_gradient_1_s *
                       std::expm1(velocity_gradient_1_s * (time_s - floor_s));
  return std::sqrt((water_velocity_m_s * water_velocity_m_s * floor_s + below) / time_s);
}

double LegTimes::exact_s(double distance_m, double depth_m) {
  const double below_m = depth_m - water_depth_m;
  const double scale = velocity_gradient_1_s * velocity_gradient_1_s / (2.0 * top_velocity_m_s * velocity_at(depth_m));
  const auto argument = [&](double crossing_m) {
    const double rest_m = distance_m - crossing_m;
    return scale * (rest_m * rest_m + below_m * below_m);  // argument of acosh minus 1
  };
  // The slowness along the surface is the same on both sides of the sea floor.
  const auto excess = [&](double crossing_m) {
    const double u = argument(crossing_m);
    return crossing_m / (water_velocity_m_s * std::hypot(crossing_m, water_depth_m)) -
           2.0 * scale * (distance_m - crossing_m) / (velocity_gradient_1_s * std::sqrt(u * (u + 2.0)));
  };
  double low = 0.0;
  double high = distance_m;
  for (int i = 0; i < 30 && below_m > 0.0; ++i) {
    const double middle = 0.5 * (low + high);
    (excess(middle) > 0.0 ? high : low) = middle;
  }
  const double crossing_m = below_m > 0.0 ? 0.5 * (low + high) : distance_m;
  return std::hypot(crossing_m, water_depth_m) / water_velocity_m_s +
         std::acosh(1.0 + argument(crossing_m)) / velocity_gradient_1_s;
}

LegTimes::LegTimes() {
  squares_.reserve(static_cast<std::size_t>(distances * depths));
  for (std::int64_t row = 0; row < depths; ++row)
    for (std::int64_t column = 0; column < distances; ++column) {
      const double time_s = exact_s(distance_step_m * static_cast<double>(std::abs(column - 1)),
                                    water_depth_m + depth_step_m * static_cast<double>(row));
      squares_.push_back(time_s * time_s);
    }
}

bool LegTimes::covers(double distance_m, double depth_m) {
  return distance_m < distance_step_m * static_cast<double>(distances - 3) && depth_m >= water_depth_m + depth_step_m &&
         depth_m < water_depth_m + depth_step_m * static_cast<double>(depths - 2);
}

LegTime LegTimes::at(double distance_m, double depth_m) const {
  const double column = distance_m / distance_step_m;
  const double row = (depth_m - water_depth_m) / depth_step_m;
  const auto first_column = static_cast<std::int64_t>(column);  // index of the first of four columns; column 0 is at
                                                                // -80 m
  const auto first_row = static_cast<std::int64_t>(row) - 1;
  const CubicWeights x(column - static_cast<double>(first_column));
  const CubicWeights y(row - static_cast<double>(first_row + 1));
  std::array<double, 4> value{};
  std::array<double, 4> first{};
  std::array<double, 4> second{};
  for (std::size_t i = 0; i < 4; ++i) {
    const double* const nodes = squares_.data() + (first_row + static_cast<std::int64_t>(i)) * distances + first_column;
    for (std::size_t j = 0; j < 4; ++j) {
      value[j] += y.value[i] * nodes[j];
      first[j] += y.first[i] * nodes[j];
      second[j] += y.second[i] * nodes[j];
    }
  }
  LegTime square;
  for (std::size_t j = 0; j < 4; ++j) {
    square.t += x.value[j] * value[j];
    square.r += x.first[j] * value[j];
    square.rr += x.second[j] * value[j];
    square.z += x.value[j] * first[j];
    square.rz += x.first[j] * first[j];
    square.zz += x.value[j] * second[j];
  }
  const double t = std::sqrt(square.t);
  LegTime time{.t = t,
               .r = square.r / (2.0 * t * distance_step_m),
               .z = square.z / (2.0 * t * depth_step_m),
               .rr = square.rr / (distance_step_m * distance_step_m),
               .rz = square.rz / (distance_step_m * depth_step_m),
               .zz = square.zz / (depth_step_m * depth_step_m)};
  time.rr = (0.5 * time.rr - time.r * time.r) / t;
  time.rz = (0.5 * time.rz - time.r * time.z) / t;
  time.zz = (0.5 * time.zz - time.z * time.z) / t;
  return time;
}

}  // namespace sill::segy
