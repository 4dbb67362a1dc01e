#include "sill/flow/operation/lanes/spectrum_table.hpp"

#include <algorithm>

#include "sill/flow/operation/lanes/lane_rows.hpp"
#include "sill/flow/operation/lanes/spectral_filter.hpp"

namespace sill::flow {

void SpectrumTable::take(std::span<const float* const> all, std::int64_t samples, Workspace& workspace) {
  for (std::size_t first = 0; first < series_; first += lane_count) {
    const std::size_t count = std::min<std::size_t>(lane_count, series_ - first);
    const double* rows = spectra_of(fft_, all.subspan(first, count), samples, workspace).spectra;
    for (std::int64_t k = 0; k < fft_.frequencies(); ++k, rows += 2 * lane_count)
      for (std::size_t i = 0; i < count; ++i) at(k)[first + i] = {rows[i], rows[lane_count + i]};
  }
}

void SpectrumTable::give(std::span<float* const> all, std::int64_t samples, Workspace& workspace) {
  const double scale = 1.0 / static_cast<double>(fft_.length());
  for (std::size_t first = 0; first < series_; first += lane_count) {
    const std::size_t count = std::min<std::size_t>(lane_count, series_ - first);
    double* const spectra = lane_rows(workspace.a, fft_.rows());
    double* const other = lane_rows(workspace.b, fft_.rows());
    std::fill_n(spectra, fft_.rows() * lane_count, 0.0);
    double* rows = spectra;
    for (std::int64_t k = 0; k < fft_.frequencies(); ++k, rows += 2 * lane_count) {
      const bool is_real = k == 0 || k + 1 == fft_.frequencies();
      for (std::size_t i = 0; i < count; ++i) {
        const Complex value = at(k)[first + i] * scale;
        rows[i] = value.real();
        rows[lane_count + i] = is_real ? 0.0 : value.imag();
      }
    }
    separate(lane_kernels(), fft_.backward(spectra, other), samples, all.subspan(first, count));
  }
}

}  // namespace sill::flow
