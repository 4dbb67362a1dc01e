// A wavelet at fractions of a sample.
#pragma once

#include <cstdint>
#include <vector>

namespace sill::segy {

/// Amplitudes one sample interval apart, of which the first is `first` intervals after time 0.
struct Wavelet {
  std::vector<float> amplitudes;
  std::int64_t first = 0;
};

/// A wavelet shifted by each sixteenth of a sample, so that an arrival lies within 1/32 of a sample of its time. Const
/// functions may be called by several threads.
class WaveletTable {
 public:
  /// Local. A Ricker wavelet of 25 Hz, or less where that is too high for the sampling; more, where it is too long.
  [[nodiscard]] static WaveletTable ricker(double interval_s);

  /// Local. A wavelet of the user, interpolated by a windowed sinc.
  [[nodiscard]] static WaveletTable of(const Wavelet& wavelet);

  [[nodiscard]] std::int64_t samples() const { return samples_; }

  /// The wavelet of an arrival.
  struct Place {
    std::int64_t first_sample = 0;  ///< of the trace; may be negative
    const float* amplitudes = nullptr;
  };
  /// Local. Precondition: time / interval is below 2^40.
  [[nodiscard]] Place at(double time_in_samples) const;

 private:
  std::int64_t samples_ = 0;
  std::int64_t before_zero_ = 0;
  std::vector<float> shifted_;
};

}  // namespace sill::segy
