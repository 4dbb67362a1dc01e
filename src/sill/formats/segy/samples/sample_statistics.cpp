// The loops over samples, written so that compilers can vectorize them.
#include "sill/formats/segy/samples/sample_statistics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "sill/formats/segy/samples/sample_codec.hpp"

namespace sill::segy {
namespace {

constexpr int bin_shift = 52 - AmplitudeHistogram::fraction_bits;
constexpr std::size_t negative_bins = AmplitudeHistogram::bins / 2;  // start of the negative values

// Compilers do not vectorize extremes and comparisons of doubles, so vector types are used explicitly.
using Doubles = double __attribute__((vector_size(16)));
using Masks = std::int64_t __attribute__((vector_size(16)));

Doubles loaded(const double* from) {
  Doubles values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

// Statistics of a block. The sum of squares is not finite if a sample is not finite or too large.
struct BlockExtremes {
  double smallest = std::numeric_limits<double>::infinity();
  double largest = -std::numeric_limits<double>::infinity();
  double square_sum = 0.0;
  std::int64_t zeros = 0;
};

BlockExtremes extremes_of(const double* values, std::size_t count) {
  // The number of parallel sums is the same on every processor, so that rounding does not depend on the width of its
  // vectors.
  constexpr std::size_t lanes = 4;
  BlockExtremes block;
  std::array<Doubles, lanes> smallest;
  std::array<Doubles, lanes> largest;
  std::array<Doubles, lanes> sums{};
  Masks zeros{};
  smallest.fill(Doubles{block.smallest, block.smallest});
  largest.fill(Doubles{block.largest, block.largest});
  std::size_t i = 0;
  for (; i + 2 * lanes <= count; i += 2 * lanes) {
    for (std::size_t l = 0; l < lanes; ++l) {
      const Doubles value = loaded(values + i + 2 * l);
      smallest[l] = value < smallest[l] ? value : smallest[l];
      largest[l] = value > largest[l] ? value : largest[l];
      sums[l] += value * value;
      zeros -= value == 0.0;  // true is -1
    }
  }
  for (std::size_t l = 0; l < lanes; ++l) {
    for (std::size_t k = 0; k < 2; ++k) {
      block.smallest = std::min(block.smallest, smallest[l][k]);
      block.largest = std::max(block.largest, largest[l][k]);
      block.square_sum += sums[l][k];
    }
  }
  block.zeros = zeros[0] + zeros[1];
  for (; i < count; ++i) {
    block.smallest = std::min(block.smallest, values[i]);
    block.largest = std::max(block.largest, values[i]);
    block.square_sum += values[i] * values[i];
    block.zeros += values[i] == 0.0 ? 1 : 0;
  }
  return block;
}

// The number of values that equal `extreme`, and how many of these follow another one.
struct AtExtreme {
  std::int64_t samples = 0;
  std::int64_t flat = 0;
};

AtExtreme count_at(const double* values, std::size_t count, double extreme) {
  AtExtreme found{count > 0 && values[0] == extreme ? 1 : 0, 0};
  const Doubles wanted = {extreme, extreme};
  Masks samples{};
  Masks flat{};
  std::size_t i = 1;
  for (; i + 2 <= count; i += 2) {
    const Masks here = loaded(values + i) == wanted;
    samples -= here;
    flat -= here & (loaded(values + i - 1) == wanted);
  }
  found.samples += samples[0] + samples[1];
  found.flat += flat[0] + flat[1];
  for (; i < count; ++i) {
    const bool here = values[i] == extreme;
    found.samples += here ? 1 : 0;
    found.flat += here && values[i - 1] == extreme ? 1 : 0;
  }
  return found;
}

}  // namespace

BoundedValue AmplitudeHistogram::bounds_of(std::size_t bin) {
  const std::size_t magnitude = bin % negative_bins;
  if (magnitude == 0) return {};
  const double near = std::bit_cast<double>(std::uint64_t{magnitude} << bin_shift);
  const double far = std::bit_cast<double>(((std::uint64_t{magnitude} + 1) << bin_shift) - 1);
  return bin < negative_bins ? BoundedValue{near, far} : BoundedValue{-far, -near};
}

template <class Visit>
void AmplitudeHistogram::for_each_bin(Visit&& visit) const {
  for (std::size_t bin = bins; bin-- > negative_bins;)
    if (counts_[bin] != 0 && !visit(bin, counts_[bin])) return;
  for (std::size_t bin = 0; bin < negative_bins; ++bin)
    if (counts_[bin] != 0 && !visit(bin, counts_[bin])) return;
}

void AmplitudeHistogram::add(std::span<const double> finite) {
  std::int64_t* const counts = counts_.data();
  for (const double value : finite) ++counts[std::bit_cast<std::uint64_t>(value) >> bin_shift];
}

void AmplitudeHistogram::merge(const AmplitudeHistogram& other) {
  for (std::size_t bin = 0; bin < bins; ++bin) counts_[bin] += other.counts_[bin];
}

std::int64_t AmplitudeHistogram::samples() const {
  std::int64_t samples = 0;
  for (const std::int64_t count : counts_) samples += count;
  return samples;
}

BoundedValue AmplitudeHistogram::at_rank(std::int64_t rank, bool whole_numbers) const {
  BoundedValue value;
  for_each_bin([&](std::size_t bin, std::int64_t count) {
    if (rank < count) {
      value = bounds_of(bin);
      if (whole_numbers) value = {std::ceil(value.lowest), std::floor(value.highest)};
      return false;
    }
    rank -= count;
    return true;
  });
  return value;
}

std::vector<std::int64_t> AmplitudeHistogram::bars(double lowest, double highest, std::size_t bars) const {
  std::vector<std::int64_t> counted(bars + 2);
  const double width = (highest - lowest) / static_cast<double>(bars);
  for_each_bin([&](std::size_t bin, std::int64_t count) {
    // A bin that overlaps the range is counted inside.
    const BoundedValue bounds = bounds_of(bin);
    std::size_t at = bars + 1;
    if (bounds.highest < lowest) {
      at = 0;
    } else if (bounds.lowest <= highest) {
      const double value = std::clamp(bounds.middle(), lowest, highest);
      // If the ends are too near or too far apart to compute a width, all samples are counted in the first interval.
      const double place = (value - lowest) / width;
      at = 1 + (place >= 0.0 && place < static_cast<double>(bars) ? static_cast<std::size_t>(place)
                : place >= 0.0                                    ? bars - 1
                                                                  : 0);
    }
    counted[at] += count;
    return true;
  });
  return counted;
}

void ExactSum::add(double value) {
  const auto bits = std::bit_cast<std::uint64_t>(value);
  const std::uint64_t exponent = bits >> 52U;
  const std::uint64_t fraction = bits & 0x000FFFFFFFFFFFFFULL;
  const std::uint64_t whole = exponent == 0 ? fraction : fraction | 0x0010000000000000ULL;
  const std::uint64_t shift = exponent == 0 ? 0 : exponent - 1;  // value = whole * 2^(shift - 1074)
  parts_[shift / 32] += static_cast<Wide>(whole) << (shift % 32);
}

void ExactSum::merge(const ExactSum& other) {
  for (std::size_t i = 0; i < parts; ++i) parts_[i] += other.parts_[i];
}

// With carries propagated, every element is a 32-bit digit: equal sums have equal digits.
ExactSum::Digits ExactSum::digits() const {
  static_assert(digit_count == parts + 3);  // 2^40 times the largest double is below 2^(32 * 67 - 1074)
  Wide carry = 0;
  Digits digits{};
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const Wide part = carry + (i < parts ? parts_[i] : 0);
    digits[i] = static_cast<std::uint32_t>(part);
    carry = part >> 32U;
  }
  return digits;
}

void ExactSum::merge(std::span<const std::int64_t, digit_count> digits) {
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const std::size_t part = std::min(i, parts - 1);
    parts_[part] += static_cast<Wide>(digits[i]) << (32 * (i - part));
  }
}

