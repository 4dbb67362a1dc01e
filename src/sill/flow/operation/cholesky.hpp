// Solves equations with a Hermitian positive definite matrix.
#pragma once

#include <cmath>
#include <complex>
#include <cstddef>
#include <span>

#include "sill/flow/operation/toeplitz.hpp"

namespace sill::flow {

/// Local. Returns conj(a) b, for finite numbers.
[[nodiscard]] inline std::complex<double> conjugate_product(std::complex<double> a, std::complex<double> b) {
  return product(std::conj(a), b);
}

/// Local. Solves A x = b for a Hermitian positive definite matrix, stored row by row. Reads and overwrites only the
/// lower triangle; x replaces b.
inline void solve_cholesky(std::span<std::complex<double>> a, std::span<std::complex<double>> b) {
  using Complex = std::complex<double>;
  const std::size_t count = b.size();
  const auto row = [&](std::size_t i) { return a.subspan(i * count, count); };
  for (std::size_t i = 0; i < count; ++i) {
    const std::span<Complex> of_i = row(i);
    for (std::size_t j = 0; j <= i; ++j) {
      const std::span<Complex> of_j = row(j);
      Complex sum = of_i[j];
      for (std::size_t k = 0; k < j; ++k) sum -= conjugate_product(of_j[k], of_i[k]);
      of_i[j] = i == j ? Complex{std::sqrt(sum.real())} : sum / of_j[j].real();
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < i; ++k) b[i] -= product(row(i)[k], b[k]);
    b[i] /= row(i)[i].real();
  }
  for (std::size_t i = count; i-- > 0;) {
    for (std::size_t k = i + 1; k < count; ++k) b[i] -= conjugate_product(row(k)[i], b[k]);
    b[i] /= row(i)[i].real();
  }
}

}  // namespace sill::flow
