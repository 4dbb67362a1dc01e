// One sample as an exact number, and the nearest sample of another format to it.
//
// Whole numbers only, so that nothing depends on the processor's floating point; every other way of converting samples
// is held against this one.
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
  std::uint64_t magnitude = 0;  ///< of a NaN: its 52 bits as in a double, never 0
  int exponent = 0;
};

/// How well a format holds a value.
enum class Fit : std::uint8_t {
  exact,         ///< as it is; NaN and infinities too, in IEEE formats
  rounded,       ///< the nearest of the format, half to even
  out_of_range,  ///< finite, but beyond the format once rounded
  infinite,      ///< which the format cannot hold
  not_a_number,  ///< which the format cannot hold
};

/// A sample made for a format.
struct FittedSample {
  std::uint64_t bits = 0;  ///< if out of range or infinite the finite extreme on that side, 0 for a NaN
  Fit fit = Fit::exact;
  float relative_error = 0.0F;  ///< |target - source| / |source|, rounded to a float; 0 unless `rounded`
};

/// Local. The stored bits of a sample, in the low bits. 24-bit samples in pairwise order as load_bits in word.hpp.
[[nodiscard]] std::uint64_t load_sample(const std::byte* from, SampleFormat format, ByteOrder order);

/// Local. Stores the bits of a sample: what load_sample gives back.
void store_sample(std::byte* to, std::uint64_t bits, SampleFormat format, ByteOrder order);

/// Local. What the bits of a sample mean. Source: SEG-Y rev 2.1, bytes 3225-3226; rev 1 for fixed_point_gain.
[[nodiscard]] ExactSample exact_sample(std::uint64_t bits, SampleFormat format);

/// Local. The sample of `format` nearest to `value`, half to even. IBM words are normalised wherever a normalised word
/// exists. The sign of a zero is kept by the floating-point formats. Precondition: is_writable(format).
[[nodiscard]] FittedSample fit_sample(const ExactSample& value, SampleFormat format);

/// Local. The value for a message: in the fewest digits that distinguish it from others of its precision.
[[nodiscard]] std::string text_of(const ExactSample& value);

}  // namespace sill::segy
