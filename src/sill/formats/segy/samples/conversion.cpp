// Selects the kernels of a conversion and applies them block by block; blocks with special samples are converted sample
// by sample.
#include "sill/formats/segy/samples/conversion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>

#include "sill/base/error.hpp"
#include "sill/formats/segy/samples/exact_sample.hpp"
#include "sill/formats/segy/samples/sample_codec.hpp"

namespace sill::segy {
namespace {

constexpr std::size_t widest_sample = 8;

/// A block of samples that fits into the first-level cache of the processor.
struct alignas(64) Block {
  std::array<std::byte, kernel_samples * widest_sample> bytes;
};

std::size_t width_of(SampleFormat format) { return static_cast<std::size_t>(bytes_of(format)); }

/// Returns the equivalent simpler order: for words of two bytes pairwise order is little-endian order, and one byte has
/// no order.
ByteOrder plain_order(ByteOrder order, SampleFormat format) {
  if (bytes_of(format) == 1) return native_order;
  return bytes_of(format) == 2 && order == ByteOrder::pairwise ? ByteOrder::little : order;
}

/// Returns true for formats whose values are all exact in a float, except those that the kernel refuses.
bool fits_per_float(SampleFormat format) {
  switch (format) {
    case SampleFormat::ibm_float:
    case SampleFormat::int8:
    case SampleFormat::uint8:
    case SampleFormat::int16:
    case SampleFormat::uint16:
    case SampleFormat::int24:
    case SampleFormat::uint24: return true;
    default: return false;
  }
}

/// Multiplies floats by 2^N. Returns true if every product is exact: zero, or normal as its float is. Processors may
/// treat other floats specially.
bool multiply_exactly(std::span<float> floats, float scale) {
  const auto is_special = [](std::uint32_t magnitude) { return magnitude - 0x00800000U > 0x7EFFFFFFU; };
  std::uint32_t special = 0;
  for (float& each : floats) {
    const std::uint32_t before = std::bit_cast<std::uint32_t>(each) & 0x7FFFFFFFU;
    each *= scale;
    const std::uint32_t after = std::bit_cast<std::uint32_t>(each) & 0x7FFFFFFFU;
    special |= static_cast<std::uint32_t>(before != 0) &
               (static_cast<std::uint32_t>(is_special(before)) | static_cast<std::uint32_t>(is_special(after)));
  }
  return special == 0;
}

[[noreturn]] void refuse(const ExactSample& value, double scale, Fit fit, SampleFormat format, std::size_t index) {
  std::string action = "give --nonfinite zero to write zero for such samples, or repair them";
  if (fit == Fit::infinite)
    action = "give --nonfinite zero to write zero for such samples, or --clip for the largest value of the format";
  if (fit == Fit::out_of_range)
    action =
        "give --clip to write the nearest value of the format, or choose a format with a wider range; in `sill "
        "convert` and flows, --scale fit makes the samples smaller";
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("sample {} is {}{}, which the format {} cannot store", index + 1, text_of(value),
                                      scale == 1.0 ? "" : fmt::format(" times {}", scale), name_of(format)),
               .where = {.item = static_cast<std::int64_t>(index) + 1, .item_word = "sample"},
               .clause = std::string(clause_of(format)),
               .action = std::move(action)});
}

}  // namespace

void ConversionAccount::add(const ConversionAccount& other) {
  samples += other.samples;
  lost += other.lost;
  rounded += other.rounded;
  clipped += other.clipped;
  zeroed += other.zeroed;
  largest_relative_error = std::max(largest_relative_error, other.largest_relative_error);
}

void require_signal(const ConversionAccount& all, const ConversionRules& rules, SampleFormat to,
                    const std::string& output, std::string_view scaling) {
  constexpr std::int64_t accepted_part = 10;
  if (rules.accept_loss || all.lost <= all.samples / accepted_part) return;
  throw Error(
      {.code = ErrorCode::input,
       .problem =
           fmt::format("as {}, {:.3g} % of the samples would become 0 or change by more than {:.0f} %", name_of(to),
                       100.0 * static_cast<double>(all.lost) / static_cast<double>(all.samples), 100.0F * lost_share),
       .where = {.file = output},
       .clause = std::string(clause_of(to)),
       .action = fmt::format(
           "{}, choose a format of floats (--sample-format ieee), or accept the loss with --accept-loss", scaling)});
}