double ExactSum::value() const {
  const Digits all = digits();
  double sum = 0.0;
  for (std::size_t i = all.size(); i-- > 0;)
    sum += std::ldexp(static_cast<double>(all[i]), static_cast<int>(32 * i) - 1074);
  return sum;
}

bool TraceStatistics::clipped(bool whole_numbers) const {
  constexpr std::int64_t min_flat = 4;
  constexpr double min_whole_number = 64.0;
  if (smallest >= largest) return false;
  const auto is_flat = [&](double extreme, std::int64_t flat) {
    return flat >= min_flat && extreme != 0.0 && (!whole_numbers || std::abs(extreme) >= min_whole_number);
  };
  return is_flat(smallest, flat_at_smallest) || is_flat(largest, flat_at_largest);
}

void SampleStatistics::begin_trace() {
  trace_ = {};
  has_last_ = false;
}

void SampleStatistics::add(std::span<const std::byte> samples) {
  const std::size_t count = samples.size() / static_cast<std::size_t>(bytes_of(format_));
  decode(samples, format_, order_, std::span(values_).first(count));
  trace_.samples += static_cast<std::int64_t>(count);
  add_finite(values_.data(), count);
}

void SampleStatistics::add_finite(const double* values, std::size_t count) {
  BlockExtremes block = extremes_of(values, count);
  if (!std::isfinite(block.square_sum)) {
    std::size_t finite = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::isfinite(values[i])) {
        values_[finite++] = values[i];
      } else {
        ++(std::isnan(values[i]) ? trace_.nans : trace_.infinities);
      }
    }
    count = finite;
    block = extremes_of(values_.data(), count);
  }
  if (count == 0) return;
  trace_.square_sum += block.square_sum;

  // Only blocks that contain an extreme of the trace so far are examined a second time.
  const auto look = [&](double of_block, bool is_new, double& of_trace, std::int64_t& at, std::int64_t& flat) {
    if (is_new) {
      of_trace = of_block;
      at = flat = 0;
    } else if (of_block != of_trace) {
      return;
    }
    const AtExtreme found = count_at(values, count, of_block);
    at += found.samples;
    flat += found.flat + (has_last_ && last_ == of_block && values[0] == of_block ? 1 : 0);
  };
  look(block.smallest, block.smallest < trace_.smallest, trace_.smallest, trace_.at_smallest, trace_.flat_at_smallest);
  look(block.largest, block.largest > trace_.largest, trace_.largest, trace_.at_largest, trace_.flat_at_largest);
  last_ = values[count - 1];
  has_last_ = true;

  trace_.zeros += block.zeros;
  histogram_.add({values, count});
}

TraceStatistics SampleStatistics::end_trace() {
  trace_.smallest += 0.0;
  trace_.largest += 0.0;
  return trace_;
}

}  // namespace sill::segy
