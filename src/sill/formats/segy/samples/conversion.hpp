// Converting samples from one format and byte order to another, with an account of what was lost.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/samples/conversion_kernels.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::segy {

/// What to do with samples that the target format cannot hold. Without a rule they are errors.
struct ConversionRules {
  bool clip = false;               ///< finite ones and infinities become the nearest value that the format has
  bool nonfinite_to_zero = false;  ///< NaN and infinities become zero
  bool accept_loss = false;        ///< as require_signal says
  double scale = 1.0;              ///< samples are multiplied by it, as floats, before
};

/// What became of samples.
struct ConversionAccount {
  std::int64_t samples = 0;
  std::int64_t lost = 0;     ///< become 0, or differ by more than lost_share; some of the rounded ones
  std::int64_t rounded = 0;  ///< the target's value is not the source's; without those clipped or zeroed
  std::int64_t clipped = 0;
  std::int64_t zeroed = 0;
  double largest_relative_error =
      0.0;  ///< |target - source| / |source| over the rounded ones, with a float's precision

  /// Local. Adds the account of other samples; the order does not matter.
  void add(const ConversionAccount& other);
};

/// Local. Errors: input, of the file `output`, if more than a tenth of all samples are lost in the format `to`, unless
/// the rules accept it. `scaling` says how samples would be made larger before. Precondition: `all` of all ranks.
void require_signal(const ConversionAccount& all, const ConversionRules& rules, SampleFormat to,
                    const std::string& output, std::string_view scaling);

/// Conversion between two encodings of samples. Immutable: any number of threads may use one.
///
/// The exact value of the source is rounded once, halves to even. NaN and infinities stay what they are between the
/// IEEE formats (a NaN of 8 bytes keeps as much of its payload as 4 bytes hold); other formats cannot hold them. The
/// sign of a zero is kept between floating-point formats. A conversion that changes the byte order alone moves bytes
/// and looks at no value; one that changes nothing copies.
class SampleConversion {
 public:
  /// Local. Errors: usage, if samples cannot be written in the format `to` (code 4), unless that is also `from`.
  SampleConversion(SampleFormat from, ByteOrder from_order, SampleFormat to, ByteOrder to_order, ConversionRules rules);

  /// Local. As above, with the kernels given instead of the fastest; one of runnable_kernels().
  SampleConversion(SampleFormat from, ByteOrder from_order, SampleFormat to, ByteOrder to_order, ConversionRules rules,
                   const KernelSet& kernels);

  /// Local. Converts all samples of `in` to `out` and adds to the account.
  /// Preconditions: both spans hold the same whole number of samples; they do not overlap, but they may be the same if
  /// samples of both formats have the same width. The processor's floating point is as it is by default.
  /// Errors: input, naming the first sample (where.item, from 1 in this call) that the target cannot hold and that no
  /// rule is for. The contents of `out` and the account are then undefined.
  void convert(std::span<const std::byte> in, std::span<std::byte> out, ConversionAccount& account) const;

 private:
  void convert_scaled(std::span<const std::byte> in, std::span<std::byte> out, ConversionAccount& account) const;
  void reorder(const std::byte* in, std::byte* out, std::size_t samples) const;
  [[nodiscard]] KernelOutcome convert_block(const std::byte* in, std::byte* out, std::size_t samples) const;
  void convert_exactly(const std::byte* in, std::byte* out, std::size_t samples, std::size_t first_sample,
                       ConversionAccount& account) const;

  SampleFormat from_;
  SampleFormat to_;
  ByteOrder from_order_;
  ByteOrder to_order_;
  ConversionRules rules_;
  SwapKernel swap_ = nullptr;         ///< of a conversion that reverses the bytes of its words and does nothing else
  std::size_t words_per_sample_ = 1;  ///< for swap_
  ConvertKernel kernel_ = nullptr;    ///< to the target, or to native floats
  ConvertKernel second_ = nullptr;    ///< from native floats to the target, if one kernel is not enough
  std::shared_ptr<const SampleConversion> to_floats_;  ///< of a conversion that scales, and then to the target
  std::shared_ptr<const SampleConversion> from_floats_;
};

}  // namespace sill::segy
