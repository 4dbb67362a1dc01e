// What the samples of a trace are like: extremes, zeros, flat tops, energy, and how often each amplitude occurs.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"

namespace sill::segy {

/// Samples are taken so many at a time, counted from the first of their trace.
inline constexpr std::size_t statistics_block_samples = 1024;

/// A value of which no more is known than between which bounds it lies, both included.
struct BoundedValue {
  double lowest = 0.0;
  double highest = 0.0;

  [[nodiscard]] double middle() const { return lowest + (highest - lowest) / 2; }
  [[nodiscard]] double error() const { return (highest - lowest) / 2; }
};

/// How often amplitudes occur, in bins whose width is 1/128 of the power of two below their values. So the middle of a
/// bin is at most 1/256 of itself away from any amplitude in the bin; those below 2^-1029 count as zero. Counts are
/// whole numbers: sums of histograms do not depend on how samples were distributed.
class AmplitudeHistogram {
 public:
  static constexpr int fraction_bits = 7;
  static constexpr std::size_t bins = std::size_t{1} << (1 + 11 + fraction_bits);

  AmplitudeHistogram() : counts_(bins) {}

  /// Local. Adds finite amplitudes.
  void add(std::span<const double> finite);
  void merge(const AmplitudeHistogram& other);

  /// Local. How many samples there are in it.
  [[nodiscard]] std::int64_t samples() const;
  /// Local. Bounds of the amplitude of rank `rank` (from 0) among all samples, in ascending order. With `whole_numbers`
  /// the amplitudes are known to be such. Precondition: 0 <= rank < samples().
  [[nodiscard]] BoundedValue at_rank(std::int64_t rank, bool whole_numbers) const;
  /// Local. Samples in `bars` parts of equal width from `lowest` to `highest`, with those below at the first place and
  /// those above at the last: bars + 2 counts. A bin counts where its
  /// middle lies, at the border if only a part of it lies inside. Precondition: lowest < highest.
  [[nodiscard]] std::vector<std::int64_t> bars(double lowest, double highest, std::size_t bars) const;

  /// The counts, to be added up over ranks: the bin is given by the upper bits of a double.
  [[nodiscard]] std::span<std::int64_t> counts() { return counts_; }

 private:
  [[nodiscard]] static BoundedValue bounds_of(std::size_t bin);
  /// Calls `visit(bin, count)` for bins that hold samples, by ascending amplitude, until it returns false.
  template <class Visit>
  void for_each_bin(Visit&& visit) const;

  std::vector<std::int64_t> counts_;
};

/// An exact sum of doubles, which does not depend on the order of its terms. Holds up to 2^40 terms.
class ExactSum {
 public:
  /// Local. Precondition: `value` is finite and not negative.
  void add(double value);
  void merge(const ExactSum& other);
  /// Digits of sums may be added up: `merge` of such sums is `merge` of each.
  static constexpr std::size_t digit_count = 67;
  using Digits = std::array<std::int64_t, digit_count>;
  [[nodiscard]] Digits digits() const;
  /// Local. Precondition: sums of `digits` of at most 2^30 others.
  void merge(std::span<const std::int64_t, digit_count> digits);
  /// Local. The sum, to a unit or two of its last place; the same for the same terms in any order.
  [[nodiscard]] double value() const;

 private:
  // Part i counts multiples of 2^(32 i - 1074); terms have at most 53 + 31 bits there.
  __extension__ using Wide = unsigned __int128;
  static constexpr std::size_t parts = 64;
  std::array<Wide, parts> parts_{};
};

/// What is known of the samples of one trace. Values that are not finite are counted and left out of all else.
struct TraceStatistics {
  std::int64_t samples = 0;
  std::int64_t zeros = 0;
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
  double smallest = std::numeric_limits<double>::infinity();  ///< of the finite ones
  double largest = -std::numeric_limits<double>::infinity();
  double square_sum = 0.0;       ///< infinite where squares are beyond the range of doubles
  std::int64_t at_smallest = 0;  ///< how many are equal to it
  std::int64_t at_largest = 0;
  std::int64_t flat_at_smallest = 0;  ///< of these, how many follow another one
  std::int64_t flat_at_largest = 0;

  [[nodiscard]] std::int64_t finite() const { return samples - nans - infinities; }
  /// Local. Whether all samples are zeros; false without samples.
  [[nodiscard]] bool all_zero() const { return samples > 0 && zeros == samples; }
  /// Local. Whether all samples, two at least, are one number other than zero.
  [[nodiscard]] bool constant() const { return samples > 1 && at_largest == samples && zeros == 0; }
  /// Local. Whether the trace looks clipped: at its largest value, or at its smallest, lie at least four samples that
  /// follow one of the same value, the value is not zero, and the trace not constant. Where samples are whole numbers
  /// the value must be 64 at least: small ones repeat without having been clipped.
  [[nodiscard]] bool clipped(bool whole_numbers) const;
};

/// Accumulates statistics of traces, block by block. One for each thread.
class SampleStatistics {
 public:
  SampleStatistics(SampleFormat format, ByteOrder order) : format_(format), order_(order) {}

  void begin_trace();
  /// Local. Adds samples of the trace as stored, `statistics_block_samples` or, at the end of the trace, fewer.
  void add(std::span<const std::byte> samples);
  /// Local. What the trace since `begin_trace` held; -0.0 counts as 0.0.
  TraceStatistics end_trace();

  [[nodiscard]] AmplitudeHistogram& histogram() { return histogram_; }

 private:
  void add_finite(const double* values, std::size_t count);

  SampleFormat format_;
  ByteOrder order_;
  AmplitudeHistogram histogram_;
  TraceStatistics trace_;
  double last_ = 0.0;      // finite sample of the trace so far
  bool has_last_ = false;  // there is one
  alignas(64) std::array<double, statistics_block_samples> values_{};
};

/// Local. Whether samples of a format are whole numbers.
[[nodiscard]] constexpr bool holds_whole_numbers(SampleFormat format) {
  switch (format) {
    case SampleFormat::ibm_float:
    case SampleFormat::ieee_float:
    case SampleFormat::ieee_double:
    case SampleFormat::fixed_point_gain:
    case SampleFormat::fixed_point_gain_rev2: return false;
    default: return true;
  }
}

}  // namespace sill::segy
