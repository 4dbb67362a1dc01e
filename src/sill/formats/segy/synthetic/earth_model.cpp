#include "sill/formats/segy/synthetic/earth_model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>

namespace sill::segy {
namespace {

// A reflector whose depth undulates about `depth_m`; faults cut the reflectors below the unconformity.
struct Reflector {
  double depth_m;
  double fold_m;
  double throw_m;  // in the graben between two faults; 0 above the unconformity
  double reflectivity;
};

constexpr Reflector unconformity{880.0, 22.0, 0.0, 0.12};
constexpr std::array upper_reflectors{Reflector{430.0, 5.0, 0.0, 0.05}, Reflector{550.0, 14.0, 0.0, -0.04},
                                      Reflector{690.0, 20.0, 0.0, 0.06}};
constexpr std::array lower_reflectors{Reflector{900.0, 130.0, 35.0, -0.08},  Reflector{1040.0, 140.0, 40.0, 0.10},
                                      Reflector{1210.0, 150.0, 50.0, -0.08}, Reflector{1310.0, 155.0, 55.0, 0.04},
                                      Reflector{1430.0, 160.0, 60.0, 0.11},  Reflector{1660.0, 175.0, 70.0, -0.09},
                                      Reflector{1760.0, 180.0, 75.0, -0.04}, Reflector{1960.0, 190.0, 80.0, 0.14}};
constexpr double floor_reflectivity = 0.25;
constexpr double loudness = 0.6;          // amplitude of a reflectivity of 1 at 1 s, as a fraction of full scale
constexpr double image_loudness = 2.0;    // amplitude of a reflectivity of 1 without divergence
constexpr double direct_amplitude = 0.3;  // at `direct_m`
constexpr double direct_m = 150.0;

// Two faults dip towards each other at 60 degrees; the pair repeats along x.
constexpr double period_m = 6000.0;
constexpr std::array fault_x_m{1700.0, 4900.0};  // positions where they meet the mean unconformity
constexpr double reach_m = 700.0;                // from the midpoint to the faults that are modelled

struct Diffractor {
  double x_m;
  double y_m;
  double depth_m;
};
constexpr std::array diffractors{Diffractor{2750.0, 0.0, 1530.0}, Diffractor{3900.0, 700.0, 1300.0}};
constexpr double diffractor_period_y_m = 3000.0;
constexpr double diffractor_amplitude = 0.06;

constexpr double fade_m = 40.0;       // range below the unconformity in which a reflection fades out
constexpr double dominant_hz = 25.0;  // determines how fast an edge diffraction fades
constexpr double radians_per_m(double wavelength_m) { return 2.0 * std::numbers::pi / wavelength_m; }

// A surface at a point, with its derivatives.
struct Depth {
  double z = 0.0;
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double yy = 0.0;
};

// Returns the common shape of all surfaces at a point: sin(k1 x + 0.75) + 0.2 sin(k2 x) + 0.4 sin(k3 y), with
// wavelengths of 7,300, 2,500 and 5,200 m.
Depth form_at(SurfacePoint point) {
  constexpr double k1 = radians_per_m(7300.0);
  constexpr double k2 = radians_per_m(2500.0);
  constexpr double k3 = radians_per_m(5200.0);
  const double a = k1 * point.x_m + 0.75;
  const double b = k2 * point.x_m;
  const double c = k3 * point.y_m;
  const double sin_a = std::sin(a);
  const double sin_b = 0.2 * std::sin(b);
  const double sin_c = 0.4 * std::sin(c);
  return {.z = sin_a + sin_b + sin_c,
          .x = k1 * std::cos(a) + 0.2 * k2 * std::cos(b),
          .y = 0.4 * k3 * std::cos(c),
          .xx = -k1 * k1 * sin_a - k2 * k2 * sin_b,
          .yy = -k3 * k3 * sin_c};
}

Depth depth_of(const Reflector& reflector, const Depth& form, double throw_m) {
  const double fold = reflector.fold_m;
  return {.z = reflector.depth_m + throw_m + fold * form.z,
          .x = fold * form.x,
          .y = fold * form.y,
          .xx = fold * form.xx,
          .yy = fold * form.yy};
}

// A segment of a reflector between two faults, or the complete reflector.
struct Stretch {
  double begin_m = -1e12;
  double end_m = 1e12;
  double throw_m = 0.0;
};

// Returns the x at which a fault cuts a reflector. `number` counts the faults along x; faults of even number are the
// left ones of their pairs.
double edge_of(const Reflector& reflector, std::int64_t number) {
  const std::int64_t pair = number >= 0 ? number / 2 : (number - 1) / 2;
  const bool is_left = number == 2 * pair;
  const double shift_m = (reflector.depth_m - unconformity.depth_m) / std::numbers::sqrt3;
  return fault_x_m[is_left ? 0 : 1] + (is_left ? shift_m : -shift_m) + period_m * static_cast<double>(pair);
}

// Returns the stretch that begins at fault `number`: a graben if this is the left fault of a pair.
Stretch stretch_behind(const Reflector& reflector, std::int64_t number) {
  if (reflector.throw_m == 0.0) return {};
  return {edge_of(reflector, number), edge_of(reflector, number + 1), number % 2 == 0 ? reflector.throw_m : 0.0};
}

// Returns the number of the last fault before x.
std::int64_t fault_before(const Reflector& reflector, double x_m) {
  auto number = 2 * static_cast<std::int64_t>(std::floor(x_m / period_m)) - 1;
  while (edge_of(reflector, number + 1) <= x_m) ++number;
  return number;
}

// Spherical divergence in layers, relative to 1 s in water (Newman 1973).
double divergence(double time_s) {
  const double velocity = rms_velocity_m_s(time_s) / water_velocity_m_s;
  return 1.0 / (velocity * velocity * std::max(time_s, 0.05));
}

// Returns the fraction of the reflection of a lower reflector that remains near the unconformity.
double left_by_unconformity(const Depth& form, double depth_m) {
  return std::clamp((depth_m - depth_of(unconformity, form, 0.0).z) / fade_m, 0.0, 1.0);
}

// Returns the fraction of an edge diffraction that remains at a time after the reflection.
double edge_fading(double after_s) { return 1.0 / (1.0 + 2.0 * std::sqrt(dominant_hz * std::max(0.0, after_s))); }

// The time of a path via a point of a surface, with gradient and second derivatives.
struct Path {
  double t = 0.0;
  double x = 0.0;
  double y = 0.0;
  double xx = 0.0;
  double xy = 0.0;
  double yy = 0.0;
  double cosine = 1.0;  // cosine of the angle to the vertical at the point; the smaller one of both legs

