// How alike two traces are: numbers of time-lapse surveys.
#pragma once

#include <span>

namespace sill {

/// NaN where a trace has only zeros, samples that are not finite, or none.
struct Repeatability {
  double nrms_percent;            ///< 0 (equal) to 200 (opposite)
  double predictability_percent;  ///< 100: one is the other by a filter
  double shift_ms;                ///< how much later the monitor trace is
};

/// Local. How many samples `monitor` is later than `base`: the lag, at most `max_lag` and half of the samples, of the
/// largest coefficient of correlation of what meets (which does not favour lags at which more samples do), of equal
/// ones the smallest; between samples the top of a cosine through three. NaN if none is above 0. Precondition: equal
/// lengths. Source: I. Cespedes et al., "Methods for estimation of subsample time delays", Ultrasonic Imaging 17
/// (1995).
[[nodiscard]] double correlation_shift(std::span<const float> base, std::span<const float> monitor, int max_lag);

/// Local. For `base` b and `monitor` m, of equal length and `interval_ms` from sample to sample: NRMS
/// 200 rms(m - b) / (rms m + rms b), 0 where both are zero; predictability 100 sum(phi_mb^2) / sum(phi_mm phi_bb) over
/// lags of up to `max_lag` samples, phi being correlations within the samples given; and `correlation_shift`.
/// Precondition: max_lag >= 0. Source: E. Kragh and P. Christie, "Seismic repeatability, normalized rms, and
/// predictability", The Leading Edge 21 (2002).
[[nodiscard]] Repeatability repeatability_of(std::span<const float> base, std::span<const float> monitor, int max_lag,
                                             double interval_ms);

}  // namespace sill
