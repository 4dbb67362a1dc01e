// The geology of synthetic surveys: flat sea floor, gentle layers, an unconformity, below it folded ones cut by faults,
// and diffractors (docs/synthetic-survey.md).
#pragma once

#include <vector>

#include "sill/formats/segy/synthetic/leg_times.hpp"

namespace sill::segy {

/// A place on the sea surface: along the sail lines from the first source, and to their right.
struct SurfacePoint {
  double x_m = 0.0;
  double y_m = 0.0;
};

/// A wavelet in a trace. Times are exact for the model; amplitudes are plausible, as shares of full scale.
struct Arrival {
  double time_s = 0.0;
  double amplitude = 0.0;
};

/// Const functions may be called by several threads.
class EarthModel {
 public:
  /// Local. Arrivals after `record_s` are left out.
  explicit EarthModel(double record_s);

  /// Local. Appends what a receiver records of a source, both at the sea surface: direct wave, sea floor and its first
  /// two multiples, reflections, diffractions of points and of the edges at faults.
  void append_arrivals(SurfacePoint source, SurfacePoint receiver, std::vector<Arrival>& arrivals) const;

  /// Local. Appends what a migrated trace shows at a place: primary reflections at their vertical two-way times.
  void append_image(SurfacePoint place, std::vector<Arrival>& arrivals) const;

 private:
  double record_s_;
  LegTimes legs_;
};

}  // namespace sill::segy
