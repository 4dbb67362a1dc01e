// Medians in a window that slides along a trace.
#pragma once

#include <cstdint>
#include <span>

namespace sill::flow {

/// Local. Sets medians[i] to the median of the magnitudes of the existing nonzero samples from i - half to i + half;
/// for an even number of samples, the mean of the middle two; without samples, 0. The time is proportional to the
/// length of the trace and hardly depends on the window. NaN is treated as larger than all numbers. Preconditions: as
/// many medians as samples; half >= 0.
void sliding_median(std::span<const float> trace, std::int64_t half, std::span<double> medians);

}  // namespace sill::flow