  // Sets the path from one end to the other; returns false if the table does not cover it.
  bool set(const LegTimes& legs, SurfacePoint source, SurfacePoint receiver, SurfacePoint point, const Depth& depth) {
    const std::array<double, 2> r{distance_m(source, point), distance_m(receiver, point)};
    if (!LegTimes::covers(r[0], depth.z) || !LegTimes::covers(r[1], depth.z)) return false;
    const std::array<LegTime, 2> times = legs.at(r, depth.z);
    add(times[0], source, r[0], point, depth);
    add(times[1], receiver, r[1], point, depth);
    return true;
  }

 private:
  static double distance_m(SurfacePoint end, SurfacePoint point) {
    constexpr double nearest_m = 0.01;
    const double dx = point.x_m - end.x_m;
    const double dy = point.y_m - end.y_m;
    return std::max(nearest_m, std::sqrt(dx * dx + dy * dy));
  }

  void add(const LegTime& leg, SurfacePoint end, double r, SurfacePoint point, const Depth& depth) {
    const double ux = (point.x_m - end.x_m) / r;
    const double uy = (point.y_m - end.y_m) / r;
    t += leg.t;
    x += leg.r * ux + leg.z * depth.x;
    y += leg.r * uy + leg.z * depth.y;
    xx += leg.rr * ux * ux + leg.r * uy * uy / r + 2.0 * leg.rz * ux * depth.x + leg.zz * depth.x * depth.x +
          leg.z * depth.xx;
    yy += leg.rr * uy * uy + leg.r * ux * ux / r + 2.0 * leg.rz * uy * depth.y + leg.zz * depth.y * depth.y +
          leg.z * depth.yy;
    xy += (leg.rr - leg.r / r) * ux * uy + leg.rz * (ux * depth.y + uy * depth.x) + leg.zz * depth.x * depth.y;
    cosine = std::min(cosine, leg.z * velocity_at(depth.z));
  }
};

struct Event {
  SurfacePoint point;
  double time_s = 0.0;
  double cosine = 1.0;
  double left = 1.0;  // fraction of its amplitude that remains near the unconformity
};

// Returns the path of least time via a surface, found by Newton's method from a point near it; without `is_free_in_x`
// only points with the x of `point` are allowed. Returns nullopt if there is no such path within the table.
std::optional<Event> fastest_path(const LegTimes& legs, SurfacePoint source, SurfacePoint receiver,
                                  const Reflector& reflector, double throw_m, SurfacePoint point, bool is_free_in_x) {
  constexpr int max_steps = 12;
  // After a step this short the time is accurate to 0.01 ms, because near its minimum it is almost a quadratic
  // polynomial.
  constexpr double short_m = 40.0;
  for (int i = 0; i < max_steps; ++i) {
    const Depth form = form_at(point);
    const Depth depth = depth_of(reflector, form, throw_m);
    Path path;
    if (!path.set(legs, source, receiver, point, depth)) return std::nullopt;
    double dx = 0.0;
    double dy = 0.0;
    if (!is_free_in_x) {
      if (!(path.yy > 0.0)) return std::nullopt;
      dy = path.y / path.yy;
    } else {
      const double determinant = path.xx * path.yy - path.xy * path.xy;
      if (!(determinant > 0.0) || !(path.xx > 0.0)) return std::nullopt;
      dx = (path.yy * path.x - path.xy * path.y) / determinant;
      dy = (path.xx * path.y - path.xy * path.x) / determinant;
    }
    point.x_m -= dx;
    point.y_m -= dy;
    if (dx * dx + dy * dy < short_m * short_m)
      return Event{point, path.t - 0.5 * (path.x * dx + path.y * dy), path.cosine,
                   reflector.throw_m > 0.0 ? left_by_unconformity(form, depth.z) : 1.0};
  }
  return std::nullopt;
}

// Computes the reflections of reflectors, and the diffractions from the edges at their faults.
class Reflections {
 public:
  Reflections(const LegTimes& legs, SurfacePoint source, SurfacePoint receiver, double record_s,
              std::vector<Arrival>& arrivals)
      : legs_(legs),
        source_(source),
        receiver_(receiver),
        middle_{0.5 * (source.x_m + receiver.x_m), 0.5 * (source.y_m + receiver.y_m)},
        record_s_(record_s),
        arrivals_(arrivals) {}

