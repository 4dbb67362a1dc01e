// Exact decoding of single samples, and rounding to the nearest sample of another format.
//
// Only integer arithmetic is used, so that nothing depends on the floating-point unit of the processor; every other way
// to convert samples is tested against this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::segy {

/// The value of a sample of any format: (-1)^negative * magnitude * 2^exponent if it is finite.
struct ExactSample {
  enum class Kind : std::uint8_t { finite, infinite, not_a_number };

  Kind kind = Kind::finite;
  bool negative = false;
  std::uint64_t magnitude = 0;  ///< for a NaN: its 52 bits as in a double, never 0
  int exponent = 0;
};

/// The accuracy with which a format represents a value.
enum class Fit : std::uint8_t {
  exact,         ///< unchanged; includes NaN and infinities in IEEE formats
  rounded,       ///< rounded to the nearest value of the format, ties to even
  out_of_range,  ///< finite, but out of range after rounding
  infinite,      ///< infinite, which the format cannot represent
  not_a_number,  ///< NaN, which the format cannot represent
};

/// A value converted to a format.
struct FittedSample {
  std::uint64_t bits = 0;  ///< if out of range or infinite: the finite extreme of the same sign; if NaN: 0
  Fit fit = Fit::exact;
  float relative_error = 0.0F;  ///< |target - source| / |source|, rounded to a float; 0 unless `rounded`
};

/// Local. Returns the stored bits of a sample, in the low bits. 24-bit samples in pairwise order: see load_bits in
/// word.hpp.
[[nodiscard]] std::uint64_t load_sample(const std::byte* from, SampleFormat format, ByteOrder order);

/// Local. Writes `bits` as a sample, so that load_sample returns the same bits.
void store_sample(std::byte* to, std::uint64_t bits, SampleFormat format, ByteOrder order);

/// Local. Returns the value of a sample with these bits. Source: SEG-Y rev 2.1, bytes 3225-3226; rev 1 for
/// fixed_point_gain.
[[nodiscard]] ExactSample exact_sample(std::uint64_t bits, SampleFormat format);

/// Local. Returns the sample of `format` nearest to `value`, ties to even. IBM floats are normalised if a normalised
/// float exists. Floating-point formats preserve the sign of a zero. Precondition: is_writable(format).
[[nodiscard]] FittedSample fit_sample(const ExactSample& value, SampleFormat format);

/// Local. Returns the sample of `format` nearest to the exact product of a value and a factor, as fit_sample; a NaN is
/// unchanged. The relative error may be 2^-62 too large. Preconditions: is_writable(format); the factor is a double,
/// finite and not 0.
[[nodiscard]] FittedSample fit_product(const ExactSample& value, const ExactSample& factor, SampleFormat format);

/// Local. Returns the value as text for a message, in the fewest digits that distinguish it from other values of its
/// precision.
[[nodiscard]] std::string text_of(const ExactSample& value);

}  // namespace sill::segy
