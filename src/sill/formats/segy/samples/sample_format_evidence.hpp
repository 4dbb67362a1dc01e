// Whether samples of 4 bytes can be what the file header states: IBM floats, IEEE floats, integers, or fixed point with
// gain.
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

/// Local. Whether there are rules for a format: IBM floats, IEEE floats, integers of 4 bytes, fixed point with gain.
[[nodiscard]] constexpr bool has_evidence(SampleFormat format) {
  return format == SampleFormat::ibm_float || format == SampleFormat::ieee_float || format == SampleFormat::int32 ||
         format == SampleFormat::fixed_point_gain;
}

/// A format and byte order in which words of 4 bytes may be read.
struct SampleReading {
  SampleFormat format = SampleFormat::ibm_float;
  ByteOrder order = ByteOrder::big;

  friend constexpr bool operator==(const SampleReading&, const SampleReading&) = default;
};

/// What the words say of a reading.
enum class SampleVerdict : std::uint8_t {
  too_few,   ///< fewer than 100 distinct words: nothing can be said
  possible,  ///< no rule is against it
  refuted,
};

/// A rule that a reading breaks, with the figure that breaks it: percent of the distinct words, or octaves.
struct SampleRefutation {
  enum class Rule : std::uint8_t {
    zero_first_digit,  ///< of IBM: fractions that begin with a zero digit
    huge,              ///< of IBM: exponents above those of other formats
    tiny,              ///< of IBM: exponents below them
    steps,             ///< of floats: octaves from a sample to the next, for one pair in ten
    not_finite,        ///< of IEEE
    denormal,          ///< of IEEE
    no_zero_digit,     ///< of IEEE: none from 2 to 2.25 times a power of four, as if all were IBM floats
    no_small,          ///< of integers: nearly none below a 64th of the largest
    unused_byte        ///< of fixed point with gain: the first byte is not 0
  };
  Rule rule = Rule::huge;
  double value = 0.0;
};

/// What samples say of the readings that they may have.
struct SampleFormatResult {
  SampleReading declared = {};
  SampleVerdict verdict = SampleVerdict::too_few;  ///< of the declared reading
  std::int64_t distinct_words = 0;                 ///< that were looked at
  std::optional<SampleRefutation> against = {};    ///< the declared reading, if it is refuted
  std::vector<SampleReading> others = {};          ///< those that no rule is against
};

/// Statistics of samples of 4 bytes, of bounded size and independent of the order of traces: about 1,024 samples a
/// trace, of which the distinct words (at most 4,096) and the steps from each to the next count.
class SampleFormatEvidence {
 public:
  /// Of a file that declares this format and order. Precondition: has_evidence(declared.format).
  explicit SampleFormatEvidence(SampleReading declared);

  /// Local. Adds the samples of a trace, or the first of them, as stored.
  void add_trace(std::span<const std::byte> samples);
  void merge(const SampleFormatEvidence& other);

  /// Local. All that was added, as numbers to be sent to other ranks.
  [[nodiscard]] std::vector<std::uint32_t> packed() const;
  /// Local. Adds what another rank packed, the first of `packed`; returns the rest, which others packed.
  std::span<const std::uint32_t> merge_packed(std::span<const std::uint32_t> packed);

  [[nodiscard]] SampleFormatResult evaluate() const;

 private:
  // Steps from a sample to the next, neither of them zero, by whole octaves; the last counts all longer ones.
  using Steps = std::array<std::uint32_t, 64>;
  static constexpr std::size_t orders = 2;
  static constexpr std::size_t formats = 2;

  [[nodiscard]] SampleReading reading(std::size_t order, SampleFormat format) const;

  SampleReading declared_;
  DistinctWords words_;  // read as big-endian
  std::array<std::array<Steps, formats>, orders> steps_{};
};

/// Whether the samples of single traces refute the declared reading: fast for traces that do not. One for each thread.
class TraceFormatCheck {
 public:
  /// Precondition: has_evidence(declared.format).
  explicit TraceFormatCheck(SampleReading declared);

  /// Local. Whether a trace by itself refutes it. `samples` are those of the trace, or the first of them, as stored.
  [[nodiscard]] bool refutes(std::span<const std::byte> samples);

 private:
  SampleReading declared_;
  DistinctWords words_;  // magnitudes of the declared reading
};

}  // namespace sill::segy
