#include "sill/survey/timelapse/repeatability.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>

namespace sill {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double tolerance = 1e-6;  // of a largest lag that is computed from times

// Returns the sum of a[t] b[t].
double product_of(std::span<const float> a, std::span<const float> b) {
  double sum = 0.0;
  for (std::size_t t = 0; t < a.size(); ++t) sum += static_cast<double>(a[t]) * static_cast<double>(b[t]);
  return sum;
}

// Returns the segment of `a` that overlaps with `b` at a lag: a[t + lag], for all t that `b` also has.
std::span<const float> overlap(std::span<const float> a, int lag) {
  const std::size_t missing = std::min(static_cast<std::size_t>(std::abs(lag)), a.size());
  return lag >= 0 ? a.subspan(missing) : a.first(a.size() - missing);
}

// Returns the sum of a[t + lag] b[t].
double correlation(std::span<const float> a, std::span<const float> b, int lag) {
  return product_of(overlap(a, lag), overlap(b, -lag));
}

double predictability_of(std::span<const float> base, std::span<const float> monitor, int max_lag) {
  double cross = 0.0;
  double own = 0.0;
  for (int lag = -max_lag; lag <= max_lag; ++lag) {
    const double both = correlation(monitor, base, lag);
    cross += both * both;
    own += correlation(monitor, monitor, lag) * correlation(base, base, lag);
  }
  return own > 0.0 ? 100.0 * cross / own : nan;
}

}  // namespace

CorrelationShift correlation_shift(std::span<const float> base, std::span<const float> monitor, double max_lag) {
  // The correlation of only a few overlapping samples is meaningless.
  max_lag = std::min(max_lag, static_cast<double>(std::min<std::size_t>(base.size() / 2, 1U << 30)));
  const auto largest = static_cast<int>(max_lag + tolerance);
  const auto coefficient = [&](int lag) {
    const std::span<const float> m = overlap(monitor, lag);
    const std::span<const float> b = overlap(base, -lag);
    const double energies = product_of(m, m) * product_of(b, b);
    return energies > 0.0 ? product_of(m, b) / std::sqrt(energies) : 0.0;
  };
  int best = 0;
  double highest = coefficient(0);
  for (int distance = 1; distance <= largest; ++distance)
    for (const int lag : {distance, -distance})
      if (const double one = coefficient(lag); one > highest) {
        best = lag;
        highest = one;
      }
  if (!(highest > 0.0)) return {nan};
  if (max_lag < tolerance) return {0.0};
  double shift = best;
  // Also computes the coefficients beyond the largest lag, to interpolate a maximum at it.
  const double before = coefficient(best - 1);
  const double after = coefficient(best + 1);
  const double cosine = (before + after) / (2.0 * highest);
  if (cosine > -1.0 && cosine < 1.0) {
    const double turn = std::acos(cosine);
    shift -= std::atan((before - after) / (2.0 * highest * std::sin(turn))) / turn;
  } else if (std::max(before, after) > highest) {
    shift = std::copysign(max_lag, after - before);
  }
  if (std::abs(shift) < max_lag) return {shift};
  return {std::copysign(max_lag, shift), true};
}

Repeatability repeatability_of(std::span<const float> base, std::span<const float> monitor, double max_lag,
                               double interval_ms, double later) {
  const auto is_finite = [](float x) { return std::isfinite(x); };
  if (base.empty() || !std::ranges::all_of(base, is_finite) || !std::ranges::all_of(monitor, is_finite))
    return {nan, nan, nan};
  const double rms_sum = std::sqrt(product_of(base, base)) + std::sqrt(product_of(monitor, monitor));
  if (rms_sum == 0.0) return {later == 0.0 ? 0.0 : nan, nan, nan};
  if (later != 0.0) {
    CorrelationShift shift = correlation_shift(base, monitor, max_lag + std::abs(later));
    shift.samples += later;
    if (shift.is_at_limit || std::abs(shift.samples) > max_lag) shift = {std::copysign(max_lag, shift.samples), true};
    return {nan, nan, shift.samples * interval_ms, shift.is_at_limit};
  }
  const CorrelationShift shift = correlation_shift(base, monitor, max_lag);
  double difference = 0.0;
  for (std::size_t t = 0; t < base.size(); ++t) {
    const double d = static_cast<double>(monitor[t]) - static_cast<double>(base[t]);
    difference += d * d;
  }
  return {200.0 * std::sqrt(difference) / rms_sum,
          predictability_of(base, monitor, static_cast<int>(max_lag + tolerance)), shift.samples * interval_ms,
          shift.is_at_limit};
}

}  // namespace sill
