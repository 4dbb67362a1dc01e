// The discrete Fourier transform of real series, for several traces at once.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/flow/operation/lanes/lane_kernels.hpp"

namespace sill::flow {

/// Transforms of one length, in double. Const functions may be called by several threads. The bits of a trace's result
/// depend neither on the other traces nor on the processor. Source: T. G. Stockham, "High-speed convolution and
/// correlation" (1966), and C. Van Loan, "Computational frameworks for the fast Fourier transform" (1992), 1.7 and 4.3.
class RealFft {
 public:
  /// Local. Computes the tables. `kernels`: the kernels of this processor, except in tests. Precondition: `length` was
  /// returned by `fast_length`.
  explicit RealFft(std::int64_t length, const LaneKernels& kernels = lane_kernels());

  /// Local. Returns the smallest even number >= max(4, `samples`) that has no prime factors except 2, 3 and 5.
  [[nodiscard]] static std::int64_t fast_length(std::int64_t samples);

  [[nodiscard]] std::int64_t length() const { return length_; }
  /// Local. Returns the number of frequencies from 0 to Nyquist, both included: length / 2 + 1.
  [[nodiscard]] std::int64_t frequencies() const { return length_ / 2 + 1; }
  /// Local. Returns the number of rows of a series and of its spectrum: row 2 k has the real parts of frequency k, row
  /// 2 k + 1 the imaginary parts.
  [[nodiscard]] std::int64_t rows() const { return length_ + 2; }

  /// Local. Returns the spectra: spectrum[k] = sum over n of series[n] exp(-2 pi i k n / length). Reads the first
  /// `length` rows of `series`. Overwrites both `series` and `other`; the result is in one of them. Precondition: each
  /// has `rows` aligned rows.
  [[nodiscard]] double* forward(double* series, double* other) const;

  /// Local. Returns the series whose spectra are `spectra`, times the length: backward(forward(x)) = length x.
  /// Otherwise as `forward`.
  [[nodiscard]] double* backward(double* spectra, double* other) const;

 private:
  double* transform(bool inverse, double* rows, double* other) const;

  std::int64_t length_;
  const LaneKernels* kernels_;
  std::vector<TransformPass> passes_;
  std::vector<double> turns_;       // exp(-4 pi i k / length), k < length / 2, pairs
  std::vector<double> half_turns_;  // exp(-2 pi i k / length), k <= length / 4, pairs
};

}  // namespace sill::flow
