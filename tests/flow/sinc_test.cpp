// Interpolation between samples: its error, and that what the processor's kind of loop computes are the bits that the
// order of additions states.
#include "sill/flow/operation/sinc.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

namespace sill::flow {
namespace {

constexpr std::size_t points = 16;

std::vector<float> noise(std::size_t samples) {
  std::mt19937 random(7);
  std::uniform_real_distribution<float> uniform(-1.0F, 1.0F);
  std::vector<float> trace(samples);
  for (float& x : trace) x = uniform(random);
  return trace;
}

std::vector<float> interpolated(const std::vector<float>& trace, const std::vector<double>& places) {
  std::vector<float> padded;
  SincInterpolation::pad(trace, padded);
  std::vector<float> out(places.size());
  SincInterpolation::interpolate(padded, std::ssize(trace), places, out);
  return out;
}

// Values at places of an upsampled trace, one call for all of them.
std::vector<float> cubic(const std::vector<float>& dense, const std::vector<double>& places) {
  std::vector<std::int32_t> at;
  std::vector<float> parts;
  for (const double place : places) {
    const double in_eighths = (place + 1.0) * static_cast<double>(SincInterpolation::upsampling);
    at.push_back(static_cast<std::int32_t>(in_eighths));
    parts.push_back(static_cast<float>(in_eighths - at.back()));
  }
  std::vector<float> out(places.size());
  SincInterpolation::interpolate_upsampled(dense, at, parts, out);
  return out;
}

// The weights of a place: what becomes of a one at each of the 16 samples around it.
std::array<float, points> weights_of(double fraction) {
  std::array<float, points> weights{};
  for (std::size_t k = 0; k < points; ++k) {
    std::vector<float> one(64, 0.0F);
    one[25 + k] = 1.0F;
    weights[k] = interpolated(one, {32.0 + fraction}).front();
  }
  return weights;
}

// The upper half is added to the lower one, until one is left.
float sum_of_halves(std::array<float, points> products) {
  for (std::size_t half = points / 2; half > 0; half /= 2)
    for (std::size_t k = 0; k < half; ++k) products[k] += products[k + half];
  return products[0];
}

TEST(Sinc, AddsInTheOrderStated) {
  const std::vector<float> trace = noise(200);
  for (const double fraction : {0.25, 0.4, 0.5, 0.999}) {
    const std::array<float, points> weights = weights_of(fraction);
    std::vector<double> places;
    for (int i = 10; i < 189; ++i) places.push_back(i + fraction);  // not a multiple of 8 at once
    const std::vector<float> out = interpolated(trace, places);
    std::vector<float> shifted = trace;
    std::vector<float> scratch;
    SincInterpolation::shift(shifted, -fraction, scratch);
    for (std::size_t i = 0; i < places.size(); ++i) {
      std::array<float, points> products{};
      for (std::size_t k = 0; k < points; ++k) products[k] = weights[k] * trace[i + 10 + k - 7];
      const float want = sum_of_halves(products);
      ASSERT_EQ(std::bit_cast<std::uint32_t>(out[i]), std::bit_cast<std::uint32_t>(want)) << fraction << " at " << i;
      ASSERT_EQ(std::bit_cast<std::uint32_t>(shifted[i + 10]), std::bit_cast<std::uint32_t>(want)) << i;
    }
  }
}

// The largest errors of waves at `share` of the Nyquist frequency, by the sinc and by the cubic of the upsampled trace.
std::pair<double, double> largest_errors(double share) {
  const auto wave = [&](double place) { return std::cos(std::numbers::pi * share * place + 0.7); };
  std::vector<float> trace(100);
  for (std::size_t i = 0; i < trace.size(); ++i) trace[i] = static_cast<float>(wave(static_cast<double>(i)));
  std::vector<double> places;  // finer than the table
  for (int i = 0; i < 100'000; ++i) places.push_back(20.0 + 50.0 * i / 100'000.0);
  const std::vector<float> by_sinc = interpolated(trace, places);
  std::vector<float> dense;
  std::vector<float> scratch;
  SincInterpolation::upsample(trace, dense, scratch);
  const std::vector<float> by_cubic = cubic(dense, places);
  std::pair<double, double> largest{0.0, 0.0};
  for (std::size_t i = 0; i < places.size(); ++i) {
    largest.first = std::max(largest.first, std::abs(static_cast<double>(by_sinc[i]) - wave(places[i])));
    largest.second = std::max(largest.second, std::abs(static_cast<double>(by_cubic[i]) - wave(places[i])));
  }
  return largest;
}

TEST(Sinc, ErrsByLessThanAThousandthUpTo60PercentOfNyquist) {
  for (const double share : {0.01, 0.2, 0.4, 0.5, 0.55, 0.6}) {
    EXPECT_LT(largest_errors(share).first, 4e-4) << share;  // what the table's 4096 fractions leave
    EXPECT_LT(largest_errors(share).second, 3e-4) << share;
  }
  for (const double share : {0.7, 0.8, 0.95})
    EXPECT_LT(largest_errors(share).second, largest_errors(share).first + 4e-4) << share;
}

TEST(Sinc, UpsamplesToTheBitsOfInterpolation) {
  for (const std::size_t samples : {std::size_t{1}, std::size_t{6}, std::size_t{50}}) {
    const std::vector<float> trace = noise(samples);
    std::vector<float> dense;
    std::vector<float> scratch;
    SincInterpolation::upsample(trace, dense, scratch);
    ASSERT_EQ(dense.size(), 8 * (samples + 2));
    std::vector<double> places;
    for (std::size_t i = 0; i < dense.size(); ++i) places.push_back(static_cast<double>(i) / 8.0 - 1.0);
    const std::vector<float> want = interpolated(trace, places);
    for (std::size_t i = 0; i < dense.size(); ++i)
      ASSERT_EQ(std::bit_cast<std::uint32_t>(dense[i]), std::bit_cast<std::uint32_t>(want[i])) << i;
    // Between the samples of noise: to the error of a cubic at the Nyquist frequency.
    places.clear();
    for (std::size_t i = 0; i <= 37 * (samples - 1); ++i) places.push_back(static_cast<double>(i) / 37.0);
    const std::vector<float> between = cubic(dense, places);
    const std::vector<float> by_sinc = interpolated(trace, places);
    for (std::size_t i = 0; i < places.size(); ++i) {
      EXPECT_NEAR(between[i], by_sinc[i], 2e-3) << places[i];
      if (i % 37 == 0) {
        EXPECT_EQ(between[i], trace[i / 37]);
      }
      // The last values of a call are not computed eight at once.
      EXPECT_EQ(std::bit_cast<std::uint32_t>(between[i]), std::bit_cast<std::uint32_t>(cubic(dense, {places[i]})[0]));
    }
  }
}

TEST(Sinc, ReturnsSamplesAsTheyAreAndZerosOutside) {
  const std::vector<float> trace = noise(33);
  std::vector<double> places;
  for (int i = -40; i < 80; ++i) places.push_back(i);
  const double infinity = std::numeric_limits<double>::infinity();
  places.insert(places.end(), {-infinity, infinity, -1e300, 1e300, -8.5, 40.5, std::nan("")});
  const std::vector<float> out = interpolated(trace, places);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const bool is_inside = places[i] >= 0.0 && places[i] < 33.0;
    EXPECT_EQ(out[i], is_inside ? trace[static_cast<std::size_t>(places[i])] : 0.0F) << places[i];
  }
}

TEST(Sinc, ShiftsAsItInterpolates) {
  std::vector<float> scratch;
  for (const std::size_t samples : {std::size_t{1}, std::size_t{7}, std::size_t{16}, std::size_t{50}})
    for (const double by : {0.3, -0.3, 6.6, -7.7, 15.5, -15.5, 57.4, -57.4, 58.2, -58.2, 1e18, -1e18}) {
      const std::vector<float> trace = noise(samples);
      std::vector<double> places;
      for (std::size_t i = 0; i < samples; ++i) places.push_back(static_cast<double>(i) - by);
      const std::vector<float> want = interpolated(trace, places);
      std::vector<float> out = trace;
      SincInterpolation::shift(out, by, scratch);
      for (std::size_t i = 0; i < samples; ++i) EXPECT_NEAR(out[i], want[i], 3e-4) << samples << " by " << by;
    }
}

}  // namespace
}  // namespace sill::flow
