// The sample formats by the definitions of the standard, in floating point and one by one: what conversions are held
// against. Shares no code with the library.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::segy::test {

/// Wide enough for every value of every format.
using Wide = long double;
static_assert(std::numeric_limits<Wide>::digits >= 64);

inline bool is_ieee(SampleFormat format) {
  return format == SampleFormat::ieee_float || format == SampleFormat::ieee_double;
}

template <class Real>
Real slow_ieee(std::uint64_t bits, int fraction_bits, int exponent_bits) {
  const auto fraction = static_cast<Real>(bits & ((1ULL << fraction_bits) - 1));
  const int exponent = static_cast<int>((bits >> fraction_bits) & ((1ULL << exponent_bits) - 1));
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const bool negative = (bits >> (fraction_bits + exponent_bits)) != 0;
  Real size;
  if (exponent == (1 << exponent_bits) - 1) {
    size = fraction == 0 ? std::numeric_limits<Real>::infinity() : std::numeric_limits<Real>::quiet_NaN();
  } else if (exponent == 0) {
    size = std::ldexp(fraction, 1 - bias - fraction_bits);
  } else {
    size = std::ldexp(fraction + std::ldexp(Real{1}, fraction_bits), exponent - bias - fraction_bits);
  }
  return negative ? -size : size;
}

template <class Real>
Real slow_signed(std::uint64_t bits, int width) {
  const bool negative = ((bits >> (width - 1)) & 1U) != 0;
  return static_cast<Real>(bits) - (negative ? std::ldexp(Real{1}, width) : Real{0});
}

/// What the bits of a sample mean.
template <class Real = Wide>
Real slow_value(std::uint64_t bits, SampleFormat format) {
  const int width = 8 * bytes_of(format);
  switch (format) {
    case SampleFormat::ibm_float: {
      // (-1)^sign * 0.fraction * 16^(exponent - 64)
      const int exponent = static_cast<int>((bits >> 24U) & 0x7FU);
      const Real size = std::ldexp(static_cast<Real>(bits & 0xFFFFFFU), 4 * (exponent - 64) - 24);
      return (bits >> 31U) != 0 ? -size : size;
    }
    case SampleFormat::ieee_float: return slow_ieee<Real>(bits, 23, 8);
    case SampleFormat::ieee_double: return slow_ieee<Real>(bits, 52, 11);
    case SampleFormat::fixed_point_gain:
      return std::ldexp(slow_signed<Real>(bits & 0xFFFFU, 16), static_cast<int>((bits >> 16U) & 0xFFU));
    case SampleFormat::fixed_point_gain_rev2:
      return std::ldexp(slow_signed<Real>(bits & 0xFFFFU, 16), -static_cast<int>((bits >> 16U) & 0xFFU));
    case SampleFormat::int8:
    case SampleFormat::int16:
    case SampleFormat::int24:
    case SampleFormat::int32:
    case SampleFormat::int64: return slow_signed<Real>(bits, width);
    default: return static_cast<Real>(bits);
  }
}

template <class Real>
Real largest_of(SampleFormat format) {
  switch (format) {
    case SampleFormat::ibm_float: return std::ldexp(Real{0xFFFFFF}, 4 * 63 - 24);
    case SampleFormat::ieee_float: return std::ldexp(Real{0xFFFFFF}, 104);
    case SampleFormat::ieee_double: return static_cast<Real>(std::numeric_limits<double>::max());
    case SampleFormat::int8: return Real{127};
    case SampleFormat::int16: return Real{32767};
    case SampleFormat::int24: return Real{8388607};
    case SampleFormat::int32: return Real{2147483647};
    case SampleFormat::int64: return std::ldexp(Real{1}, 63) - Real{1};
    default: return std::ldexp(Real{1}, 8 * bytes_of(format)) - Real{1};
  }
}

template <class Real>
Real lowest_of(SampleFormat format) {
  switch (format) {
    case SampleFormat::ibm_float:
    case SampleFormat::ieee_float:
    case SampleFormat::ieee_double: return -largest_of<Real>(format);
    case SampleFormat::int8:
    case SampleFormat::int16:
    case SampleFormat::int24:
    case SampleFormat::int32:
    case SampleFormat::int64: return -largest_of<Real>(format) - Real{1};
    default: return Real{0};
  }
}

/// The nearest value of a format to a finite one, ties to even, as if the format had no largest value.
template <class Real>
Real slow_nearest(Real value, SampleFormat format) {
  int unit = 0;  // as a power of 2
  if (value == 0) return value;
  switch (format) {
    case SampleFormat::ieee_float: unit = std::max(std::ilogb(value) - 23, -149); break;
    case SampleFormat::ieee_double: unit = std::max(std::ilogb(value) - 52, -1074); break;
    case SampleFormat::ibm_float: {
      // The smallest power of 16 above the value; the fraction has 24 bits below it.
      const int above = 4 * static_cast<int>(std::floor(std::ilogb(value) / 4.0)) + 4;
      unit = std::max(above, -256) - 24;
      break;
    }
    default: break;
  }
  return std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
}

}  // namespace sill::segy::test
