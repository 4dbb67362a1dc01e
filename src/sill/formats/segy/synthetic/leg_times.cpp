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

// The numbers of two legs, on which a processor works at once.
using Pair = double __attribute__((vector_size(16)));

// Weights of four nodes for the value of a cubic polynomial at 0 <= x <= 1 between the second and the third node, and
// for its derivatives.
template <class Number>
struct CubicWeights {
  std::array<Number, 4> value;
  std::array<Number, 4> first;
  std::array<Number, 4> second;

  explicit CubicWeights(Number x)
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

std::array<LegTime, 2> LegTimes::at(std::array<double, 2> distances_m, double depth_m) const {
  const Pair columns = Pair{distances_m[0], distances_m[1]} / distance_step_m;
  const double row = (depth_m - water_depth_m) / depth_step_m;
  // The interpolation uses four columns and four rows of the table. These are the indices of the first ones; column 0
  // of the table is at -80 m.
  const std::array first_columns{static_cast<std::int64_t>(columns[0]), static_cast<std::int64_t>(columns[1])};
  const auto first_row = static_cast<std::int64_t>(row) - 1;
  const CubicWeights<Pair> x(columns -
                             Pair{static_cast<double>(first_columns[0]), static_cast<double>(first_columns[1])});
  const CubicWeights<double> y(row - static_cast<double>(first_row + 1));
  std::array<Pair, 4> value{};
  std::array<Pair, 4> first{};
  std::array<Pair, 4> second{};
  for (std::size_t i = 0; i < 4; ++i) {
    const double* const nodes = squares_.data() + (first_row + static_cast<std::int64_t>(i)) * distances;
    for (std::size_t j = 0; j < 4; ++j) {
      const Pair node{nodes[first_columns[0] + static_cast<std::int64_t>(j)],
                      nodes[first_columns[1] + static_cast<std::int64_t>(j)]};
      value[j] += y.value[i] * node;
      first[j] += y.first[i] * node;
      second[j] += y.second[i] * node;
    }
  }
  Pair t{};  // of the square of the time, like the following derivatives
  Pair r{};
  Pair z{};
  Pair rr{};
  Pair rz{};
  Pair zz{};
  for (std::size_t j = 0; j < 4; ++j) {
    t += x.value[j] * value[j];
    r += x.first[j] * value[j];
    rr += x.second[j] * value[j];
    z += x.value[j] * first[j];
    rz += x.first[j] * first[j];
    zz += x.value[j] * second[j];
  }
  t = Pair{std::sqrt(t[0]), std::sqrt(t[1])};
  r /= 2.0 * t * distance_step_m;
  z /= 2.0 * t * depth_step_m;
  rr = (0.5 * (rr / (distance_step_m * distance_step_m)) - r * r) / t;
  rz = (0.5 * (rz / (distance_step_m * depth_step_m)) - r * z) / t;
  zz = (0.5 * (zz / (depth_step_m * depth_step_m)) - z * z) / t;
  return {LegTime{t[0], r[0], z[0], rr[0], rz[0], zz[0]}, LegTime{t[1], r[1], z[1], rr[1], rz[1], zz[1]}};
}

}  // namespace sill::segy
