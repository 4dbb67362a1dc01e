#include "sill/flow/operation/sinc.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <numbers>

#include "sill/base/processors.hpp"

namespace sill::flow {
namespace {

constexpr std::size_t points = 16;
// Places are rounded to this part of a sample: the error is at most pi 0.6 / 2 / 4096.
constexpr std::size_t fractions = 4096;

using Weights = std::array<float, points>;

// Weights of the samples from 7 before to 8 behind a place, for each fraction behind its sample, the last being 1.
std::vector<Weights> make_table() {
  constexpr double beta = 8.0;
  constexpr double half_width = points / 2.0;
  std::vector<Weights> table(fractions + 1);
  for (std::size_t f = 0; f <= fractions; ++f) {
    std::array<double, points> weights{};
    double sum = 0.0;
    for (std::size_t k = 0; k < points; ++k) {
      const double x = static_cast<double>(f) / fractions - (static_cast<double>(k) - (half_width - 1.0));
      const double u = x / half_width;
      const double window = std::abs(u) <= 1.0
                                ? std::cyl_bessel_i(0.0, beta * std::sqrt(1.0 - u * u)) / std::cyl_bessel_i(0.0, beta)
                                : 0.0;
      const double sinc = x == 0.0 ? 1.0 : std::sin(std::numbers::pi * x) / (std::numbers::pi * x);
      // A whole number of samples away: nothing but rounding.
      const bool is_zero = x != 0.0 && x == std::floor(x);
      weights[k] = is_zero ? 0.0 : sinc * window;
      sum += weights[k];
    }
    for (std::size_t k = 0; k < points; ++k) table[f][k] = static_cast<float>(weights[k] / sum);
  }
  return table;
}

using Floats16 = float __attribute__((vector_size(64)));
using Floats8 = float __attribute__((vector_size(32)));
using Floats4 = float __attribute__((vector_size(16)));

// `rows` and `at` say of each value which weights it has and at which of the padded samples they begin.
SILL_FOR_PROCESSORS void weigh(const float* padded, const Weights* table, const std::uint16_t* rows,
                               const std::int32_t* at, float* out, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    Floats16 weights;
    Floats16 samples;
    std::memcpy(&weights, table[rows[i]].data(), sizeof(weights));
    std::memcpy(&samples, padded + at[i], sizeof(samples));
    const Floats16 products = weights * samples;
    // Halves are added: an order of the sum that does not depend on what the processor can hold.
    Floats8 low8;
    Floats8 high8;
    std::memcpy(&low8, &products, sizeof(low8));
    std::memcpy(&high8, reinterpret_cast<const char*>(&products) + sizeof(low8), sizeof(high8));
    const Floats8 sums8 = low8 + high8;
    Floats4 low4;
    Floats4 high4;
    std::memcpy(&low4, &sums8, sizeof(low4));
    std::memcpy(&high4, reinterpret_cast<const char*>(&sums8) + sizeof(low4), sizeof(high4));
    const Floats4 sums4 = low4 + high4;
    out[i] = (sums4[0] + sums4[2]) + (sums4[1] + sums4[3]);
  }
}

SILL_FOR_PROCESSORS void locate(const double* places, double last, std::uint16_t* rows, std::int32_t* at,
                                std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    // Beyond 8 samples outside, all 16 samples are zeros.
    double place = places[i];
    place = place > -8.0 ? place : -8.0;
    place = place < last + 8.0 ? place : last + 8.0;
    const double sample = std::floor(place);
    rows[i] = static_cast<std::uint16_t>(static_cast<std::int32_t>((place - sample) * fractions + 0.5));
    at[i] = static_cast<std::int32_t>(sample) + 9;
  }
}

}  // namespace

// The 16 samples of place p begin at sample p - 7; of the lowest place, -8, at -15. So 16 zeros are on each side.
void SincInterpolation::pad(std::span<const float> trace, std::vector<float>& padded) {
  padded.assign(trace.size() + 2 * points + 1, 0.0F);
  std::ranges::copy(trace, padded.begin() + points);
}

void SincInterpolation::interpolate(const std::vector<float>& padded, std::int64_t samples,
                                    std::span<const double> places, std::span<float> out) {
  static const std::vector<Weights> table = make_table();
  constexpr std::size_t at_once = 1024;
  std::array<std::uint16_t, at_once> rows;
  std::array<std::int32_t, at_once> at;
  for (std::size_t first = 0; first < places.size(); first += at_once) {
    const std::size_t count = std::min(at_once, places.size() - first);
    locate(places.data() + first, static_cast<double>(samples - 1), rows.data(), at.data(), count);
    weigh(padded.data(), table.data(), rows.data(), at.data(), out.data() + first, count);
  }
}

}  // namespace sill::flow
