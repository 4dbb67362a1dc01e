#include "sill/flow/operation/lanes/real_fft.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace sill::flow {
namespace {

// Returns exp(-2 pi i k / length), k < count.
std::vector<double> turns_of(std::int64_t length, std::int64_t count) {
  std::vector<double> turns;
  for (std::int64_t k = 0; k < count; ++k) {
    const double angle = -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
    turns.insert(turns.end(), {std::cos(angle), std::sin(angle)});
  }
  return turns;
}

}  // namespace

// A real series is transformed as a complex one of half its length: even samples are real parts, odd samples imaginary
// parts.
RealFft::RealFft(std::int64_t length, const LaneKernels& kernels)
    : length_(length),
      kernels_(&kernels),
      turns_(turns_of(length / 2, length / 2)),
      half_turns_(turns_of(length, length / 4 + 1)) {
  std::int64_t parts = length / 2;
  std::int64_t stride = 1;
  for (const std::int64_t radix : {4, 2, 3, 5}) {
    while (parts % radix == 0) {
      parts /= radix;
      passes_.push_back({radix, parts, stride, turns_.data()});
      stride *= radix;
    }
  }
}

std::int64_t RealFft::fast_length(std::int64_t samples) {
  for (std::int64_t half = std::max<std::int64_t>(2, (samples + 1) / 2);; ++half) {
    std::int64_t rest = half;
    for (const std::int64_t factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return 2 * half;
  }
}

double* RealFft::transform(bool inverse, double* rows, double* other) const {
  for (const TransformPass& pass : passes_) {
    kernels_->transform(pass, inverse, rows, other);
    std::swap(rows, other);
  }
  return rows;
}

double* RealFft::forward(double* series, double* other) const {
  double* const spectra = transform(false, series, other);
  kernels_->split(half_turns_.data(), length_ / 2, spectra);
  return spectra;
}

double* RealFft::backward(double* spectra, double* other) const {
  kernels_->join(half_turns_.data(), length_ / 2, spectra);
  return transform(true, spectra, other);
}

}  // namespace sill::flow