  void add(const Reflector& reflector) {
    if (reflector.throw_m == 0.0) return add_stretch(reflector, {});
    const std::int64_t here = fault_before(reflector, middle_.x_m);
    for (std::int64_t number = here - 1; number <= here + 1; ++number) {
      const Stretch stretch = stretch_behind(reflector, number);
      if (stretch.begin_m - middle_.x_m < reach_m && middle_.x_m - stretch.end_m < reach_m)
        add_stretch(reflector, stretch);
    }
  }

 private:
  void add_arrival(double time_s, double amplitude) {
    if (time_s < record_s_ && amplitude != 0.0)
      arrivals_.push_back({time_s, loudness * amplitude * divergence(time_s)});
  }

  void add_stretch(const Reflector& reflector, const Stretch& stretch) {
    // All surfaces have the same shape, so their reflection points are in the same direction from the midpoint.
    const double scale = reflector.depth_m * reflector.fold_m;
    const SurfacePoint near{middle_.x_m + scale * shift_.x_m, middle_.y_m + scale * shift_.y_m};
    const auto event = fastest_path(legs_, source_, receiver_, reflector, stretch.throw_m, near, true);
    if (!event || event->cosine <= 0.0) return;
    shift_ = {(event->point.x_m - middle_.x_m) / scale, (event->point.y_m - middle_.y_m) / scale};
    const double strength = reflector.reflectivity * event->cosine;
    if (event->point.x_m >= stretch.begin_m && event->point.x_m < stretch.end_m)
      add_arrival(event->time_s, strength * event->left);
    for (const double edge_m : {stretch.begin_m, stretch.end_m}) {
      // The diffraction has half of the amplitude of the reflection at its end, so that the sum of both is continuous
      // at this point.
      const double distance = std::abs(edge_m - middle_.x_m) / reach_m;
      if (distance >= 1.0) continue;
      const SurfacePoint on_edge{edge_m, event->point.y_m};
      const auto edge = fastest_path(legs_, source_, receiver_, reflector, stretch.throw_m, on_edge, false);
      if (!edge || edge->cosine <= 0.0) continue;
      const bool is_on_this_side = (event->point.x_m < edge_m) == (edge_m == stretch.end_m);
      add_arrival(edge->time_s, (is_on_this_side ? -0.5 : 0.5) * strength * (1.0 - distance) *
                                    edge_fading(edge->time_s - event->time_s) * edge->left);
    }
  }

