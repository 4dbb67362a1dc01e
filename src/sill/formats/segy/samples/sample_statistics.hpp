// Statistics of the samples of a trace: extremes, zeros, flat tops, energy, and a histogram of amplitudes.
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

/// Number of samples per block, counted from the first sample of a trace.
inline constexpr std::size_t statistics_block_samples = 1024;

/// A value that is only known to be between two bounds, both included.
struct BoundedValue {
  double lowest = 0.0;
  double highest = 0.0;

  [[nodiscard]] double middle() const { return lowest + (highest - lowest) / 2; }
  [[nodiscard]] double error() const { return (highest - lowest) / 2; }
};

/// A histogram of amplitudes, in bins whose width is 1/128 of the power of two below their values. So the middle of a
/// bin differs by at most 1/256 from any amplitude in the bin. Amplitudes below 2^-1029 are counted as zero. Counts are
/// integers: sums of histograms do not depend on the distribution of samples among ranks.
class AmplitudeHistogram {
 public:
  static constexpr int fraction_bits = 7;
  static constexpr std::size_t bins = std::size_t{1} << (1 + 11 + fraction_bits);

  AmplitudeHistogram() : counts_(bins) {}

  /// Local. Adds finite amplitudes.
  void add(std::span<const double> finite);
  void merge(const AmplitudeHistogram& other);

  /// Local. Returns the number of samples in the histogram.
  [[nodiscard]] std::int64_t samples() const;
  /// Local. Returns the bounds of the amplitude of rank `rank` (from 0) among all samples, in ascending order.
  /// `whole_numbers`: the amplitudes are known to be integers. Precondition: 0 <= rank < samples().
  [[nodiscard]] BoundedValue at_rank(std::int64_t rank, bool whole_numbers) const;
  /// Local. Returns the numbers of samples in `bars` intervals of equal width from `lowest` to `highest`, preceded by
  /// the number of samples below and followed by the number above: bars + 2 counts. The samples of a bin are counted in
  /// the interval that contains the middle of the bin, or in the nearest interval if the bin overlaps the range and its
  /// middle is outside. Precondition: lowest < highest.
  [[nodiscard]] std::vector<std::int64_t> bars(double lowest, double highest, std::size_t bars) const;

  /// Local. Returns the counts, which can be summed over ranks. The index of a bin is the upper bits of a double.
  [[nodiscard]] std::span<std::int64_t> counts() { return counts_; }

 private:
  [[nodiscard]] static BoundedValue bounds_of(std::size_t bin);
  /// Calls `visit(bin, count)` for bins that hold samples, by ascending amplitude, until it returns false.
  template <class Visit>
  void for_each_bin(Visit&& visit) const;

  std::vector<std::int64_t> counts_;
};

/// An exact sum of doubles that does not depend on the order of its terms, up to 2^40 terms.
class ExactSum {
 public:
  /// Local. Adds a term. Precondition: `value` is finite and its sign bit is 0. (-0.0 would add a wrong value.)
  void add(double value);
  void merge(const ExactSum& other);
  /// The digits of several sums may be added element by element: merging the result is equivalent to merging each sum.
  static constexpr std::size_t digit_count = 67;
  using Digits = std::array<std::int64_t, digit_count>;
  [[nodiscard]] Digits digits() const;
  /// Local. Adds the digits of other sums. Precondition: `digits` is the sum of the digits of at most 2^30 sums.
  void merge(std::span<const std::int64_t, digit_count> digits);
  /// Local. Returns the sum, accurate to one or two units in the last place; the result is the same for the same terms
  /// in any order.
  [[nodiscard]] double value() const;

 private:
  // Element i counts multiples of 2^(32 i - 1074); each term has at most 53 + 31 bits in its element.
  __extension__ using Wide = unsigned __int128;
  static constexpr std::size_t parts = 64;
  std::array<Wide, parts> parts_{};
};

/// Statistics of the samples of one trace. Values that are not finite are counted and otherwise ignored.
struct TraceStatistics {
  std::int64_t samples = 0;
  std::int64_t zeros = 0;
  std::int64_t nans = 0;
  std::int64_t infinities = 0;
  double smallest = std::numeric_limits<double>::infinity();  ///< smallest finite value
  double largest = -std::numeric_limits<double>::infinity();
  double square_sum = 0.0;       ///< infinite if squares exceed the range of doubles
  std::int64_t at_smallest = 0;  ///< number of samples that are equal to `smallest`
  std::int64_t at_largest = 0;
  std::int64_t flat_at_smallest = 0;  ///< number of these samples that follow an equal one
  std::int64_t flat_at_largest = 0;

  [[nodiscard]] std::int64_t finite() const { return samples - nans - infinities; }
  /// Local. Returns true if all samples are zero; false without samples.
  [[nodiscard]] bool all_zero() const { return samples > 0 && zeros == samples; }
  /// Local. Returns true if there are at least two samples and all are the same nonzero number.
  [[nodiscard]] bool constant() const { return samples > 1 && at_largest == samples && zeros == 0; }
  /// Local. Returns true if the trace looks clipped: at its largest or at its smallest value, at least four samples
  /// follow a sample of the same value, this value is not zero, and the trace is not constant. If samples are integers,
  /// the magnitude of the value must be at least 64: small integers repeat without clipping.
  [[nodiscard]] bool clipped(bool whole_numbers) const;
};

/// Accumulates statistics of traces, block by block. Use one object per thread.
class SampleStatistics {
 public:
  SampleStatistics(SampleFormat format, ByteOrder order) : format_(format), order_(order) {}

  void begin_trace();
  /// Local. Adds samples of the trace as stored: `statistics_block_samples` of them, or fewer at the end of the trace.
  void add(std::span<const std::byte> samples);
  /// Local. Returns the statistics of the trace since `begin_trace`; -0.0 is counted as 0.0.
  TraceStatistics end_trace();

  [[nodiscard]] AmplitudeHistogram& histogram() { return histogram_; }

 private:
  void add_finite(const double* values, std::size_t count);

  SampleFormat format_;
  ByteOrder order_;
  AmplitudeHistogram histogram_;
  TraceStatistics trace_;
  double last_ = 0.0;      // the last finite sample of the trace
  bool has_last_ = false;  // the trace has a finite sample
  alignas(64) std::array<double, statistics_block_samples> values_{};
};

/// Local. Returns true if samples of a format are integers.
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
