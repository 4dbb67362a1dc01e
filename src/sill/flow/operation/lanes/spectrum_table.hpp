// Spectra of many series, frequency by frequency.
#pragma once

#include <complex>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sill/flow/operation/lanes/real_fft.hpp"
#include "sill/flow/operation/trace_block.hpp"

namespace sill::flow {

/// The spectra of real series: for each frequency the values of all series.
class SpectrumTable {
 public:
  using Complex = std::complex<double>;

  /// Local. Sets all values to zero. Precondition: `fft` outlives the table.
  SpectrumTable(const RealFft& fft, std::size_t series)
      : fft_(fft), series_(series), values_(static_cast<std::size_t>(fft.frequencies()) * series) {}

  [[nodiscard]] std::span<Complex> at(std::int64_t frequency) {
    return std::span(values_).subspan(static_cast<std::size_t>(frequency) * series_, series_);
  }

  /// Local. Computes the spectra of all series, of `samples` samples followed by zeros. Overwrites `workspace.a` and
  /// `workspace.b`.
  void take(std::span<const float* const> all, std::int64_t samples, Workspace& workspace);

  /// Local. Computes the first `samples` samples of all series from the spectra. Overwrites `workspace.a` and
  /// `workspace.b`.
  void give(std::span<float* const> all, std::int64_t samples, Workspace& workspace);

 private:
  const RealFft& fft_;
  std::size_t series_;
  std::vector<Complex> values_;
};

}  // namespace sill::flow
