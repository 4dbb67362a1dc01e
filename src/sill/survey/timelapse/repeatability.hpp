// The similarity of two traces: measures of time-lapse surveys.
#pragma once

#include <span>

namespace sill {

/// All values are NaN if a trace has no samples or samples that are not finite; predictability and shift are also NaN
/// if a trace has only zeros; NRMS and predictability are also NaN if the samples of the traces are at different times.
struct Repeatability {
  double nrms_percent;             ///< 0 (equal) to 200 (opposite)
  double predictability_percent;   ///< 100: one trace is a filtered version of the other
  double shift_ms;                 ///< positive: the monitor trace is later
  bool is_shift_at_limit = false;  ///< see `CorrelationShift`
};

/// The lag of two traces, in samples.
struct CorrelationShift {
  double samples;
  bool is_at_limit = false;  ///< no maximum was found: the coefficients rise up to the limit
};

/// Local. Returns the number of samples by which `monitor` is later than `base`: the lag with the largest correlation
/// coefficient of the overlapping samples, which does not favour lags with more overlap. The lag is limited to
/// `max_lag` and half of the samples; among equal coefficients the smallest lag is used. Between samples, the maximum
/// of a cosine through three coefficients is used. Returns NaN if no coefficient is above 0. Precondition: equal
/// lengths. Source: I. Cespedes et al., "Methods for estimation of subsample time delays", Ultrasonic Imaging 17
/// (1995).
[[nodiscard]] CorrelationShift correlation_shift(std::span<const float> base, std::span<const float> monitor,
                                                 double max_lag);

/// Local. Returns measures for `base` b and `monitor` m, of equal length and sample interval `interval_ms`: NRMS 200
/// rms(m - b) / (rms m + rms b), 0 if both are zero; predictability 100 sum(phi_mb^2) / sum(phi_mm phi_bb) over lags of
/// up to `max_lag` samples, where phi are correlations within the given samples; and `correlation_shift`. The samples
/// of `monitor` are `later` samples (a fraction of one) later than those of `base`: this is added to the shift.
/// Precondition: max_lag >= 0. Source: E. Kragh and P. Christie, "Seismic repeatability, normalized rms, and
/// predictability", The Leading Edge 21 (2002).
[[nodiscard]] Repeatability repeatability_of(std::span<const float> base, std::span<const float> monitor,
                                             double max_lag, double interval_ms, double later = 0.0);

}  // namespace sill