SampleConversion::SampleConversion(SampleFormat from, ByteOrder from_order, SampleFormat to, ByteOrder to_order,
                                   ConversionRules rules)
    : SampleConversion(from, from_order, to, to_order, rules, fastest_kernels()) {}

SampleConversion::SampleConversion(SampleFormat from, ByteOrder from_order, SampleFormat to, ByteOrder to_order,
                                   ConversionRules rules, const KernelSet& kernels)
    : from_(from),
      to_(to),
      from_order_(plain_order(from_order, from)),
      to_order_(plain_order(to_order, to)),
      rules_(rules) {
  if (rules.scale != 1.0) {
    require_writable(to);
    factor_ = exact_sample(std::bit_cast<std::uint64_t>(rules.scale), SampleFormat::ieee_double);
    int exponent = 0;
    const bool is_power = std::abs(std::frexp(rules.scale, &exponent)) == 0.5 && exponent > -126 && exponent <= 128;
    if (!is_power || (from != SampleFormat::ieee_float && !fits_per_float(from))) return;
    const SampleFormat floats = SampleFormat::ieee_float;
    const ConversionRules counted{.clip = true};  // see convert_scaled
    to_floats_ = std::make_shared<SampleConversion>(from, from_order, floats, native_order, counted, kernels);
    from_floats_ = std::make_shared<SampleConversion>(floats, native_order, to, to_order, counted, kernels);
    return;
  }
  if (from == to) {
    if (from_order_ == to_order_) return;
    const int width = bytes_of(from);
    const bool one_pairwise = from_order_ == ByteOrder::pairwise || to_order_ == ByteOrder::pairwise;
    const bool one_big = from_order_ == ByteOrder::big || to_order_ == ByteOrder::big;
    if (!one_pairwise) {
      swap_ = kernels.swap(width);
    } else if (one_big && width != 3) {
      swap_ = kernels.swap(2);  // big and pairwise order differ within pairs of bytes
      words_per_sample_ = width_of(from) / 2;
    }
    return;
  }
  require_writable(to);
  // Kernels read and write big and little order; pairwise order needs an additional pass to or from native order.
  const bool swap_in = from_order_ == (native_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little);
  const bool swap_out = to_order_ == (native_order == ByteOrder::little ? ByteOrder::big : ByteOrder::little);
  kernel_ = kernels.convert(from, to, swap_in, swap_out);
  if (kernel_ == nullptr && fits_per_float(from)) {
    second_ = kernels.convert(SampleFormat::ieee_float, to, false, swap_out);
    if (second_ != nullptr) kernel_ = kernels.convert(from, SampleFormat::ieee_float, swap_in, false);
    if (kernel_ == nullptr) second_ = nullptr;
  }
}

void SampleConversion::convert(std::span<const std::byte> in, std::span<std::byte> out,
                               ConversionAccount& account) const {
  const std::size_t width_in = width_of(from_);
  const std::size_t width_out = width_of(to_);
  const std::size_t samples = in.size() / width_in;
  account.samples += static_cast<std::int64_t>(samples);
  const bool in_place = in.data() == out.data();
  const bool keeps_values = from_ == to_ && rules_.scale == 1.0;
  if (keeps_values && from_order_ == to_order_) {
    if (!in_place && !in.empty()) std::memcpy(out.data(), in.data(), in.size());
    return;
  }
  Block copy;
  for (std::size_t first = 0; first < samples; first += kernel_samples) {
    const std::size_t count = std::min(kernel_samples, samples - first);
    const std::byte* from = in.data() + first * width_in;
    std::byte* const to = out.data() + first * width_out;
    if (in_place) {  // the source is needed again if the kernel refuses the block
      std::memcpy(copy.bytes.data(), from, count * width_in);
      from = copy.bytes.data();
    }
    if (keeps_values) {
      reorder(from, to, count);
      continue;
    }
    const KernelOutcome seen = to_floats_ != nullptr ? convert_scaled(from, to, count)
                               : kernel_ == nullptr  ? KernelOutcome{.refused = true}
                                                     : convert_block(from, to, count);
    if (seen.refused) {
      convert_exactly(from, to, count, first, account);
      continue;
    }
    account.rounded += seen.rounded;
    account.lost += seen.lost;
    account.largest_relative_error =
        std::max(account.largest_relative_error, static_cast<double>(seen.largest_relative_error));
  }
}

