// Medians over a window that slides along a trace.
#pragma once

#include <cstdint>
#include <span>

namespace sill::flow {

/// Local. medians[i]: that of the magnitudes of the samples from i - half to i + half that there are and that are not
/// zero; of an even number, the mean of the middle two; of none, 0. Time grows with the length of the trace, hardly
/// with that of the window. NaN counts as larger than all numbers. Preconditions: as many medians as samples; half >=
/// 0.
void sliding_median(std::span<const float> trace, std::int64_t half, std::span<double> medians);

}  // namespace sill::flow
