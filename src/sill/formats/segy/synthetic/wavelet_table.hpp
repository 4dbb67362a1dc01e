// A wavelet, shifted by fractions of a sample.
#pragma once

#include <cstdint>
#include <vector>

namespace sill::segy {

/// Amplitudes at a spacing of one sample interval. The first amplitude is `first` intervals after time 0.
struct Wavelet {
  std::vector<float> amplitudes;
  std::int64_t first = 0;
};

/// A wavelet shifted by multiples of a sixteenth of a sample, so that an arrival is within 1/32 of a sample of its
/// time. Const functions may be called by several threads.
class WaveletTable {
 public:
  /// Local. Returns a Ricker wavelet of 25 Hz; of a lower frequency if 25 Hz is too high for the sample interval, or of
  /// a higher one if the wavelet would be too long.
  [[nodiscard]] static WaveletTable ricker(double interval_s);

  /// Local. Returns the table of a user-defined wavelet, interpolated with a windowed sinc.
  [[nodiscard]] static WaveletTable of(const Wavelet& wavelet);

  [[nodiscard]] std::int64_t samples() const { return samples_; }

  /// The shifted wavelet of an arrival.
  struct Place {
    std::int64_t first_sample = 0;  ///< index in the trace; may be negative
    const float* amplitudes = nullptr;
  };
  /// Local. Returns the wavelet of an arrival at a time in sample intervals. Precondition: the magnitude of the time is
  /// below 2^40.
  [[nodiscard]] Place at(double time_in_samples) const;

 private:
  std::int64_t samples_ = 0;
  std::int64_t before_zero_ = 0;
  std::vector<float> shifted_;
};

}  // namespace sill::segy