// Every step is exact except the last, which counts; otherwise the block is refused.
KernelOutcome SampleConversion::convert_scaled(const std::byte* in, std::byte* out, std::size_t samples) const {
  std::array<float, kernel_samples> block;
  const std::span<float> floats = std::span(block).first(samples);
  ConversionAccount decoded;
  to_floats_->convert({in, samples * width_of(from_)}, std::as_writable_bytes(floats), decoded);
  if (decoded.rounded + decoded.clipped > 0 || !multiply_exactly(floats, static_cast<float>(rules_.scale)))
    return {.refused = true};
  ConversionAccount encoded;
  from_floats_->convert(std::as_bytes(floats), {out, samples * width_of(to_)}, encoded);
  return {.rounded = static_cast<std::uint32_t>(encoded.rounded),
          .lost = static_cast<std::uint32_t>(encoded.lost),
          .largest_relative_error = static_cast<float>(encoded.largest_relative_error),
          .refused = encoded.clipped > 0};
}

void SampleConversion::reorder(const std::byte* in, std::byte* out, std::size_t samples) const {
  if (swap_ != nullptr) return swap_(in, out, samples * words_per_sample_);
  const std::size_t width = width_of(from_);
  for (std::size_t i = 0; i < samples; ++i)
    store_sample(out + i * width, load_sample(in + i * width, from_, from_order_), from_, to_order_);
}

KernelOutcome SampleConversion::convert_block(const std::byte* in, std::byte* out, std::size_t samples) const {
  Block native_in;
  if (from_order_ == ByteOrder::pairwise) {
    const std::size_t width = width_of(from_);
    for (std::size_t i = 0; i < samples; ++i)
      store_sample(native_in.bytes.data() + i * width, load_sample(in + i * width, from_, from_order_), from_,
                   native_order);
    in = native_in.bytes.data();
  }
  Block native_out;
  std::byte* const target = to_order_ == ByteOrder::pairwise ? native_out.bytes.data() : out;
  KernelOutcome seen;
  if (second_ == nullptr) {
    seen = kernel_(in, target, samples);
  } else {
    Block floats;
    seen = kernel_(in, floats.bytes.data(), samples);
    if (seen.refused) return seen;
    seen = second_(floats.bytes.data(), target, samples);  // the first step rounded nothing
  }
  if (to_order_ == ByteOrder::pairwise) {
    const std::size_t width = width_of(to_);
    for (std::size_t i = 0; i < samples; ++i)
      store_sample(out + i * width, load_sample(target + i * width, to_, native_order), to_, to_order_);
  }
  return seen;
}

void SampleConversion::convert_exactly(const std::byte* in, std::byte* out, std::size_t samples,
                                       std::size_t first_sample, ConversionAccount& account) const {
  const std::size_t width_in = width_of(from_);
  const std::size_t width_out = width_of(to_);
  for (std::size_t i = 0; i < samples; ++i) {
    const ExactSample value = exact_sample(load_sample(in + i * width_in, from_, from_order_), from_);
    FittedSample target = rules_.scale == 1.0 ? fit_sample(value, to_) : fit_product(value, factor_, to_);
    switch (target.fit) {
      case Fit::exact: break;
      case Fit::rounded:
        ++account.rounded;
        account.lost += target.relative_error > lost_share ? 1 : 0;
        account.largest_relative_error =
            std::max(account.largest_relative_error, static_cast<double>(target.relative_error));
        break;
      case Fit::out_of_range:
        if (!rules_.clip) refuse(value, rules_.scale, target.fit, to_, first_sample + i);
        ++account.clipped;
        break;
      case Fit::infinite:
      case Fit::not_a_number:
        if (rules_.nonfinite_to_zero) {
          target.bits = 0;
          ++account.zeroed;
        } else if (rules_.clip && target.fit == Fit::infinite) {
          ++account.clipped;
        } else {
          refuse(value, rules_.scale, target.fit, to_, first_sample + i);
        }
        break;
    }
    store_sample(out + i * width_out, target.bits, to_, to_order_);
  }
}

}  // namespace sill::segy
