#include "sill/formats/segy/synthetic/wavelet_table.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sill::segy {
namespace {

constexpr std::int64_t shifts = 16;
constexpr std::int64_t longest_half_wavelet = 4096;
constexpr std::int64_t half_sinc = 16;

// A sinc with a Hann window.
double sinc(double x) {
  if (std::abs(x) >= half_sinc) return 0.0;
  if (x == 0.0) return 1.0;
  const double angle = std::numbers::pi * x;
  return std::sin(angle) / angle * 0.5 * (1.0 + std::cos(angle / half_sinc));
}

}  // namespace

WaveletTable WaveletTable::ricker(double interval_s) {
  constexpr double half_periods = 1.1;  // the amplitudes outside are below 10^-4
  const double lowest_hz = half_periods / (static_cast<double>(longest_half_wavelet - 1) * interval_s);
  const double frequency_hz = std::max(std::min(25.0, 0.125 / interval_s), lowest_hz);
  WaveletTable table;
  table.before_zero_ = static_cast<std::int64_t>(std::ceil(half_periods / (frequency_hz * interval_s)));
  table.samples_ = 2 * table.before_zero_ + 1;
  for (std::int64_t shift = 0; shift < shifts; ++shift) {
    for (std::int64_t k = 0; k < table.samples_; ++k) {
      const double t_s =
          (static_cast<double>(k - table.before_zero_) - static_cast<double>(shift) / static_cast<double>(shifts)) *
          interval_s;
      const double a = std::pow(std::numbers::pi * frequency_hz * t_s, 2);
      table.shifted_.push_back(static_cast<float>((1.0 - 2.0 * a) * std::exp(-a)));
    }
  }
  return table;
}

WaveletTable WaveletTable::of(const Wavelet& wavelet) {
  WaveletTable table;
  table.before_zero_ = half_sinc - wavelet.first;
  table.samples_ = std::ssize(wavelet.amplitudes) + 2 * half_sinc;
  for (std::int64_t shift = 0; shift < shifts; ++shift)
    for (std::int64_t k = 0; k < table.samples_; ++k) {
      const double place =
          static_cast<double>(k - half_sinc) - static_cast<double>(shift) / static_cast<double>(shifts);
      const auto nearest = static_cast<std::int64_t>(std::floor(place));
      const std::int64_t begin = std::max<std::int64_t>(0, nearest - half_sinc + 1);
      const std::int64_t end = std::min<std::int64_t>(std::ssize(wavelet.amplitudes), nearest + half_sinc + 1);
      double sum = 0.0;
      for (std::int64_t i = begin; i < end; ++i)
        sum +=
            static_cast<double>(wavelet.amplitudes[static_cast<std::size_t>(i)]) * sinc(place - static_cast<double>(i));
      table.shifted_.push_back(static_cast<float>(sum));
    }
  return table;
}

WaveletTable::Place WaveletTable::at(double time_in_samples) const {
  const std::int64_t nearest = std::llround(time_in_samples * static_cast<double>(shifts));
  return {nearest / shifts - before_zero_, shifted_.data() + nearest % shifts * samples_};
}

}  // namespace sill::segy
