// The inner loops of operations that process several traces at once, compiled for each type of processor and selected
// at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sill::flow {

/// Number of traces that are processed at once, each in its lane: sample i of trace k is element i * lane_count + k,
/// and samples i of all traces form row i.
inline constexpr std::int64_t lane_count = 8;
/// Alignment of rows.
inline constexpr std::size_t lane_alignment = 64;

/// A section of a recursive filter: y[i] = x[i] + b1 x[i-1] + b2 x[i-2] - a1 y[i-1] - a2 y[i-2], with the state of a
/// transposed direct form: y = x + z0; z0 = b1 x - a1 y + z1; z1 = b2 x - a2 y.
struct Section {
  double b1 = 0.0;
  double b2 = 0.0;
  double a1 = 0.0;
  double a2 = 0.0;
  double z0 = 0.0;  ///< `z0` and `z1`: state of the section after an infinite input of ones to the entire cascade
  double z1 = 0.0;
};

/// The weights of an output row that is a weighted sum of input rows, and the input row of the first weight.
struct WeightedRow {
  const float* weights;
  std::int64_t first;
};

/// One pass of a Fourier transform of complex rows (Stockham's, by decimation in frequency): element q + stride (p +
/// parts j) of the input, j < radix, becomes q + stride (radix p + j), q < stride, p < parts. radix is 2, 3, 4 or 5.
struct TransformPass {
  std::int64_t radix;
  std::int64_t parts;
  std::int64_t stride;
  const double* turns;  ///< exp(-2 pi i k / (radix parts stride)), pairs of real and imaginary values
};

/// The loops for one type of processor. The loops for all types compute the same bits, and the bits of each trace do
/// not depend on the other traces. Rows are aligned. A complex row consists of two rows: real parts, then imaginary
/// parts.
struct LaneKernels {
  const char* name;  ///< "portable", "avx2", "avx512"
  /// Arranges `samples` samples of each trace in rows. nullptr stands for a trace of zeros.
  void (*interleave)(const float* const* traces, std::int64_t samples, double* rows);
  void (*interleave_floats)(const float* const* traces, std::int64_t samples, float* rows);
  /// Multiplies the rows by `gain`, then passes them through the sections in turn, starting at the first row, or, if
  /// `backwards`, at the last row with the steady state of its samples.
  void (*filter)(std::span<const Section> sections, double gain, bool backwards, double* rows, std::int64_t samples);
  /// Computes out[j] = sum over k < weights of wanted[j].weights[k] in[wanted[j].first + k]. Precondition: `weights` is
  /// a multiple of 4.
  void (*weigh)(const float* in, const WeightedRow* wanted, std::int64_t weights, float* out, std::int64_t count);
  /// Performs one pass; if `inverse`, with the opposite sign of the exponent.
  void (*transform)(const TransformPass& pass, bool inverse, const double* in, double* out);
  /// Converts the spectra of `half` complex rows to the spectra of 2 half real rows, whose even samples were the real
  /// parts: half + 1 complex rows, in place. `turns`: exp(-pi i k / half), k up to half / 2.
  void (*split)(const double* turns, std::int64_t half, double* spectra);
  /// Inverts `split`, with all values multiplied by 2.
  void (*join)(const double* turns, std::int64_t half, double* spectra);
  /// Rounds the rows to floats. Every NaN result is the same quiet NaN. Skips traces that are nullptr.
  void (*separate)(const double* rows, std::int64_t samples, float* const* traces);
  void (*separate_floats)(const float* rows, std::int64_t samples, float* const* traces);
};

/// Local. Returns the kernels for the types that this processor can run, the slowest ("portable") first.
[[nodiscard]] std::span<const LaneKernels* const> runnable_lane_kernels();

/// Local. Returns the fastest kernels that this processor can run.
[[nodiscard]] inline const LaneKernels& lane_kernels() { return *runnable_lane_kernels().back(); }

}  // namespace sill::flow
