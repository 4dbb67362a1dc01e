// Decodes samples to exact integers, and rounds such integers to samples.
#include "sill/formats/segy/samples/exact_sample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

#include "sill/formats/segy/words/word.hpp"

namespace sill::segy {
namespace {

using Kind = ExactSample::Kind;

constexpr std::uint64_t low_bits(int count) { return count >= 64 ? ~0ULL : (1ULL << count) - 1; }

// In GCC 12, std::bit_width returns the type of its argument.
int bit_width_of(std::uint64_t magnitude) { return static_cast<int>(std::bit_width(magnitude)); }

bool is_signed_integer(SampleFormat format) {
  return format == SampleFormat::int8 || format == SampleFormat::int16 || format == SampleFormat::int24 ||
         format == SampleFormat::int32 || format == SampleFormat::int64;
}

/// An IEEE format: 1 bit of sign, then the exponent, then the fraction.
struct IeeeShape {
  int fraction_bits;
  int exponent_bits;

  [[nodiscard]] constexpr std::uint64_t top_exponent() const { return low_bits(exponent_bits); }
  /// Returns the exponent (of 2) of the unit of the smallest magnitudes: -149 for float.
  [[nodiscard]] constexpr int lowest_unit() const { return 2 - (1 << (exponent_bits - 1)) - fraction_bits; }
};
constexpr IeeeShape float_shape{23, 8};
constexpr IeeeShape double_shape{52, 11};

ExactSample exact_ieee(std::uint64_t bits, IeeeShape shape) {
  const std::uint64_t fraction = bits & low_bits(shape.fraction_bits);
  const std::uint64_t exponent = (bits >> shape.fraction_bits) & shape.top_exponent();
  const bool negative = (bits >> (shape.fraction_bits + shape.exponent_bits)) != 0;
  if (exponent == shape.top_exponent()) {
    if (fraction == 0) return {Kind::infinite, negative, 0, 0};
    return {Kind::not_a_number, negative, fraction << (double_shape.fraction_bits - shape.fraction_bits), 0};
  }
  if (exponent == 0) return {Kind::finite, negative, fraction, shape.lowest_unit()};
  return {Kind::finite, negative, fraction | (1ULL << shape.fraction_bits),
          shape.lowest_unit() + static_cast<int>(exponent) - 1};
}

ExactSample exact_fixed_point(std::uint64_t bits, bool gain_divides) {
  const auto q = static_cast<std::int16_t>(static_cast<std::uint16_t>(bits & 0xFFFFU));
  const int gain = static_cast<int>((bits >> 16U) & 0xFFU);
  return {Kind::finite, q < 0, static_cast<std::uint64_t>(std::abs(int{q})), gain_divides ? -gain : gain};
}

/// An integer whose lowest bits were rounded away.
struct RoundedInteger {
  std::uint64_t value;
  float relative_error;
  bool exact;
};

/// Returns magnitude * 2^-bits, rounded to the nearest integer, ties to even.
RoundedInteger round_low_bits(std::uint64_t magnitude, int bits) {
  if (bits == 0 || magnitude == 0) return {magnitude, 0.0F, true};
  if (bits > 64) return {0, 1.0F, false};  // below half
  const std::uint64_t rest = magnitude & low_bits(bits);
  const std::uint64_t half = 1ULL << (bits - 1);
  std::uint64_t value = bits == 64 ? 0 : magnitude >> bits;
  if (rest == 0) return {value, 0.0F, true};
  const bool up = rest > half || (rest == half && (value & 1U) != 0);
  const std::uint64_t error = up ? low_bits(bits) - rest + 1 : rest;
  if (up) ++value;
  return {value, static_cast<float>(static_cast<double>(error) / static_cast<double>(magnitude)), false};
}

/// Returns magnitude * 2^shift, which must fit; rounded if the shift is negative.
RoundedInteger shifted(std::uint64_t magnitude, int shift) {
  if (shift >= 0) return {magnitude << shift, 0.0F, true};
  return round_low_bits(magnitude, -shift);
}

FittedSample fitted(std::uint64_t bits, const RoundedInteger& rounded) {
  return {bits, rounded.exact ? Fit::exact : Fit::rounded, rounded.relative_error};
}

FittedSample fit_integer(const ExactSample& value, SampleFormat format) {
  const int width = 8 * bytes_of(format);
  const bool is_signed = is_signed_integer(format);
  const std::uint64_t positive_limit = low_bits(is_signed ? width - 1 : width);
  const std::uint64_t negative_limit = is_signed ? positive_limit + 1 : 0;
  const std::uint64_t limit = value.negative ? negative_limit : positive_limit;
  const auto with_sign = [&](std::uint64_t magnitude) {
    return (value.negative ? 0 - magnitude : magnitude) & low_bits(width);
  };
  if (value.kind == Kind::infinite) return {with_sign(limit), Fit::infinite};
  if (value.magnitude == 0) return {};
  if (value.exponent > 64 - bit_width_of(value.magnitude)) return {with_sign(limit), Fit::out_of_range};
  const RoundedInteger rounded = shifted(value.magnitude, value.exponent);
  if (rounded.value > limit) return {with_sign(limit), Fit::out_of_range};
  return fitted(with_sign(rounded.value), rounded);
}

/// A type that holds the product of any two magnitudes.
__extension__ using LongMagnitude = unsigned __int128;

/// Returns the 8-byte integer nearest to magnitude * 2^-bits, which is at least 2^62 and below 2^64.
FittedSample fit_long_integer(LongMagnitude magnitude, int bits, bool negative, SampleFormat format) {
  const LongMagnitude half = LongMagnitude{1} << (bits - 1);
  const LongMagnitude rest = magnitude & (2 * half - 1);
  LongMagnitude value = magnitude >> bits;
  const bool up = rest > half || (rest == half && (value & 1U) != 0);
  if (up) ++value;
  if ((value >> 64U) != 0) return fit_integer({Kind::finite, negative, 1, 64}, format);
  FittedSample sample = fit_integer({Kind::finite, negative, static_cast<std::uint64_t>(value), 0}, format);
  if (sample.fit != Fit::exact || rest == 0) return sample;
  const LongMagnitude error = up ? 2 * half - rest : rest;
  return {sample.bits, Fit::rounded, static_cast<float>(static_cast<double>(error) / static_cast<double>(magnitude))};
}

FittedSample fit_ieee(const ExactSample& value, IeeeShape shape) {
  const std::uint64_t sign = std::uint64_t{value.negative} << (shape.fraction_bits + shape.exponent_bits);
  const std::uint64_t infinity = shape.top_exponent() << shape.fraction_bits;
  if (value.kind == Kind::infinite) return {sign | infinity};
  if (value.kind == Kind::not_a_number) {
    std::uint64_t fraction = value.magnitude >> (double_shape.fraction_bits - shape.fraction_bits);
    if (fraction == 0) fraction = 1ULL << (shape.fraction_bits - 1);  // must not become infinity
    return {sign | infinity | fraction};
  }
  if (value.magnitude == 0) return {sign};
  const int top = bit_width_of(value.magnitude) - 1 + value.exponent;  // 2^top <= |value| < 2^(top + 1)
  const int unit = std::max(top - shape.fraction_bits, shape.lowest_unit());
  const RoundedInteger rounded = shifted(value.magnitude, value.exponent - unit);
  // The leading bit of a normal magnitude adds one to the exponent; a carry out of the fraction adds another.
  const std::uint64_t bits =
      (static_cast<std::uint64_t>(unit - shape.lowest_unit()) << shape.fraction_bits) + rounded.value;
  if (bits >= infinity) return {sign | (infinity - 1), Fit::out_of_range};
  return fitted(sign | bits, rounded);
}

FittedSample fit_ibm(const ExactSample& value) {
  const std::uint64_t sign = std::uint64_t{value.negative} << 31U;
  const std::uint64_t largest = sign | 0x7FFFFFFFU;
  if (value.kind == Kind::infinite) return {largest, Fit::infinite};
  if (value.magnitude == 0) return {sign};
  // fraction * 2^(4 * exponent - 280), 2^20 <= fraction < 2^24; smaller values have exponent 0.
  const int top = bit_width_of(value.magnitude) - 1 + value.exponent;
  int exponent = top + 260 >= 0 ? (top + 260) / 4 : 0;
  if (exponent > 127) return {largest, Fit::out_of_range};
  RoundedInteger rounded = shifted(value.magnitude, value.exponent - (4 * exponent - 280));
  if (rounded.value == 0x1000000U) {
    rounded.value = 0x100000U;
    ++exponent;
  }
  if (exponent > 127) return {largest, Fit::out_of_range};
  return fitted(sign | (static_cast<std::uint64_t>(exponent) << 24U) | rounded.value, rounded);
}

}  // namespace

std::uint64_t load_sample(const std::byte* from, SampleFormat format, ByteOrder order) {
  return load_bits(from, bytes_of(format), order);
}

void store_sample(std::byte* to, std::uint64_t bits, SampleFormat format, ByteOrder order) {
  switch (bytes_of(format)) {
    case 1: return store(to, static_cast<std::uint8_t>(bits), order);
    case 2: return store(to, static_cast<std::uint16_t>(bits), order);
    case 4: return store(to, static_cast<std::uint32_t>(bits), order);
    case 8: return store(to, bits, order);
    default: break;
  }
  const auto high = static_cast<std::byte>(bits >> 16U);
  const auto middle = static_cast<std::byte>(bits >> 8U);
  const auto low = static_cast<std::byte>(bits);
  to[0] = order == ByteOrder::big ? high : order == ByteOrder::little ? low : middle;
  to[1] = order == ByteOrder::pairwise ? high : middle;
  to[2] = order == ByteOrder::little ? high : low;
}

ExactSample exact_sample(std::uint64_t bits, SampleFormat format) {
  switch (format) {
    case SampleFormat::ibm_float:
      return {Kind::finite, (bits >> 31U) != 0, bits & 0xFFFFFFU, 4 * static_cast<int>((bits >> 24U) & 0x7FU) - 280};
    case SampleFormat::ieee_float: return exact_ieee(bits, float_shape);
    case SampleFormat::ieee_double: return exact_ieee(bits, double_shape);
    case SampleFormat::fixed_point_gain: return exact_fixed_point(bits, false);
    case SampleFormat::fixed_point_gain_rev2: return exact_fixed_point(bits, true);
    case SampleFormat::int8:
    case SampleFormat::int16:
    case SampleFormat::int24:
    case SampleFormat::int32:
    case SampleFormat::int64: {
      const std::int64_t value = sign_extended(bits, bytes_of(format));
      const auto raw = static_cast<std::uint64_t>(value);
      return {Kind::finite, value < 0, value < 0 ? 0 - raw : raw, 0};
    }
    case SampleFormat::uint8:
    case SampleFormat::uint16:
    case SampleFormat::uint24:
    case SampleFormat::uint32:
    case SampleFormat::uint64: break;
  }
  return {Kind::finite, false, bits, 0};
}

FittedSample fit_sample(const ExactSample& value, SampleFormat format) {
  if (format == SampleFormat::ieee_float) return fit_ieee(value, float_shape);
  if (format == SampleFormat::ieee_double) return fit_ieee(value, double_shape);
  if (value.kind == Kind::not_a_number) return {0, Fit::not_a_number};
  return format == SampleFormat::ibm_float ? fit_ibm(value) : fit_integer(value, format);
}

FittedSample fit_product(const ExactSample& value, const ExactSample& factor, SampleFormat format) {
  if (value.kind == Kind::not_a_number) return fit_sample(value, format);
  ExactSample product{value.kind, value.negative != factor.negative, value.magnitude, value.exponent + factor.exponent};
  if (value.kind == Kind::infinite) return fit_sample(product, format);
  const LongMagnitude exact = LongMagnitude{value.magnitude} * factor.magnitude;
  const int cut = bit_width_of(static_cast<std::uint64_t>(exact >> 64U));
  const bool is_long = format == SampleFormat::int64 || format == SampleFormat::uint64;
  if (is_long && cut > 0 && (product.exponent + cut == 0 || product.exponent + cut == -1))
    return fit_long_integer(exact, -product.exponent, product.negative, format);
  // The lowest bit represents all bits that are cut off: it is below the half of the last bit of the sample.
  const bool is_cut = (static_cast<std::uint64_t>(exact) & low_bits(cut)) != 0;
  product.magnitude = static_cast<std::uint64_t>(exact >> static_cast<unsigned>(cut)) | std::uint64_t{is_cut};
  product.exponent += cut;
  return fit_sample(product, format);
}

std::string text_of(const ExactSample& value) {
  const char* const sign = value.negative ? "-" : "";
  if (value.kind == Kind::not_a_number) return "nan";
  if (value.kind == Kind::infinite) return fmt::format("{}inf", sign);
  if (value.exponent == 0) return fmt::format("{}{}", sign, value.magnitude);
  const double magnitude = std::ldexp(static_cast<double>(value.magnitude), value.exponent);
  // Integers are printed with all digits: the shortest form of a float may name a number that is in range.
  if (magnitude < 0x1p64 && magnitude == std::floor(magnitude))
    return fmt::format("{}{}", sign, static_cast<std::uint64_t>(magnitude));
  if (magnitude <= 3.0e38 && static_cast<double>(static_cast<float>(magnitude)) == magnitude)
    return fmt::format("{}{}", sign, static_cast<float>(magnitude));
  return fmt::format("{}{}", sign, magnitude);
}

}  // namespace sill::segy
