// Words to try sample formats with: edges, all exponents, and many that look random.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::segy::test {

inline constexpr std::array all_formats = {
    SampleFormat::ibm_float,   SampleFormat::int32,  SampleFormat::int16,  SampleFormat::fixed_point_gain,
    SampleFormat::ieee_float,  SampleFormat::int24,  SampleFormat::int8,   SampleFormat::fixed_point_gain_rev2,
    SampleFormat::ieee_double, SampleFormat::int64,  SampleFormat::uint32, SampleFormat::uint16,
    SampleFormat::uint64,      SampleFormat::uint24, SampleFormat::uint8};
inline constexpr std::array all_orders = {ByteOrder::big, ByteOrder::little, ByteOrder::pairwise};

/// The words next to every power of two in every byte of the exponent, for all formats alike, then `random` words of
/// mixed magnitudes.
inline std::vector<std::uint64_t> words_of(SampleFormat format, int random, std::uint64_t seed) {
  const int width = 8 * bytes_of(format);
  const std::uint64_t mask = width == 64 ? ~0ULL : (1ULL << width) - 1;
  std::vector<std::uint64_t> words;
  for (int high = 0; high < (width >= 16 ? 512 : 0); ++high)
    for (const std::uint64_t low : {0ULL, 1ULL, 2ULL, 3ULL, 0x7FFFFFULL, 0x400000ULL, 0x3FFFFFULL, 0x400001ULL})
      words.push_back((static_cast<std::uint64_t>(high) << (width - 9)) | (low & (mask >> 9U)));
  for (int bit = 0; bit < width; ++bit) {
    const std::uint64_t power = 1ULL << bit;
    for (const std::uint64_t near : {power - 2, power - 1, power, power + 1, power + 2, power + (power >> 1U)})
      for (const std::uint64_t signed_word : {near, 0 - near}) words.push_back(signed_word & mask);
  }
  if (format == SampleFormat::ieee_float || format == SampleFormat::ieee_double) {
    // Halves and their neighbours, and the limits of the integers, as floating-point numbers.
    std::vector<double> numbers = {0.0, 1e-40, 3.4028234e38, 3.4028235677973366e38, 7.2e75, 7.3e75, 1e300, 5e-324};
    for (int power = 0; power <= 64; ++power) {
      const double limit =
          static_cast<double>(power == 64 ? 18446744073709551616.0 : static_cast<double>(1ULL << power));
      for (const double part : {-1.5, -1.0, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.5})
        numbers.push_back(limit + part);
    }
    for (const double number : numbers)
      for (const double signed_number : {number, -number})
        words.push_back(format == SampleFormat::ieee_double
                            ? std::bit_cast<std::uint64_t>(signed_number)
                            : std::bit_cast<std::uint32_t>(static_cast<float>(signed_number)));
  }
  std::mt19937_64 generator(seed);
  for (int i = 0; i < random; ++i) {
    const std::uint64_t word = generator();
    // Every other integer is of a random width, every other float of a magnitude near 1.
    const auto shift = static_cast<unsigned>(generator() % 64U);
    switch (format) {
      case SampleFormat::ibm_float:
        words.push_back(i % 2 == 0 ? word & mask : (word & 0x83FFFFFFU) | 0x40000000U);
        break;
      case SampleFormat::ieee_float:
        words.push_back(i % 2 == 0 ? word & mask : (word & 0x87FFFFFFU) | 0x38000000U | ((word & 0x08000000U) << 3U));
        break;
      case SampleFormat::ieee_double:
        words.push_back(
            i % 2 == 0 ? word
                       : std::bit_cast<std::uint64_t>(std::ldexp(static_cast<double>(static_cast<std::int64_t>(word)),
                                                                 -static_cast<int>(shift) - 10)));
        break;
      default: words.push_back((i % 2 == 0 ? word : word >> shift) & mask); break;
    }
  }
  return words;
}

}  // namespace sill::segy::test
