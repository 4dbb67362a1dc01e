// Solves equations with a matrix that has equal elements along each diagonal.
#pragma once

#include <algorithm>
#include <complex>
#include <cstddef>
#include <span>
#include <type_traits>
#include <vector>

namespace sill::flow {

/// Local. Returns products of finite numbers, without the special cases of std::complex for other numbers.
[[nodiscard]] inline double product(double a, double b) { return a * b; }
[[nodiscard]] inline std::complex<double> product(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Local. Solves T x = b, in O(n^2), for the positive definite Hermitian Toeplitz matrix with the first column
/// `column`, of doubles or complex doubles; x replaces b. Overwrites `memory`. Source: N. Levinson, "The Wiener rms
/// error criterion in filter design and prediction", J. Math. Phys. 25 (1946).
template <class Number>
void solve_toeplitz(std::span<const Number> column, std::span<Number> b, std::vector<Number>& memory) {
  const auto conjugate = [](Number value) {
    if constexpr (std::is_same_v<Number, double>)
      return value;
    else
      return std::conj(value);
  };
  const std::size_t count = b.size();
  memory.assign(2 * count, Number{});
  const std::span<Number> forward = std::span(memory).first(count);  // T forward = (1, 0, ...)
  const std::span<Number> next = std::span(memory).subspan(count);
  const double first = std::real(column[0]);
  forward[0] = Number{1.0 / first};
  b[0] = b[0] / first;
  for (std::size_t n = 1; n < count; ++n) {
    Number error{};
    Number missing = b[n];
    for (std::size_t i = 0; i < n; ++i) {
      error += product(column[n - i], forward[i]);
      missing -= product(column[n - i], b[i]);
    }
    // Reversed and conjugated, `forward` is the backward vector: T backward = (..., 0, 1).
    const double scale = 1.0 / (1.0 - std::norm(error));
    next[0] = forward[0] * scale;
    for (std::size_t i = 1; i < n; ++i) next[i] = (forward[i] - product(error, conjugate(forward[n - i]))) * scale;
    next[n] = -product(error, conjugate(forward[0])) * scale;
    std::copy_n(next.begin(), n + 1, forward.begin());
    b[n] = Number{};
    for (std::size_t i = 0; i <= n; ++i) b[i] += product(missing, conjugate(forward[n - i]));
  }
}

}  // namespace sill::flow
