// Multiplies the spectra of traces.
#pragma once

#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sill/flow/operation/lanes/lane_rows.hpp"
#include "sill/flow/operation/lanes/real_fft.hpp"
#include "sill/flow/operation/live_samples.hpp"
#include "sill/flow/operation/trace_block.hpp"

namespace sill::flow {

/// Spectra as rows of RealFft, and the same number of unused rows.
struct SeriesSpectra {
  double* spectra;
  double* other;
};

/// Local. Returns the spectra of up to `lane_count` series of `samples` samples followed by zeros, in `workspace.a` and
/// `workspace.b`.
[[nodiscard]] SeriesSpectra spectra_of(const RealFft& fft, std::span<const float* const> series, std::int64_t samples,
                                       Workspace& workspace);

/// Local. Returns the autocorrelations of up to `lane_count` series of `samples` samples, each followed by zeros. Row
/// `lag` contains the sum over n of x(n) x(n + lag), for lags up to the number of zeros.
[[nodiscard]] const double* autocorrelations_of(const RealFft& fft, std::span<const float* const> series,
                                                std::int64_t samples, Workspace& workspace);

/// A filter defined by its response: out = IFFT(response FFT(in)), with zeros after the trace. Const functions may be
/// called by several threads.
class SpectralFilter {
 public:
  /// Local. Creates a filter for traces of `samples` samples, followed by at least `padding` zeros. Calls `response`
  /// with frequencies from 0 to 0.5 cycles per sample; at both ends only the real part is used.
  SpectralFilter(std::int64_t samples, std::int64_t padding,
                 const std::function<std::complex<double>(double frequency)>& response);

  /// Local. Filters up to `lane_count` series. Returns rows in `workspace.a` or `workspace.b`.
  [[nodiscard]] const double* filter(std::span<const float* const> series, Workspace& workspace) const;

  /// Local. Filters series in place.
  void filter_in_place(std::span<float* const> series, Workspace& workspace) const;

  /// Local. Returns the size, in bytes, of the workspace that a filter uses.
  [[nodiscard]] std::int64_t memory_bytes() const { return 2 * bytes_of_lane_rows(fft_.rows()); }

 private:
  std::int64_t samples_;
  RealFft fft_;
  std::vector<std::complex<double>> response_;  // divided by the length of the transform
};

/// Local. Calls `work(series)` with the samples of up to `lane_count` traces at once, which `work` may change. Skips
/// traces of zeros.
template <class Work>
void change_live_traces(TraceBlock& block, Work&& work) {
  std::array<float*, lane_count> series{};
  std::size_t count = 0;
  for (std::int64_t i = 0; i < block.count(); ++i) {
    if (live_samples(block.trace(i)).count > 0) series[count++] = block.change(i).data();
    if (count < series.size() && i + 1 < block.count()) continue;
    if (count > 0) work(std::span<float* const>(series).first(count));
    count = 0;
  }
}

/// Local. Changes the length of every trace of a block to `samples` samples. `work(in, out)` computes up to
/// `lane_count` traces at once.
template <class Work>
void resample_side_by_side(TraceBlock& block, std::int64_t samples, Work&& work) {
  std::vector<float> made(static_cast<std::size_t>(block.count() * samples));
  for (std::int64_t first = 0; first < block.count(); first += lane_count) {
    std::array<const float*, lane_count> in{};
    std::array<float*, lane_count> out{};
    const auto count = static_cast<std::size_t>(std::min(lane_count, block.count() - first));
    for (std::size_t k = 0; k < count; ++k) {
      in[k] = block.trace(first + static_cast<std::int64_t>(k)).data();
      out[k] = made.data() + (first + static_cast<std::int64_t>(k)) * samples;
    }
    work(std::span<const float* const>(in).first(count), std::span<float* const>(out).first(count));
  }
  block.resample(samples, [&](std::int64_t i, std::span<const float> /*in*/, std::span<float> out) {
    std::copy_n(made.data() + i * samples, samples, out.begin());
  });
}

}  // namespace sill::flow
