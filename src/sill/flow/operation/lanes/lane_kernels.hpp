// The inner loops of operations that treat traces side by side, compiled once for each kind of processor, and the
// choice among them at run time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace sill::flow {

/// So many traces lie side by side, each in its lane: sample i of trace k is element i * lane_count + k, and the
/// samples i of all make row i.
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
  double z0 = 0.0;  ///< its state if the input of the whole cascade has been 1 forever
  double z1 = 0.0;
};

/// A row as a weighted sum of others: the weights, and the row that the first is for.
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
  const double* turns;  ///< exp(-2 pi i k / (radix parts stride)), pairs of numbers
};

/// The loops for one kind of processor. All sets compute the same bits, and each trace's do not depend on the others.
/// Rows are aligned. A complex row is two: real parts, imaginary parts.
struct LaneKernels {
  const char* name;  ///< "portable", "avx2", "avx512"
  /// Lays `samples` samples of each trace into rows. nullptr is a trace of zeros.
  void (*interleave)(const float* const* traces, std::int64_t samples, double* rows);
  void (*interleave_floats)(const float* const* traces, std::int64_t samples, float* rows);
  /// Replaces rows by those that have passed the sections in turn, multiplied by `gain` before, from the first, or,
  /// `backwards`, from the last, which begins in the steady state of its first sample.
  void (*filter)(std::span<const Section> sections, double gain, bool backwards, double* rows, std::int64_t samples);
  /// out[j] = sum over k < weights of wanted[j].weights[k] in[wanted[j].first + k]. Precondition: `weights` is a
  /// multiple of 4.
  void (*weigh)(const float* in, const WeightedRow* wanted, std::int64_t weights, float* out, std::int64_t count);
  /// A pass; `inverse` with the other sign of the exponent.
  void (*transform)(const TransformPass& pass, bool inverse, const double* in, double* out);
  /// Spectra of `half` complex rows as those of 2 half real ones, whose even samples were the real parts: half + 1
  /// complex rows, in place. `turns`: exp(-pi i k / half), k up to half / 2.
  void (*split)(const double* turns, std::int64_t half, double* spectra);
  /// What `split` undoes, with all values multiplied by 2.
  void (*join)(const double* turns, std::int64_t half, double* spectra);
  /// Rounds the rows to floats. Every result that is no number is the same quiet NaN. nullptr is left out.
  void (*separate)(const double* rows, std::int64_t samples, float* const* traces);
  void (*separate_floats)(const float* rows, std::int64_t samples, float* const* traces);
};

/// Local. The sets that this processor can run, the slowest ("portable") first.
[[nodiscard]] std::span<const LaneKernels* const> runnable_lane_kernels();

/// Local. The fastest of them.
[[nodiscard]] inline const LaneKernels& lane_kernels() { return *runnable_lane_kernels().back(); }

}  // namespace sill::flow
