// The inner loops of recursive filters, compiled once for each kind of processor, and the choice among them at run
// time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/flow/operations/bandpass/butterworth.hpp"

namespace sill::flow {

/// Traces are filtered side by side, so many at a time: sample i of trace k is element i * filter_lanes + k.
inline constexpr std::int64_t filter_lanes = 8;
/// Alignment of interleaved samples.
inline constexpr std::size_t filter_alignment = 64;

/// The loops for one kind of processor. All sets compute the same bits, and each trace's do not depend on the others.
struct FilterKernels {
  const char* name;  ///< "portable", "avx2", "avx512"
  /// Interleaves `samples` samples of `filter_lanes` traces.
  void (*interleave)(const float* const* traces, std::int64_t samples, double* lanes);
  /// Replaces interleaved samples by those that have passed the cascade, from the first, or, `backwards`, from the
  /// last, which begins in the steady state of its first sample.
  void (*filter)(const Cascade& cascade, bool backwards, double* lanes, std::int64_t samples);
  /// Rounds `samples` samples to floats. Every result that is no number is the same quiet NaN.
  void (*separate)(const double* lanes, std::int64_t samples, float* const* traces);
};

/// Local. The sets that this processor can run, the slowest ("portable") first.
[[nodiscard]] std::span<const FilterKernels* const> runnable_filter_kernels();

}  // namespace sill::flow
