// Trace identification codes.
#pragma once

namespace sill::segy {

/// The code of a dead trace.
inline constexpr double dead_trace_code = 2.0;

/// Local. Returns true if a trace with this code is seismic data, live or dead: codes 0, 1, 2, 11 to 17 and 25, and in
/// Seismic Unix data all codes of at least 101. Traces with other codes are auxiliary: sweeps, time breaks, ... Source:
/// SEG-Y rev 2.1, trace header bytes 29-30; Seismic Unix, segy.h (trid).
[[nodiscard]] constexpr bool is_seismic_code(double code, bool is_seismic_unix) {
  constexpr double depth_domain = 25.0;
  constexpr double first_of_seismic_unix = 101.0;
  return code == 0.0 || code == 1.0 || code == dead_trace_code || (code >= 11.0 && code <= 17.0) ||
         code == depth_domain || (is_seismic_unix && code >= first_of_seismic_unix);
}

}  // namespace sill::segy
