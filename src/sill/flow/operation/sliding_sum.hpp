// Sums over a window that slides over a trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace sill::flow {

/// Local. The samples on each side of the middle one of a window of `length`, samples being `interval` apart:
/// round(length / (2 interval)), halves up, to a millionth.
[[nodiscard]] double half_window(double length, double interval);

/// Local. out[i] is the sum of in[i] to in[i + length - 1]. Each window is the end of one block of `length` values and
/// the beginning of the next, so that nothing is subtracted and a small sum after a large value stays exact.
/// Preconditions: length >= 1; out has in.size() - length + 1 elements.
/// Source: M. van Herk, "A fast algorithm for local minimum and maximum filters on rectangular and octagonal kernels"
/// (1992), with sums in place of minima.
void sliding_sum(std::span<const double> in, std::int64_t length, std::span<double> out, std::vector<double>& scratch);

/// Local. out[i] is the sum over all j of (half + 1 - |i - j|) in[j]: a triangle so wide that it reaches over all
/// values from each. Preconditions: half + 1 >= in.size(); out has as many elements.
void triangle_over_all(std::span<const double> in, double half, std::span<double> out);

}  // namespace sill::flow
