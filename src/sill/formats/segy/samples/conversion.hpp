// Conversion of samples from one format and byte order to another. Counts the losses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/samples/conversion_kernels.hpp"
#include "sill/formats/segy/samples/exact_sample.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::segy {

/// Rules for samples that the target format cannot represent. A sample to which no rule applies is an error.
struct ConversionRules {
  bool clip = false;               ///< finite values and infinities become the nearest value of the format
  bool nonfinite_to_zero = false;  ///< NaN and infinities become zero
  bool accept_loss = false;        ///< accepts lost samples, see `require_signal`
  double scale = 1.0;  ///< exact values are multiplied by this finite factor, not 0, before they are rounded
};

/// Counts of the effects of a conversion.
struct ConversionAccount {
  std::int64_t samples = 0;
  std::int64_t lost = 0;     ///< samples that become 0 or change by more than lost_share; also counted as rounded
  std::int64_t rounded = 0;  ///< samples whose value changed, except clipped and zeroed ones
  std::int64_t clipped = 0;
  std::int64_t zeroed = 0;
  double largest_relative_error =
      0.0;  ///< |target - source| / |source| over the rounded ones, with a float's precision

  /// Local. Adds the counts of other samples; the order does not matter.
  void add(const ConversionAccount& other);
};

/// Local. Throws Error(input) for the file `output` if more than a tenth of all samples are lost in the format `to`,
/// unless the rules accept it. `scaling` is the advice, in the error, on how to enlarge the samples first.
/// Precondition: `all` is the sum over all ranks.
void require_signal(const ConversionAccount& all, const ConversionRules& rules, SampleFormat to,
                    const std::string& output, std::string_view scaling);

/// Conversion between two encodings of samples. Immutable: several threads may use one object.
///
/// The exact value of the source, times the scale, is rounded once, ties to even. NaN and infinities are preserved
/// between the IEEE formats (an 8-byte NaN preserves as much of its payload as 4 bytes can store); other formats cannot
/// represent them. Floating-point formats preserve the sign of a zero. A conversion that changes only the byte order
/// moves bytes without decoding values; one that changes nothing copies.
class SampleConversion {
 public:
  /// Local. Prepares a conversion. Errors: usage, if samples cannot be written in the format `to` (code 4), unless
  /// `from` is the same format.
  SampleConversion(SampleFormat from, ByteOrder from_order, SampleFormat to, ByteOrder to_order, ConversionRules rules);

  /// Local. Prepares a conversion with `kernels`, one of runnable_kernels(), instead of the fastest kernels. Errors: as
  /// the first constructor.
  SampleConversion(SampleFormat from, ByteOrder from_order, SampleFormat to, ByteOrder to_order, ConversionRules rules,
                   const KernelSet& kernels);

  /// Local. Converts all samples of `in` to `out` and adds the losses to `account`. Preconditions: both spans contain
  /// the same integer number of samples; they do not overlap, but they may be the same memory if samples of both
  /// formats have the same width. The floating-point environment of the processor is the default. Errors: input, naming
  /// the first sample (where.item, from 1 in this call) that the target cannot represent and to which no rule applies.
  /// The contents of `out` and the account are then undefined.
  void convert(std::span<const std::byte> in, std::span<std::byte> out, ConversionAccount& account) const;

 private:
  void reorder(const std::byte* in, std::byte* out, std::size_t samples) const;
  [[nodiscard]] KernelOutcome convert_block(const std::byte* in, std::byte* out, std::size_t samples) const;
  [[nodiscard]] KernelOutcome convert_scaled(const std::byte* in, std::byte* out, std::size_t samples) const;
  void convert_exactly(const std::byte* in, std::byte* out, std::size_t samples, std::size_t first_sample,
                       ConversionAccount& account) const;

  SampleFormat from_;
  SampleFormat to_;
  ByteOrder from_order_;
  ByteOrder to_order_;
  ConversionRules rules_;
  SwapKernel swap_ = nullptr;         ///< set if the conversion only reverses the bytes of its words
  std::size_t words_per_sample_ = 1;  ///< for swap_
  ConvertKernel kernel_ = nullptr;    ///< to the target, or to native floats
  ConvertKernel second_ = nullptr;    ///< from native floats to the target, if one kernel is not enough
  ExactSample factor_;                ///< the scale of the rules
  /// Set if multiplying floats by the scale is exact for most samples; the first step.
  std::shared_ptr<const SampleConversion> to_floats_;
  std::shared_ptr<const SampleConversion> from_floats_;
};

}  // namespace sill::segy
