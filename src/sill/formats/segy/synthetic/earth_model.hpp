// The geology of synthetic surveys: a flat sea floor, gentle layers, an unconformity, folded layers below it that are
// cut by faults, and diffractors (docs/synthetic-survey.md).
#pragma once

#include <vector>

#include "sill/formats/segy/synthetic/leg_times.hpp"

namespace sill::segy {

/// A point on the sea surface: distance along the sail lines from the first source, and distance to their right.
struct SurfacePoint {
  double x_m = 0.0;
  double y_m = 0.0;
};

/// A wavelet in a trace. Times are exact for the model; amplitudes are plausible, as fractions of full scale.
struct Arrival {
  double time_s = 0.0;
  double amplitude = 0.0;
};

/// Computes the arrivals in synthetic traces. Const functions may be called by several threads.
class EarthModel {
 public:
  /// Local. Builds the model. Arrivals after `record_s` are omitted.
  explicit EarthModel(double record_s);

  /// Local. Appends the arrivals that a receiver records from a source, both at the sea surface: direct wave, sea floor
  /// and its first two multiples, reflections, and diffractions from points and from the edges at faults.
  void append_arrivals(SurfacePoint source, SurfacePoint receiver, std::vector<Arrival>& arrivals) const;

  /// Local. Appends the arrivals in a migrated trace at a point: primary reflections at their vertical two-way times.
  void append_image(SurfacePoint place, std::vector<Arrival>& arrivals) const;

 private:
  double record_s_;
  LegTimes legs_;
};

}  // namespace sill::segy
