#include "sill/flow/operation/sinc.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "sill/base/processors.hpp"

namespace sill::flow {
namespace {

constexpr std::size_t sinc_points = 16;
// Positions are rounded to this fraction of a sample: the error is at most pi 0.6 / 2 / 4096.
constexpr std::size_t fractions = 4096;

// In one cache line.
struct alignas(64) Weights : std::array<float, sinc_points> {};

// Returns the window at distances of multiples of 1 / 4096 of a sample.
std::vector<double> make_window() {
  constexpr double beta = 8.0;
  constexpr std::size_t half_width = sinc_points / 2 * fractions;
  const double at_centre = std::cyl_bessel_i(0.0, beta);
  std::vector<double> window(half_width + 1);
  for (std::size_t d = 0; d <= half_width; ++d) {
    const double u = static_cast<double>(d) / half_width;
    window[d] = std::cyl_bessel_i(0.0, beta * std::sqrt(1.0 - u * u)) / at_centre;
  }
  return window;
}

// Returns the weights of the samples from 7 before to 8 after a position, for each fraction of a sample after its
// sample; the last fraction is 1.
std::vector<Weights> make_table() {
  const std::vector<double> window = make_window();
  std::vector<Weights> table(fractions + 1);
  for (std::size_t f = 0; f <= fractions; ++f) {
    std::array<double, sinc_points> weights{};
    double sum = 0.0;
    for (std::size_t k = 0; k < sinc_points; ++k) {
      // Both positions and the distance are in fractions of a sample.
      const std::size_t sample = k * fractions;
      const std::size_t place = f + (sinc_points / 2 - 1) * fractions;
      const std::size_t distance = sample > place ? sample - place : place - sample;
      const double angle = std::numbers::pi * static_cast<double>(distance) / fractions;
      // At an integer number of samples a nonzero sine is only a rounding error.
      const bool is_zero = distance != 0 && distance % fractions == 0;
      const double sinc = distance == 0 ? 1.0 : std::sin(angle) / angle;
      weights[k] = is_zero ? 0.0 : sinc * window[distance];
      sum += weights[k];
    }
    for (std::size_t k = 0; k < sinc_points; ++k) table[f][k] = static_cast<float>(weights[k] / sum);
  }
  return table;
}

using Floats8 = float __attribute__((vector_size(32)));

// Returns the sum of 16 products in an order that does not depend on the vector length of the processor: repeatedly
// adds the upper half to the lower half.
template <class Value>
[[nodiscard]] float sum_of_halves(const Value& product) {
  std::array<float, 4> sums{};
  for (std::size_t k = 0; k < 4; ++k) sums[k] = (product(k) + product(k + 8)) + (product(k + 4) + product(k + 12));
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

// Computes values. For each value, `rows` and `at` state its weights and the index of its first padded sample. Computes
// eight values at once: their partial sums are transposed, so that all additions except the first use full vectors.
SILL_FOR_PROCESSORS void weigh(const float* padded, const Weights* table, const std::uint16_t* rows,
                               const std::int32_t* at, float* out, std::size_t count) {
  constexpr std::size_t at_once = 8;
  std::size_t i = 0;
  for (; i + at_once <= count; i += at_once) {
    std::array<Floats8, at_once> eighths;
    for (std::size_t k = 0; k < at_once; ++k) {
      const float* const weights = table[rows[i + k]].data();
      const float* const samples = padded + at[i + k];
      Floats8 low_weights;
      Floats8 high_weights;
      Floats8 low_samples;
      Floats8 high_samples;
      std::memcpy(&low_weights, weights, sizeof(Floats8));
      std::memcpy(&high_weights, weights + 8, sizeof(Floats8));
      std::memcpy(&low_samples, samples, sizeof(Floats8));
      std::memcpy(&high_samples, samples + 8, sizeof(Floats8));
      eighths[k] = low_weights * low_samples + high_weights * high_samples;
    }
    std::array<Floats8, at_once / 2> quarters;  // of values k and k + 4
    for (std::size_t k = 0; k < at_once / 2; ++k)
      quarters[k] = __builtin_shufflevector(eighths[k], eighths[k + 4], 0, 1, 2, 3, 8, 9, 10, 11) +
                    __builtin_shufflevector(eighths[k], eighths[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    const Floats8 halves01 = __builtin_shufflevector(quarters[0], quarters[1], 0, 1, 8, 9, 4, 5, 12, 13) +
                             __builtin_shufflevector(quarters[0], quarters[1], 2, 3, 10, 11, 6, 7, 14, 15);
    const Floats8 halves23 = __builtin_shufflevector(quarters[2], quarters[3], 0, 1, 8, 9, 4, 5, 12, 13) +
                             __builtin_shufflevector(quarters[2], quarters[3], 2, 3, 10, 11, 6, 7, 14, 15);
    const Floats8 sums = __builtin_shufflevector(halves01, halves23, 0, 2, 8, 10, 4, 6, 12, 14) +
                         __builtin_shufflevector(halves01, halves23, 1, 3, 9, 11, 5, 7, 13, 15);
    std::memcpy(out + i, &sums, sizeof(sums));
  }
  for (; i < count; ++i) {
    const float* const weights = table[rows[i]].data();
    const float* const samples = padded + at[i];
    out[i] = sum_of_halves([&](std::size_t k) { return weights[k] * samples[k]; });
  }
}

// Computes values that all have the same weights and start at consecutive samples.
SILL_FOR_PROCESSORS void weigh_alike(const float* padded, const float* weights, float* out, std::size_t count) {
  constexpr std::size_t at_once = 8;
  std::size_t i = 0;
  for (; i + at_once <= count; i += at_once) {
    std::array<Floats8, sinc_points> products;
    for (std::size_t k = 0; k < sinc_points; ++k) {
      Floats8 samples;
      std::memcpy(&samples, padded + i + k, sizeof(samples));
      products[k] = weights[k] * samples;
    }
    std::array<Floats8, 4> quarters;
    for (std::size_t k = 0; k < 4; ++k)
      quarters[k] = (products[k] + products[k + 8]) + (products[k + 4] + products[k + 12]);
    const Floats8 sums = (quarters[0] + quarters[2]) + (quarters[1] + quarters[3]);
    std::memcpy(out + i, &sums, sizeof(sums));
  }
  for (; i < count; ++i) out[i] = sum_of_halves([&](std::size_t k) { return weights[k] * padded[i + k]; });
}

SILL_FOR_PROCESSORS void locate(const double* places, double last, std::uint16_t* rows, std::int32_t* at,
                                std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    // At 8 or more samples outside the trace, all 16 samples are zeros.
    double place = places[i];
    place = place > -8.0 ? place : -8.0;
    place = place < last + 8.0 ? place : last + 8.0;
    const double sample = std::floor(place);
    rows[i] = static_cast<std::uint16_t>(static_cast<std::int32_t>((place - sample) * fractions + 0.5));
    at[i] = static_cast<std::int32_t>(sample) + 9;
  }
}

// Computes eight values per sample at once. `weights` has eight weights per product. Half of the products are added to
// the other half later, so that their weights remain in registers.
SILL_FOR_PROCESSORS void weigh_eighths(const float* padded, const float* weights, float* out, std::size_t count) {
  for (std::size_t half = 0; half < 2; ++half) {
    std::array<Floats8, sinc_points / 2> w;  // of every second product
    for (std::size_t k = 0; k < w.size(); ++k) std::memcpy(&w[k], weights + 8 * (2 * k + half), sizeof(Floats8));
    for (std::size_t i = 0; i < count; ++i) {
      const float* const x = padded + i + half;
      Floats8 sums = ((w[0] * x[0] + w[4] * x[8]) + (w[2] * x[4] + w[6] * x[12])) +
                     ((w[1] * x[2] + w[5] * x[10]) + (w[3] * x[6] + w[7] * x[14]));
      if (half == 1) {
        Floats8 first_half;
        std::memcpy(&first_half, out + 8 * i, sizeof(first_half));
        sums = first_half + sums;
      }
      std::memcpy(out + 8 * i, &sums, sizeof(sums));
    }
  }
}

// The value of the cubic polynomial (Lagrange) through values at -1, 0, 1 and 2, at positions from 0 to 1.
template <class Value>
void cubic(const std::array<Value, 4>& y, const Value& x, Value& out) {
  const Value outer = x * (x - 1.0F) * (1.0F / 6.0F);
  const Value inner = (x + 1.0F) * (x - 2.0F) * 0.5F;
  out = outer * ((2.0F - x) * y[0] + (x + 1.0F) * y[3]) + inner * ((x - 1.0F) * y[1] - x * y[2]);
}

// Computes eight values at once: the four values of each position are loaded as one vector and transposed.
SILL_FOR_PROCESSORS void interpolate_cubically(const float* dense, const std::int32_t* at, const float* parts,
                                               float* out, std::size_t count) {
  using Floats4 = float __attribute__((vector_size(16)));
  std::size_t i = 0;
  for (; i + 8 <= count; i += 8) {
    std::array<Floats8, 4> rows;  // positions k and k + 4
    for (std::size_t k = 0; k < 4; ++k) {
      Floats4 low;
      Floats4 high;
      std::memcpy(&low, dense + at[i + k] - 1, sizeof(low));
      std::memcpy(&high, dense + at[i + k + 4] - 1, sizeof(high));
      rows[k] = __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
    }
    const Floats8 low01 = __builtin_shufflevector(rows[0], rows[1], 0, 8, 1, 9, 4, 12, 5, 13);
    const Floats8 high01 = __builtin_shufflevector(rows[0], rows[1], 2, 10, 3, 11, 6, 14, 7, 15);
    const Floats8 low23 = __builtin_shufflevector(rows[2], rows[3], 0, 8, 1, 9, 4, 12, 5, 13);
    const Floats8 high23 = __builtin_shufflevector(rows[2], rows[3], 2, 10, 3, 11, 6, 14, 7, 15);
    const std::array<Floats8, 4> y{__builtin_shufflevector(low01, low23, 0, 1, 8, 9, 4, 5, 12, 13),
                                   __builtin_shufflevector(low01, low23, 2, 3, 10, 11, 6, 7, 14, 15),
                                   __builtin_shufflevector(high01, high23, 0, 1, 8, 9, 4, 5, 12, 13),
                                   __builtin_shufflevector(high01, high23, 2, 3, 10, 11, 6, 7, 14, 15)};
    Floats8 x;
    std::memcpy(&x, parts + i, sizeof(x));
    Floats8 value;
    cubic(y, x, value);
    std::memcpy(out + i, &value, sizeof(value));
  }
  for (; i < count; ++i) {
    const float* const y = dense + at[i] - 1;
    cubic({y[0], y[1], y[2], y[3]}, parts[i], out[i]);
  }
}

const std::vector<Weights>& all_weights() {
  static const std::vector<Weights> table = make_table();
  return table;
}

// Shifts samples within a trace; zeros fill the gap.
void move_samples(std::span<float> trace, std::int64_t by) {
  const std::int64_t samples = std::ssize(trace);
  const std::int64_t kept = std::max<std::int64_t>(0, samples - std::abs(by));
  if (by >= 0) {
    std::copy_backward(trace.begin(), trace.begin() + kept, trace.end());
    std::fill(trace.begin(), trace.end() - kept, 0.0F);
  } else {
    std::copy(trace.end() - kept, trace.end(), trace.begin());
    std::fill(trace.begin() + kept, trace.end(), 0.0F);
  }
}

}  // namespace

// The 16 samples of position p start at sample p - 7; for the lowest position, -8, at -15. So 16 zeros are needed on
// each side.
void SincInterpolation::pad(std::span<const float> trace, std::vector<float>& padded) {
  padded.resize(trace.size() + 2 * sinc_points + 1);
  std::fill_n(padded.begin(), sinc_points, 0.0F);
  const auto behind = std::ranges::copy(trace, padded.begin() + sinc_points).out;
  std::fill(behind, padded.end(), 0.0F);
}

void SincInterpolation::interpolate(const std::vector<float>& padded, std::int64_t samples,
                                    std::span<const double> places, std::span<float> out) {
  const std::vector<Weights>& table = all_weights();
  constexpr std::size_t at_once = 1024;
  std::array<std::uint16_t, at_once> rows;
  std::array<std::int32_t, at_once> at;
  for (std::size_t first = 0; first < places.size(); first += at_once) {
    const std::size_t count = std::min(at_once, places.size() - first);
    locate(places.data() + first, static_cast<double>(samples - 1), rows.data(), at.data(), count);
    weigh(padded.data(), table.data(), rows.data(), at.data(), out.data() + first, count);
  }
}

// The 16 samples of the position before the first sample start at padded sample 8.
void SincInterpolation::upsample(std::span<const float> trace, std::vector<float>& dense, std::vector<float>& scratch) {
  constexpr auto eighths = static_cast<std::size_t>(upsampling);
  static const auto weights = [] {
    std::array<float, sinc_points * eighths> all;
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = all_weights()[i % eighths * fractions / eighths][i / eighths];
    return all;
  }();
  pad(trace, scratch);
  const std::size_t count = trace.size() + 2;
  dense.resize(count * eighths);
  weigh_eighths(scratch.data() + sinc_points / 2, weights.data(), dense.data(), count);
}

void SincInterpolation::interpolate_upsampled(std::span<const float> dense, std::span<const std::int32_t> at,
                                              std::span<const float> parts, std::span<float> out) {
  interpolate_cubically(dense.data(), at.data(), parts.data(), out.data(), out.size());
}

void SincInterpolation::shift(std::span<float> trace, double by, std::vector<float>& scratch) {
  constexpr double tolerance = 1e-6;
  constexpr std::int64_t reach = sinc_points / 2;
  const std::int64_t samples = std::ssize(trace);
  if (!(std::abs(by) < static_cast<double>(samples + reach))) {  // the trace is shifted out completely
    std::ranges::fill(trace, 0.0F);
    return;
  }
  const double whole = std::nearbyint(by);
  if (std::abs(by - whole) < tolerance) return move_samples(trace, static_cast<std::int64_t>(whole));
  pad(trace, scratch);
  // Value i is after sample i + sample, by a fraction that is the same for all values.
  const double sample = std::floor(-by);
  const auto row = static_cast<std::size_t>((-by - sample) * fractions + 0.5);
  // Value i starts at padded sample i + start, which may be before the padded samples or too near to their end.
  const std::int64_t start = static_cast<std::int64_t>(sample) + reach + 1;
  const std::int64_t begin = std::max<std::int64_t>(0, -start);
  const std::int64_t end = std::min(samples, std::ssize(scratch) - std::int64_t{sinc_points} + 1 - start);
  std::fill_n(trace.begin(), begin, 0.0F);
  weigh_alike(scratch.data() + start + begin, all_weights()[row].data(), trace.data() + begin,
              static_cast<std::size_t>(end - begin));
  std::fill(trace.begin() + end, trace.end(), 0.0F);
}

}  // namespace sill::flow
