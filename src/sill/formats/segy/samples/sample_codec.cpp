// The loops that decode samples.
#include "sill/formats/segy/samples/sample_codec.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "sill/base/error.hpp"
#include "sill/base/ibm_float.hpp"
#include "sill/formats/segy/samples/conversion_kernels.hpp"
#include "sill/formats/segy/samples/exact_sample.hpp"
#include "sill/formats/segy/words/word.hpp"

namespace sill::segy {
namespace {

/// Calls `work` with `order` as a constant, so that its loop holds no branch and can be vectorised.
template <class Work>
void with_constant_order(ByteOrder order, Work work) {
  switch (order) {
    case ByteOrder::big: return work(std::integral_constant<ByteOrder, ByteOrder::big>{});
    case ByteOrder::little: return work(std::integral_constant<ByteOrder, ByteOrder::little>{});
    case ByteOrder::pairwise: return work(std::integral_constant<ByteOrder, ByteOrder::pairwise>{});
  }
}

template <class Stored, class ToDouble>
void decode_each(const std::byte* from, ByteOrder order, std::span<double> out, ToDouble to_double) {
  with_constant_order(order, [=](auto constant_order) {
    double* to = out.data();
    const std::size_t count = out.size();
    for (std::size_t i = 0; i < count; ++i)
      to[i] = to_double(load<Stored>(from + i * sizeof(Stored), constant_order.value));
  });
}

/// Decodes 24-bit samples.
template <class ToDouble>
void decode_each_24(const std::byte* from, ByteOrder order, std::span<double> out, ToDouble to_double) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = to_double(load_bits(from + 3 * i, 3, order));
}

double fixed_point_to_double(std::uint32_t bits, SampleFormat format) {
  const ExactSample sample = exact_sample(bits, format);
  const auto q = static_cast<double>(static_cast<std::int64_t>(sample.magnitude));
  return std::ldexp(sample.negative ? -q : q, sample.exponent);  // between 2^-255 and 2^270: exact
}

/// Returns the difference between a 64-bit unsigned integer and its nearest double.
double rest_of(std::uint64_t magnitude) {
  const auto rounded = static_cast<double>(magnitude);
  // 2^64 does not fit into uint64, but the difference is correct modulo 2^64, and it is small.
  const std::uint64_t back = rounded >= 18446744073709551616.0 ? 0 : static_cast<std::uint64_t>(rounded);
  return static_cast<double>(static_cast<std::int64_t>(magnitude - back));
}

}  // namespace

void decode(std::span<const std::byte> samples, SampleFormat format, ByteOrder order, std::span<double> out) {
  const std::byte* from = samples.data();
  const auto widen = [](auto value) { return static_cast<double>(value); };
  switch (format) {
    case SampleFormat::ibm_float:
      if (const DecodeKernel kernel = fastest_kernels().decode_ibm(order != native_order);
          kernel != nullptr && order != ByteOrder::pairwise)
        return kernel(from, out.data(), out.size());
      return decode_each<std::uint32_t>(from, order, out, [](std::uint32_t bits) { return ibm_to_double(bits); });
    case SampleFormat::int32: return decode_each<std::int32_t>(from, order, out, widen);
    case SampleFormat::int16: return decode_each<std::int16_t>(from, order, out, widen);
    case SampleFormat::fixed_point_gain:
    case SampleFormat::fixed_point_gain_rev2:
      return decode_each<std::uint32_t>(from, order, out,
                                        [=](std::uint32_t bits) { return fixed_point_to_double(bits, format); });
    case SampleFormat::ieee_float: return decode_each<float>(from, order, out, widen);
    case SampleFormat::ieee_double: return decode_each<double>(from, order, out, widen);
    case SampleFormat::int24:
      return decode_each_24(from, order, out, [=](std::uint64_t bits) { return widen(sign_extended(bits, 3)); });
    case SampleFormat::int8: return decode_each<std::int8_t>(from, order, out, widen);
    case SampleFormat::int64: return decode_each<std::int64_t>(from, order, out, widen);
    case SampleFormat::uint32: return decode_each<std::uint32_t>(from, order, out, widen);
    case SampleFormat::uint16: return decode_each<std::uint16_t>(from, order, out, widen);
    case SampleFormat::uint64: return decode_each<std::uint64_t>(from, order, out, widen);
    case SampleFormat::uint24: return decode_each_24(from, order, out, widen);
    case SampleFormat::uint8: return decode_each<std::uint8_t>(from, order, out, widen);
  }
}

void decode_rest(std::span<const std::byte> samples, SampleFormat format, ByteOrder order, std::span<double> out) {
  const std::byte* from = samples.data();
  if (format == SampleFormat::uint64) return decode_each<std::uint64_t>(from, order, out, rest_of);
  if (format == SampleFormat::int64) {
    return decode_each<std::int64_t>(from, order, out, [](std::int64_t value) {
      const auto raw = static_cast<std::uint64_t>(value);
      return value < 0 ? -rest_of(0 - raw) : rest_of(raw);
    });
  }
  std::fill(out.begin(), out.end(), 0.0);
}

void require_writable(SampleFormat format) {
  if (is_writable(format)) return;
  throw Error({.code = ErrorCode::usage,
               .problem = fmt::format("samples cannot be written as format {} ({})", code_of(format), name_of(format)),
               .clause = std::string(clause_of(format)),
               .action = "choose another format, such as IEEE floats (format 5)"});
}

}  // namespace sill::segy
