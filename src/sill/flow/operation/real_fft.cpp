#include "sill/flow/operation/real_fft.hpp"

#include <algorithm>
#include <numbers>

#include <kissfft.hh>

namespace sill::flow {
namespace {

using Complex = std::complex<double>;

}  // namespace

// A real series is transformed as a complex one of half its length: even samples are real parts, odd ones imaginary.
struct RealFft::Transforms {
  explicit Transforms(std::size_t half) : forward(half, false), backward(half, true) {}

  kissfft<double> forward;
  kissfft<double> backward;
};

RealFft::RealFft(std::int64_t length)
    : length_(length), transforms_(std::make_unique<Transforms>(static_cast<std::size_t>(length / 2))) {
  turns_.resize(static_cast<std::size_t>(length / 4 + 1));
  for (std::size_t k = 0; k < turns_.size(); ++k)
    turns_[k] = std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length));
}

RealFft::RealFft(RealFft&&) noexcept = default;
RealFft& RealFft::operator=(RealFft&&) noexcept = default;
RealFft::~RealFft() = default;

std::int64_t RealFft::fast_length(std::int64_t samples) {
  for (std::int64_t half = std::max<std::int64_t>(2, (samples + 1) / 2);; ++half) {
    std::int64_t rest = half;
    for (const std::int64_t factor : {2, 3, 5})
      while (rest % factor == 0) rest /= factor;
    if (rest == 1) return 2 * half;
  }
}

void RealFft::forward(std::span<const double> series, std::span<Complex> spectrum) const {
  const auto half = static_cast<std::size_t>(length_ / 2);
  // The standard lets complex numbers be looked at as pairs of doubles.
  transforms_->forward.transform(reinterpret_cast<const Complex*>(series.data()), spectrum.data());
  const Complex zero = spectrum[0];
  spectrum[0] = zero.real() + zero.imag();
  spectrum[half] = zero.real() - zero.imag();
  for (std::size_t k = 1; 2 * k <= half; ++k) {
    const Complex a = spectrum[k];
    const Complex b = std::conj(spectrum[half - k]);
    const Complex even = 0.5 * (a + b);
    const Complex difference = 0.5 * (a - b);
    const Complex odd = turns_[k] * Complex(difference.imag(), -difference.real());
    spectrum[k] = even + odd;
    spectrum[half - k] = std::conj(even - odd);
  }
}

void RealFft::backward(std::span<Complex> spectrum, std::span<double> series) const {
  const auto half = static_cast<std::size_t>(length_ / 2);
  const double scale = 1.0 / static_cast<double>(length_);
  const double zero = spectrum[0].real();
  const double nyquist = spectrum[half].real();
  spectrum[0] = Complex((zero + nyquist) * scale, (zero - nyquist) * scale);
  for (std::size_t k = 1; 2 * k <= half; ++k) {
    const Complex a = spectrum[k];
    const Complex b = std::conj(spectrum[half - k]);
    const Complex even = scale * (a + b);
    const Complex odd = scale * (a - b) * std::conj(turns_[k]);
    const Complex turned(-odd.imag(), odd.real());
    spectrum[k] = even + turned;
    spectrum[half - k] = std::conj(even - turned);
  }
  transforms_->backward.transform(spectrum.data(), reinterpret_cast<Complex*>(series.data()));
}

}  // namespace sill::flow
