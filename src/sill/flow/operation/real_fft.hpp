// The discrete Fourier transform of real series.
#pragma once

#include <complex>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace sill::flow {

/// Transforms of one length, in double. Const functions may be called by several threads.
class RealFft {
 public:
  /// Local. Precondition: `length` is one that `fast_length` returns.
  explicit RealFft(std::int64_t length);
  RealFft(RealFft&&) noexcept;
  RealFft& operator=(RealFft&&) noexcept;
  ~RealFft();

  /// Local. The smallest even number from `samples` on, at least 4, that has no prime factors but 2, 3 and 5.
  [[nodiscard]] static std::int64_t fast_length(std::int64_t samples);

  [[nodiscard]] std::int64_t length() const { return length_; }
  /// Frequencies from 0 to Nyquist, both included: length / 2 + 1.
  [[nodiscard]] std::int64_t frequencies() const { return length_ / 2 + 1; }

  /// Local. spectrum[k] = sum over n of series[n] exp(-2 pi i k n / length). Preconditions: `length` samples,
  /// `frequencies` values.
  void forward(std::span<const double> series, std::span<std::complex<double>> spectrum) const;

  /// Local. The series whose spectrum that is: backward(forward(x)) = x. `spectrum` is used up. Preconditions as of
  /// `forward`.
  void backward(std::span<std::complex<double>> spectrum, std::span<double> series) const;

 private:
  struct Transforms;

  std::int64_t length_;
  std::unique_ptr<Transforms> transforms_;
  std::vector<std::complex<double>> turns_;  // exp(-2 pi i k / length), up to a quarter of a turn and a bit more
};

}  // namespace sill::flow
