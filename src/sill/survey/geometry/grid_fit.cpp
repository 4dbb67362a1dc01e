#include "sill/survey/geometry/grid_fit.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace sill {
namespace {

constexpr int rounds_without_outliers = 2;
constexpr double outlier_medians = 4.0;
constexpr double outlier_sides = 0.25;
// If 1 - r^2 of inline and crossline numbers is below this, the numbers vary in one direction only.
constexpr double min_independence = 1e-9;
constexpr double full_turn = 360.0;

double distance_of(const GridFit& fit, const PlacedTrace& trace) {
  return std::hypot(trace.x - (fit.x0 + trace.iline * fit.x_iline + trace.xline * fit.x_xline),
                    trace.y - (fit.y0 + trace.iline * fit.y_iline + trace.xline * fit.y_xline));
}

// Returns the plain fit, computed about the means, so that large coordinates cost no precision.
std::optional<GridFit> fit_once(std::span<const PlacedTrace> traces) {
  if (traces.size() < 3) return std::nullopt;
  const auto n = static_cast<double>(traces.size());
  // Relative to the first trace: means of differences are exact, means of large numbers are not.
  const PlacedTrace base = traces.front();
  PlacedTrace mean;
  for (const PlacedTrace& t : traces) {
    mean.iline += (t.iline - base.iline) / n;
    mean.xline += (t.xline - base.xline) / n;
    mean.x += (t.x - base.x) / n;
    mean.y += (t.y - base.y) / n;
  }
  double ii = 0.0, ij = 0.0, jj = 0.0, ix = 0.0, jx = 0.0, iy = 0.0, jy = 0.0;
  for (const PlacedTrace& t : traces) {
    const double i = t.iline - base.iline - mean.iline;
    const double j = t.xline - base.xline - mean.xline;
    const double x = t.x - base.x - mean.x;
    const double y = t.y - base.y - mean.y;
    ii += i * i;
    ij += i * j;
    jj += j * j;
    ix += i * x;
    jx += j * x;
    iy += i * y;
    jy += j * y;
  }
  const double determinant = ii * jj - ij * ij;
  if (!(determinant > min_independence * ii * jj)) return std::nullopt;
  GridFit fit;
  fit.x_iline = (ix * jj - jx * ij) / determinant;
  fit.x_xline = (jx * ii - ix * ij) / determinant;
  fit.y_iline = (iy * jj - jy * ij) / determinant;
  fit.y_xline = (jy * ii - iy * ij) / determinant;
  const double mean_iline = base.iline + mean.iline;
  const double mean_xline = base.xline + mean.xline;
  fit.x0 = base.x + mean.x - mean_iline * fit.x_iline - mean_xline * fit.x_xline;
  fit.y0 = base.y + mean.y - mean_iline * fit.y_iline - mean_xline * fit.y_xline;
  fit.fitted = static_cast<std::int64_t>(traces.size());
  double squares = 0.0;
  for (const PlacedTrace& t : traces) squares += std::pow(distance_of(fit, t), 2);
  fit.rms = std::sqrt(squares / n);
  return fit;
}

Corner corner_of(const GridFit& fit, Place place) {
  const auto iline = static_cast<double>(place.iline);
  const auto xline = static_cast<double>(place.xline);
  return {place, fit.x0 + iline * fit.x_iline + xline * fit.x_xline,
          fit.y0 + iline * fit.y_iline + xline * fit.y_xline};
}

}  // namespace

double azimuth_of(double x, double y) {
  constexpr double rounding = 1e-9;  // of coordinates: slightly to the left of north is north, not a full turn
  const double degrees = std::atan2(x, y) * (full_turn / 2.0) / std::numbers::pi;
  if (degrees < -rounding) return degrees + full_turn;
  return std::max(degrees, 0.0);
}

double smaller_side(const GridFit& fit, double iline_step, double xline_step) {
  return std::min(std::hypot(fit.x_iline, fit.y_iline) * iline_step, std::hypot(fit.x_xline, fit.y_xline) * xline_step);
}

std::optional<GridFit> fit_positions(std::span<const PlacedTrace> traces, double iline_step, double xline_step) {
  std::optional<GridFit> fit = fit_once(traces);
  std::vector<PlacedTrace> kept(traces.begin(), traces.end());
  for (int round = 0; fit && round < rounds_without_outliers; ++round) {
    std::vector<double> distances;
    for (const PlacedTrace& t : kept) distances.push_back(distance_of(*fit, t));
    std::vector<double> ordered = distances;
    const auto middle = ordered.begin() + static_cast<std::ptrdiff_t>(ordered.size() / 2);
    std::nth_element(ordered.begin(), middle, ordered.end());
    const double limit =
        std::max(outlier_medians * *middle, outlier_sides * smaller_side(*fit, iline_step, xline_step));
    std::vector<PlacedTrace> nearer;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      if (distances[i] <= limit) nearer.push_back(kept[i]);
    }
    if (nearer.size() == kept.size()) break;
    const std::optional<GridFit> better = fit_once(nearer);
    if (!better) break;
    fit = better;
    kept = std::move(nearer);
  }
  return fit;
}

void describe_fit(GridFit& fit, const LineAxis& ilines, const LineAxis& xlines, CoordinateUnit unit) {
  fit.corners = {corner_of(fit, {ilines.first, xlines.first}), corner_of(fit, {ilines.first, xlines.last}),
                 corner_of(fit, {ilines.last, xlines.last}), corner_of(fit, {ilines.last, xlines.first})};
  const double iline = std::hypot(fit.x_iline, fit.y_iline);
  const double xline = std::hypot(fit.x_xline, fit.y_xline);
  const double area = std::abs(fit.x_iline * fit.y_xline - fit.y_iline * fit.x_xline);
  constexpr double min_sine = 1e-3;
  fit.good = fit.far == 0 && area > min_sine * iline * xline;
  if (!is_length(unit)) return;
  fit.between_ilines = iline * static_cast<double>(ilines.step);
  fit.between_xlines = xline * static_cast<double>(xlines.step);
  fit.iline_azimuth = azimuth_of(fit.x_xline, fit.y_xline);
  double angle = azimuth_of(fit.x_iline, fit.y_iline) - *fit.iline_azimuth;
  if (angle > full_turn / 2.0) angle -= full_turn;
  if (angle <= -full_turn / 2.0) angle += full_turn;
  fit.angle = angle;
}

std::optional<double> relative_width(std::span<const PlacedTrace> points) {
  if (points.empty()) return std::nullopt;
  const PlacedTrace base = points.front();
  const auto n = static_cast<double>(points.size());
  double mean_x = 0.0, mean_y = 0.0;
  for (const PlacedTrace& p : points) {
    mean_x += (p.x - base.x) / n;
    mean_y += (p.y - base.y) / n;
  }
  double xx = 0.0, xy = 0.0, yy = 0.0;
  for (const PlacedTrace& p : points) {
    const double x = p.x - base.x - mean_x;
    const double y = p.y - base.y - mean_y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  // The eigenvalues of the covariance are the variances along and across the main direction.
  const double half = (xx + yy) / 2.0;
  const double root = std::hypot((xx - yy) / 2.0, xy);
  if (!(half + root > 0.0)) return std::nullopt;
  return std::sqrt(std::max(0.0, half - root) / (half + root));
}

}  // namespace sill