  const LegTimes& legs_;
  SurfacePoint source_;
  SurfacePoint receiver_;
  SurfacePoint middle_;
  SurfacePoint shift_;  // offset of the last reflection point from the midpoint, divided by depth and fold
  double record_s_;
  std::vector<Arrival>& arrivals_;
};

// Returns the point nearest to `value`, of points that repeat every `period`.
double nearest_repeat(double first, double period, double value) {
  return first + period * std::round((value - first) / period);
}

}  // namespace

EarthModel::EarthModel(double record_s) : record_s_(record_s) {}

void EarthModel::append_arrivals(SurfacePoint source, SurfacePoint receiver, std::vector<Arrival>& arrivals) const {
  const double offset_m = std::hypot(receiver.x_m - source.x_m, receiver.y_m - source.y_m);
  const auto add = [&](double time_s, double amplitude) {
    if (time_s < record_s_) arrivals.push_back({time_s, loudness * amplitude});
  };
  add(offset_m / water_velocity_m_s, direct_amplitude * direct_m / std::max(offset_m, direct_m));
  constexpr int max_bounces = 3;
  double strength = floor_reflectivity;
  for (int bounces = 1; bounces <= max_bounces; ++bounces, strength *= -floor_reflectivity) {
    const double time_s = std::hypot(2.0 * water_depth_m * bounces, offset_m) / water_velocity_m_s;
    add(time_s, strength * divergence(time_s));
  }
  Reflections reflections(legs_, source, receiver, record_s_, arrivals);
  const auto may_arrive = [&](const Reflector& reflector) {
    return vertical_time_s(reflector.depth_m - 1.6 * reflector.fold_m) < record_s_;
  };
  for (const Reflector& reflector : upper_reflectors)
    if (may_arrive(reflector)) reflections.add(reflector);
  if (may_arrive(unconformity)) reflections.add(unconformity);
  for (const Reflector& reflector : lower_reflectors)
    if (may_arrive(reflector)) reflections.add(reflector);

  const SurfacePoint middle{0.5 * (source.x_m + receiver.x_m), 0.5 * (source.y_m + receiver.y_m)};
  for (const Diffractor& diffractor : diffractors) {
    if (vertical_time_s(diffractor.depth_m) >= record_s_) continue;
    const SurfacePoint point{nearest_repeat(diffractor.x_m, period_m, middle.x_m),
                             nearest_repeat(diffractor.y_m, diffractor_period_y_m, middle.y_m)};
    Path path;
    const Depth depth{.z = diffractor.depth_m};
    if (!path.set(legs_, source, receiver, point, depth)) continue;
    if (path.cosine > 0.0) add(path.t, diffractor_amplitude * path.cosine * path.cosine * divergence(path.t));
  }
}

void EarthModel::append_image(SurfacePoint place, std::vector<Arrival>& arrivals) const {
  const auto add = [&](double depth_m, double amplitude) {
    const double time_s = vertical_time_s(depth_m);
    if (time_s < record_s_ && amplitude != 0.0) arrivals.push_back({time_s, image_loudness * amplitude});
  };
  add(water_depth_m, floor_reflectivity);
  const Depth form = form_at(place);
  for (const Reflector& reflector : upper_reflectors) add(depth_of(reflector, form, 0.0).z, reflector.reflectivity);
  add(depth_of(unconformity, form, 0.0).z, unconformity.reflectivity);
  for (const Reflector& reflector : lower_reflectors) {
    const Stretch stretch = stretch_behind(reflector, fault_before(reflector, place.x_m));
    const double depth_m = depth_of(reflector, form, stretch.throw_m).z;
    add(depth_m, reflector.reflectivity * left_by_unconformity(form, depth_m));
  }
}

}  // namespace sill::segy
