// Sums in a window that slides along a trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sill::flow {

/// Local. Returns the number of samples on each side of the middle of a window of `length`, with a sample interval of
/// `interval`: round(length / (2 interval)), halves rounded up, with a tolerance of a millionth.
[[nodiscard]] double half_window(double length, double interval);

/// Local. Sets out[i] to the sum of in[i] to in[i + length - 1]. Each window is the end of one block of `length` values
/// and the start of the next, so nothing is subtracted and a small sum after a large value remains exact.
/// Preconditions: length >= 1; out has in.size() - length + 1 elements. Source: M. van Herk, "A fast algorithm for
/// local minimum and maximum filters on rectangular and octagonal kernels" (1992), with sums instead of minima.
void sliding_sum(std::span<const double> in, std::int64_t length, std::span<double> out, std::vector<double>& scratch);

/// Local. Sets out[i] to the sum over all j of (half + 1 - |i - j|) in[j]: a triangle that covers all values from every
/// position. Preconditions: half + 1 >= in.size(); out has in.size() elements.
void triangle_over_all(std::span<const double> in, double half, std::span<double> out);

}  // namespace sill::flow
