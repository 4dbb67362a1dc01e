// Names of the sample formats, and the loops that decode and encode samples.
#include "sill/formats/segy/sample_format.hpp"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <type_traits>

#include "sill/base/error.hpp"
#include "sill/base/ibm_float.hpp"

namespace sill::segy {
namespace {

constexpr const char* sample_clause = "SEG-Y rev 1, bytes 3225-3226";

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

bool is_finite(float value) { return (std::bit_cast<std::uint32_t>(value) & 0x7F800000U) != 0x7F800000U; }

/// `value` to the nearest whole number, halves to even, for magnitudes below 2^51; others come out no smaller.
double rounded_to_even(double value) {
  constexpr double shifter = 6755399441055744.0;  // 1.5 * 2^52: the sum has no bits left for a fraction
  return (value + shifter) - shifter;
}

[[noreturn]] void refuse_sample(std::span<const float> values, std::size_t index, SampleFormat format) {
  throw Error({.code = ErrorCode::input,
               .problem = fmt::format("sample {} is {}, which the format {} cannot hold", index + 1, values[index],
                                      name_of(format)),
               .where = {.item = static_cast<std::int64_t>(index) + 1, .item_word = "sample"},
               .clause = sample_clause,
               .action = "scale the samples, or write IEEE floats (format 5)"});
}

/// Encodes as the integer type `Stored`. The check is gathered over all samples, and the culprit is looked for only
/// when there is one.
template <class Stored>
void encode_integers(std::span<const float> values, SampleFormat format, ByteOrder order, std::byte* out) {
  constexpr auto lowest = static_cast<double>(std::numeric_limits<Stored>::min());
  constexpr auto highest = static_cast<double>(std::numeric_limits<Stored>::max());
  const auto fits = [=](float value) {
    const double rounded = rounded_to_even(static_cast<double>(value));
    return rounded >= lowest && rounded <= highest;  // false for NaN
  };
  bool all_fit = true;
  with_constant_order(order, [&](auto constant_order) {
    bool good = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const bool fitting = fits(values[i]);
      good &= fitting;
      const double held = fitting ? rounded_to_even(static_cast<double>(values[i])) : 0.0;
      store(out + i * sizeof(Stored), static_cast<Stored>(static_cast<std::int32_t>(held)), constant_order.value);
    }
    all_fit = good;
  });
  if (all_fit) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!fits(values[i])) refuse_sample(values, i, format);
}

void encode_ibm(std::span<const float> values, ByteOrder order, std::byte* out) {
  bool all_finite = true;
  with_constant_order(order, [&](auto constant_order) {
    bool good = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
      good &= is_finite(values[i]);
      store(out + i * 4, finite_float_to_ibm(values[i]), constant_order.value);
    }
    all_finite = good;
  });
  if (all_finite) return;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!is_finite(values[i])) refuse_sample(values, i, SampleFormat::ibm_float);
}

void encode_ieee(std::span<const float> values, ByteOrder order, std::byte* out) {
  with_constant_order(order, [=](auto constant_order) {
    for (std::size_t i = 0; i < values.size(); ++i) store(out + i * 4, values[i], constant_order.value);
  });
}

}  // namespace

std::string_view name_of(SampleFormat format) { return meaning_of_code(code_of(format)); }

std::optional<SampleFormat> sample_format_from_code(int code) {
  switch (code) {
    case 1: return SampleFormat::ibm_float;
    case 2: return SampleFormat::int32;
    case 3: return SampleFormat::int16;
    case 5: return SampleFormat::ieee_float;
    case 8: return SampleFormat::int8;
    default: return std::nullopt;
  }
}

std::optional<SampleFormat> sample_format_from_word(std::string_view word) {
  if (word == "ibm") return SampleFormat::ibm_float;
  if (word == "int32") return SampleFormat::int32;
  if (word == "int16") return SampleFormat::int16;
  if (word == "ieee") return SampleFormat::ieee_float;
  if (word == "int8") return SampleFormat::int8;
  return std::nullopt;
}

std::string_view meaning_of_code(int code) {
  switch (code) {
    case 1: return "IBM float, 4 bytes";
    case 2: return "integer, 4 bytes";
    case 3: return "integer, 2 bytes";
    case 4: return "fixed point with gain, 4 bytes (obsolete)";
    case 5: return "IEEE float, 4 bytes";
    case 6: return "IEEE float, 8 bytes";
    case 7: return "integer, 3 bytes";
    case 8: return "integer, 1 byte";
    case 9: return "integer, 8 bytes";
    case 10: return "unsigned integer, 4 bytes";
    case 11: return "unsigned integer, 2 bytes";
    case 12: return "unsigned integer, 8 bytes";
    case 15: return "unsigned integer, 3 bytes";
    case 16: return "unsigned integer, 1 byte";
    default: return {};
  }
}

void decode(std::span<const std::byte> samples, SampleFormat format, ByteOrder order, std::span<double> out) {
  const std::byte* from = samples.data();
  const auto widen = [](auto value) { return static_cast<double>(value); };
  switch (format) {
    case SampleFormat::ibm_float:
      return decode_each<std::uint32_t>(from, order, out, [](std::uint32_t bits) { return ibm_to_double(bits); });
    case SampleFormat::int32: return decode_each<std::int32_t>(from, order, out, widen);
    case SampleFormat::int16: return decode_each<std::int16_t>(from, order, out, widen);
    case SampleFormat::ieee_float: return decode_each<float>(from, order, out, widen);
    case SampleFormat::int8: return decode_each<std::int8_t>(from, order, out, widen);
  }
}

void encode(std::span<const float> values, SampleFormat format, ByteOrder order, std::span<std::byte> out) {
  switch (format) {
    case SampleFormat::ibm_float: return encode_ibm(values, order, out.data());
    case SampleFormat::int32: return encode_integers<std::int32_t>(values, format, order, out.data());
    case SampleFormat::int16: return encode_integers<std::int16_t>(values, format, order, out.data());
    case SampleFormat::ieee_float: return encode_ieee(values, order, out.data());
    case SampleFormat::int8: return encode_integers<std::int8_t>(values, format, order, out.data());
  }
}

}  // namespace sill::segy
