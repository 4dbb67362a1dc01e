// Fourier transforms side by side: the definition, back again, and the same bits from every kernel and beside any
// trace.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include "sill/flow/operation/lanes/lane_rows.hpp"
#include "sill/flow/operation/lanes/real_fft.hpp"

namespace sill::flow {
namespace {

using Series = std::vector<float>;

std::vector<Series> noise(std::size_t traces, std::int64_t samples, unsigned seed = 3) {
  std::mt19937 random(seed);
  std::normal_distribution<float> value;
  std::vector<Series> all(traces, Series(static_cast<std::size_t>(samples)));
  for (Series& each : all)
    for (float& x : each) x = value(random);
  return all;
}

// The rows of the spectra.
std::vector<double> spectra_of(const LaneKernels& kernels, const std::vector<Series>& series) {
  const RealFft fft(std::ssize(series.front()), kernels);
  std::vector<double> a;
  std::vector<double> b;
  double* const rows = lane_rows(a, fft.rows());
  std::vector<const float*> traces;
  for (const Series& each : series) traces.push_back(each.data());
  interleave(kernels, traces, fft.length(), rows);
  const double* const found = fft.forward(rows, lane_rows(b, fft.rows()));
  return {found, found + fft.rows() * lane_count};
}

TEST(RealFft, IsTheDefinition) {
  for (const std::int64_t length : {4, 6, 8, 10, 12, 16, 18, 24, 30, 50, 64, 90, 120, 128, 250, 360, 486}) {
    const std::vector<Series> series = noise(lane_count, length);
    const std::vector<double> found = spectra_of(*runnable_lane_kernels().back(), series);
    for (std::size_t lane = 0; lane < series.size(); ++lane) {
      for (std::int64_t k = 0; k <= length / 2; ++k) {
        std::complex<double> sum;
        for (std::int64_t n = 0; n < length; ++n)
          sum += static_cast<double>(series[lane][static_cast<std::size_t>(n)]) *
                 std::polar(
                     1.0, -2.0 * std::numbers::pi * static_cast<double>(k * n % length) / static_cast<double>(length));
        const auto row = static_cast<std::size_t>(2 * k * lane_count) + lane;
        const double error = std::abs(sum - std::complex(found[row], found[row + lane_count]));
        ASSERT_LT(error, 1e-13 * static_cast<double>(length)) << "length " << length << ", frequency " << k;
      }
    }
  }
}

TEST(RealFft, GoesBack) {
  for (const std::int64_t length : {4, 10, 96, 1000, 1536, 4050}) {
    for (const LaneKernels* const kernels : runnable_lane_kernels()) {
      const std::vector<Series> series = noise(5, length);
      const RealFft fft(length, *kernels);
      std::vector<double> a;
      std::vector<double> b;
      double* const rows = lane_rows(a, fft.rows());
      double* const other = lane_rows(b, fft.rows());
      std::vector<const float*> traces;
      for (const Series& each : series) traces.push_back(each.data());
      interleave(*kernels, traces, length, rows);
      double* const spectra = fft.forward(rows, other);
      const double* const back = fft.backward(spectra, spectra == rows ? other : rows);
      for (std::size_t lane = 0; lane < series.size(); ++lane)
        for (std::size_t n = 0; n < series[lane].size(); ++n)
          ASSERT_NEAR(back[n * lane_count + lane] / static_cast<double>(length), series[lane][n], 1e-14 * 20);
    }
  }
}

TEST(RealFft, BitsDependOnTheTraceAlone) {
  for (const std::int64_t length : {8, 90, 500}) {
    const std::vector<Series> series = noise(lane_count, length);
    const std::vector<double> portable = spectra_of(*runnable_lane_kernels().front(), series);
    for (const LaneKernels* const kernels : runnable_lane_kernels())
      ASSERT_EQ(spectra_of(*kernels, series), portable) << kernels->name;
    std::vector<Series> others = noise(lane_count, length, 8);
    for (Series& each : others)
      for (float& x : each) x *= 1e30F;
    others[3] = series[6];
    const std::vector<double> beside = spectra_of(*runnable_lane_kernels().back(), others);
    for (std::size_t row = 0; row < portable.size(); row += lane_count) ASSERT_EQ(beside[row + 3], portable[row + 6]);
  }
}

TEST(RealFft, LengthsAreProductsOfSmallPrimes) {
  for (const auto& [samples, length] : {std::pair{1, 4}, {4, 4}, {5, 6}, {7, 8}, {11, 12}, {13, 16}, {1537, 1600}})
    EXPECT_EQ(RealFft::fast_length(samples), length);
}

}  // namespace
}  // namespace sill::flow
