// Converts between interval velocities and rms velocities from time 0.
#pragma once

#include <cmath>
#include <cstdint>
#include <span>

namespace sill::flow {

/// Local. Converts rms velocities at times start_s + i interval_s to interval velocities; from time 0 to the first
/// sample the velocity is constant. If rms velocities decrease faster than any interval velocity allows, repeats the
/// interval velocity above; returns the number of such samples. Preconditions: start_s >= 0; at least one sample.
/// Source: C. H. Dix, "Seismic velocities from surface measurements", Geophysics 20 (1955).
template <class Number>
std::int64_t make_interval(std::span<Number> velocities, double start_s, double interval_s) {
  std::int64_t repeated = 0;
  double before = static_cast<double>(velocities[0]);  // rms of the sample above
  for (std::size_t s = 1; s < velocities.size(); ++s) {
    const double time = start_s + static_cast<double>(s) * interval_s;
    const double rms = static_cast<double>(velocities[s]);
    const double squared = (time * rms * rms - (time - interval_s) * before * before) / interval_s;
    before = rms;
    if (squared < 0.0) ++repeated;
    velocities[s] = squared < 0.0 ? velocities[s - 1] : static_cast<Number>(std::sqrt(squared));
  }
  return repeated;
}

/// Local. Converts interval velocities to rms velocities: the inverse of `make_interval`.
template <class Number>
void make_rms(std::span<Number> velocities, double start_s, double interval_s) {
  double sum = start_s * static_cast<double>(velocities[0]) * static_cast<double>(velocities[0]);
  for (std::size_t s = 1; s < velocities.size(); ++s) {
    sum += interval_s * static_cast<double>(velocities[s]) * static_cast<double>(velocities[s]);
    velocities[s] = static_cast<Number>(std::sqrt(sum / (start_s + static_cast<double>(s) * interval_s)));
  }
}

}  // namespace sill::flow
