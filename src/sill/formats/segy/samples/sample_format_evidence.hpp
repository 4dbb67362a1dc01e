// Evidence on whether 4-byte samples can have the format that the file header states: IBM floats, IEEE floats,
// integers, or fixed point with gain.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/samples/sample_format.hpp"
#include "sill/formats/segy/words/distinct_words.hpp"

namespace sill::segy {

/// Local. Returns true if there are rules for a format: IBM floats, IEEE floats, integers of 4 bytes, fixed point with
/// gain.
[[nodiscard]] constexpr bool has_evidence(SampleFormat format) {
  return format == SampleFormat::ibm_float || format == SampleFormat::ieee_float || format == SampleFormat::int32 ||
         format == SampleFormat::fixed_point_gain;
}

/// A format and byte order for 4-byte words.
struct SampleReading {
  SampleFormat format = SampleFormat::ibm_float;
  ByteOrder order = ByteOrder::big;

  friend constexpr bool operator==(const SampleReading&, const SampleReading&) = default;
};

/// The verdict on a reading.
enum class SampleVerdict : std::uint8_t {
  too_few,   ///< fewer than 100 distinct words: no decision is possible
  possible,  ///< no rule refutes the reading
  refuted,
};

/// A rule that a reading violates, with the measured figure: percent of the distinct words, or octaves.
struct SampleRefutation {
  enum class Rule : std::uint8_t {
    zero_first_digit,  ///< for IBM: fractions that begin with a zero digit
    huge,              ///< for IBM: exponents above the range of other formats
    tiny,              ///< for IBM: exponents below the range of other formats
    steps,             ///< for floats: one pair of neighbouring samples in ten differs by this many octaves
    not_finite,        ///< for IEEE: infinite or NaN
    denormal,          ///< for IEEE: denormal numbers
    no_zero_digit,     ///< for IEEE: no word from 2 to 2.25 times a power of four, as if all were IBM floats
    no_small,          ///< for integers: almost no word below a 64th of the largest
    unused_byte        ///< for fixed point with gain: the first byte is not 0
  };
  Rule rule = Rule::huge;
  double value = 0.0;
};

/// The verdicts of samples on their possible readings.
struct SampleFormatResult {
  SampleReading declared = {};
  SampleVerdict verdict = SampleVerdict::too_few;  ///< on the declared reading
  std::int64_t distinct_words = 0;                 ///< number of distinct words examined
  std::optional<SampleRefutation> against = {};    ///< the refutation of the declared reading, if it is refuted
  std::vector<SampleReading> others = {};          ///< readings that no rule refutes
};

/// Statistics of 4-byte samples, of bounded size and independent of the order of traces. Up to 1,024 samples per trace
/// are used: their distinct words (at most 4,096 in total) and the steps from one sample to the next.
class SampleFormatEvidence {
 public:
  /// Local. Prepares the statistics of a file that declares this format and order. Precondition:
  /// has_evidence(declared.format).
  explicit SampleFormatEvidence(SampleReading declared);

  /// Local. Adds the samples of a trace, or the first of them, as stored.
  void add_trace(std::span<const std::byte> samples);
  void merge(const SampleFormatEvidence& other);

  /// Local. Returns the statistics as numbers to be sent to other ranks.
  [[nodiscard]] std::vector<std::uint32_t> packed() const;
  /// Local. Adds the statistics at the beginning of `packed`, which another rank packed; returns the remaining numbers.
  std::span<const std::uint32_t> merge_packed(std::span<const std::uint32_t> packed);

  [[nodiscard]] SampleFormatResult evaluate() const;

 private:
  // Steps from a sample to the next, neither of them zero, in integer octaves; the last element counts all larger
  // steps.
  using Steps = std::array<std::uint32_t, 64>;
  static constexpr std::size_t orders = 2;
  static constexpr std::size_t formats = 2;

  [[nodiscard]] SampleReading reading(std::size_t order, SampleFormat format) const;

  SampleReading declared_;
  DistinctWords words_;  // as big-endian numbers
  std::array<std::array<Steps, formats>, orders> steps_{};
};

/// Tests whether the samples of single traces refute the declared reading; fast for traces that do not. Use one object
/// per thread.
class TraceFormatCheck {
 public:
  /// Local. Prepares the tests. Precondition: has_evidence(declared.format).
  explicit TraceFormatCheck(SampleReading declared);

  /// Local. Returns true if a trace by itself refutes the declared reading. `samples` are the samples of the trace, or
  /// the first of them, as stored.
  [[nodiscard]] bool refutes(std::span<const std::byte> samples);

 private:
  SampleReading declared_;
  DistinctWords words_;  // magnitudes of words in the declared reading
};

}  // namespace sill::segy
