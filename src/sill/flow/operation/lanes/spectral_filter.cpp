#include "sill/flow/operation/lanes/spectral_filter.hpp"

#include <algorithm>

namespace sill::flow {

SeriesSpectra spectra_of(const RealFft& fft, std::span<const float* const> series, std::int64_t samples,
                         Workspace& workspace) {
  double* const rows = lane_rows(workspace.a, fft.rows());
  double* const other = lane_rows(workspace.b, fft.rows());
  interleave(lane_kernels(), series, samples, rows);
  std::fill(rows + samples * lane_count, rows + fft.length() * lane_count, 0.0);
  double* const spectra = fft.forward(rows, other);
  return {spectra, spectra == rows ? other : rows};
}

const double* autocorrelations_of(const RealFft& fft, std::span<const float* const> series, std::int64_t samples,
                                  Workspace& workspace) {
  const auto [spectra, other] = spectra_of(fft, series, samples, workspace);
  const double scale = 1.0 / static_cast<double>(fft.length());
  double* value = spectra;
  for (std::int64_t k = 0; k < fft.frequencies(); ++k, value += lane_count)
    for (std::int64_t lane = 0; lane < lane_count; ++lane, ++value) {
      *value = (*value * *value + value[lane_count] * value[lane_count]) * scale;
      value[lane_count] = 0.0;
    }
  return fft.backward(spectra, other);
}

SpectralFilter::SpectralFilter(std::int64_t samples, std::int64_t padding,
                               const std::function<std::complex<double>(double frequency)>& response)
    : samples_(samples), fft_(RealFft::fast_length(samples + padding)) {
  const auto length = static_cast<double>(fft_.length());
  for (std::int64_t k = 0; k < fft_.frequencies(); ++k)
    response_.push_back(response(static_cast<double>(k) / length) / length);
  response_.front().imag(0.0);
  response_.back().imag(0.0);
}

const double* SpectralFilter::filter(std::span<const float* const> series, Workspace& workspace) const {
  const auto [spectra, other] = spectra_of(fft_, series, samples_, workspace);
  double* value = spectra;
  for (const std::complex<double> factor : response_) {
    for (std::int64_t lane = 0; lane < lane_count; ++lane, ++value) {
      const double re = value[0];
      const double im = value[lane_count];
      value[0] = re * factor.real() - im * factor.imag();
      value[lane_count] = re * factor.imag() + im * factor.real();
    }
    value += lane_count;
  }
  return fft_.backward(spectra, other);
}

void SpectralFilter::filter_in_place(std::span<float* const> series, Workspace& workspace) const {
  separate(lane_kernels(), filter(series, workspace), samples_, series);
}

}  // namespace sill::flow
