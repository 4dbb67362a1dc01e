// The rules, applied to the bits of distinct words; docs/check.md lists them with their error rates.
#include "sill/formats/segy/samples/sample_format_evidence.hpp"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstdlib>
#include <numeric>

namespace sill::segy {
namespace {

using Rule = SampleRefutation::Rule;

constexpr std::size_t min_words = 100;    // minimum number of distinct words for a verdict
constexpr std::size_t min_odd_words = 5;  // minimum number of words against a format: a few may be damaged
constexpr std::size_t max_words = 4096;   // over all traces
constexpr std::uint32_t magnitude_bits = 0x7FFFFFFFU;
constexpr std::uint32_t fraction_bits = 0x00FFFFFFU;     // of an IBM float
constexpr std::uint32_t first_digit_bits = 0x00F00000U;  // of an IBM float: not 0 if it is normalized
constexpr std::uint32_t ieee_exponent_bits = 0x7F800000U;

std::uint32_t reordered(std::uint32_t big_endian_word, ByteOrder order) {
  if (order == ByteOrder::big) return big_endian_word;
  if (order == ByteOrder::little) return swap_bytes(big_endian_word);
  return ((big_endian_word & 0x00FF00FFU) << 8U) | ((big_endian_word >> 8U) & 0x00FF00FFU);
}

// Returns the word without its sign, or 0 for words that are not evidence.
std::uint32_t magnitude_in(std::uint32_t word, SampleFormat format) {
  if (format == SampleFormat::fixed_point_gain) return word;
  if (format == SampleFormat::int32) return (word >> 31U) != 0 ? 0U - word : word;
  return (word & fraction_bits) == 0 ? 0 : word & magnitude_bits;
}

bool is_float(SampleFormat format) { return format == SampleFormat::ibm_float || format == SampleFormat::ieee_float; }

// Returns log2 of the magnitude of a float, rounded down, plus a constant; nullopt for zeros, infinities and NaN.
std::optional<int> octave_of(std::uint32_t word, SampleFormat format) {
  const bool is_ibm = format == SampleFormat::ibm_float;
  const std::uint32_t fraction = word & (is_ibm ? fraction_bits : 0x007FFFFFU);
  const int digits = static_cast<int>(std::bit_width(fraction));
  if (is_ibm) return fraction == 0 ? std::nullopt : std::optional(4 * static_cast<int>((word >> 24U) & 0x7FU) + digits);
  const int exponent = static_cast<int>((word & ieee_exponent_bits) >> 23U);
  if (exponent == 255 || (word & magnitude_bits) == 0) return std::nullopt;
  return exponent == 0 ? digits - 23 : exponent;
}

// A selection of samples of a trace: `count` stretches of `words` consecutive samples, distributed over the trace.
struct SampledStretches {
  std::size_t count;
  std::size_t words;
};
constexpr SampledStretches full_look{16, 64};
constexpr SampledStretches quick_look{8, 16};  // to test whether the full rules may refute the format

// Calls `visit(first, count)` for each stretch of a trace, or once for all samples if the stretches would contain them
// all.
template <class Visit>
void for_each_stretch(std::size_t samples, SampledStretches stretches, Visit&& visit) {
  if (samples <= stretches.count * stretches.words) return visit(std::size_t{0}, samples);
  for (std::size_t i = 0; i < stretches.count; ++i)
    visit(i * (samples - stretches.words) / (stretches.count - 1), stretches.words);
}

// Returns the step, in octaves, that nine in ten steps do not exceed; 0 if there are too few steps.
template <class Steps>
int common_step(const Steps& steps) {
  const std::uint64_t all = std::accumulate(steps.begin(), steps.end(), std::uint64_t{0});
  if (all < min_words) return 0;
  std::uint64_t up_to = 0;
  std::size_t octaves = 0;
  while (10 * (up_to += steps[octaves]) < 9 * all) ++octaves;
  return static_cast<int>(octaves);
}

std::optional<SampleRefutation> refutation_of_ibm(std::span<const std::uint32_t> magnitudes, int step) {
  const auto all = static_cast<double>(magnitudes.size());
  std::size_t zero_digits = 0;
  std::size_t huge = 0;
  std::size_t tiny = 0;
  bool one_exponent = true;
  for (const std::uint32_t magnitude : magnitudes) {
    zero_digits += (magnitude & first_digit_bits) == 0 ? 1 : 0;
    huge += magnitude >= 0x60000000U ? 1 : 0;
    tiny += magnitude < 0x20000000U ? 1 : 0;
    one_exponent = one_exponent && magnitude >> 24U == magnitudes.front() >> 24U;
  }
  const auto percent = [all](std::size_t count) { return 100.0 * static_cast<double>(count) / all; };
  // Fixed-point numbers with one common exponent are not normalized.
  if (zero_digits >= min_odd_words && percent(zero_digits) > 2.0 && !one_exponent)
    return SampleRefutation{Rule::zero_first_digit, percent(zero_digits)};
  if (huge >= min_odd_words && percent(huge) > 0.5) return SampleRefutation{Rule::huge, percent(huge)};
  if (percent(tiny) > 50.0) return SampleRefutation{Rule::tiny, percent(tiny)};
  if (step > 48) return SampleRefutation{Rule::steps, static_cast<double>(step)};
  return {};
}

std::optional<SampleRefutation> refutation_of_ieee(std::span<const std::uint32_t> magnitudes, int step) {
  const auto all = static_cast<double>(magnitudes.size());
  std::array<std::size_t, 256> in_octave{};
  std::array<std::bitset<256>, 256> places;  // occupied positions, by the first eight bits of the fraction
  bool has_zero_digit = false;
  for (const std::uint32_t magnitude : magnitudes) {
    ++in_octave[magnitude >> 23U];
    places[magnitude >> 23U].set((magnitude >> 15U) & 255U);
    has_zero_digit = has_zero_digit || (magnitude & first_digit_bits) == 0;
  }
  const auto percent = [all](std::size_t count) { return 100.0 * static_cast<double>(count) / all; };
  // Words that begin with a zero digit are in even octaves, where they occupy an eighth of the positions. If both
  // neighbours of an octave occur, the octave is not at the edge of the values, and some of these positions should be
  // occupied. The rule counts positions, and needs two octaves, because the values of a velocity model with few layers
  // are close together.
  std::size_t octaves = 0;
  std::size_t inner = 0;
  for (std::size_t octave = 2; octave < 255; octave += 2) {
    if (in_octave[octave - 1] == 0 || in_octave[octave + 1] == 0) continue;
    const std::size_t taken = places[octave].count();
    octaves += taken >= 8 ? 1 : 0;
    inner += taken;
  }
  if (percent(in_octave[255]) > 2.0) return SampleRefutation{Rule::not_finite, percent(in_octave[255])};
  if (percent(in_octave[0]) > 50.0) return SampleRefutation{Rule::denormal, percent(in_octave[0])};
  if (step > 24) return SampleRefutation{Rule::steps, static_cast<double>(step)};
  if (!has_zero_digit && octaves >= 2 && inner >= 75) return SampleRefutation{Rule::no_zero_digit, 0.0};
  return {};
}

std::optional<SampleRefutation> refutation_of_int32(std::vector<std::uint32_t> magnitudes) {
  const std::size_t rank = (magnitudes.size() * 999 + 999) / 1000 - 1;
  std::ranges::nth_element(magnitudes, magnitudes.begin() + static_cast<std::ptrdiff_t>(rank));
  const std::uint32_t largest = magnitudes[rank];
  if (largest < 1U << 27U) return {};
  const auto small = std::ranges::count_if(magnitudes, [&](std::uint32_t one) { return one < largest / 64; });
  const double percent = 100.0 * static_cast<double>(small) / static_cast<double>(magnitudes.size());
  if (percent >= 0.2) return {};
  return SampleRefutation{Rule::no_small, percent};
}

// Source: SEG-Y rev 0, format code 4: the first byte of a word is 0, the second a gain.
std::optional<SampleRefutation> refutation_of_gain(std::span<const std::uint32_t> words) {
  const auto used =
      static_cast<std::size_t>(std::ranges::count_if(words, [](std::uint32_t word) { return word >> 24U != 0; }));
  const double percent = 100.0 * static_cast<double>(used) / static_cast<double>(words.size());
  if (used < min_odd_words || percent <= 2.0) return {};
  return SampleRefutation{Rule::unused_byte, percent};
}

// Applies the rules of a format to distinct magnitudes. Precondition: there are at least min_words of them.
std::optional<SampleRefutation> refutation_of(SampleFormat format, std::vector<std::uint32_t> magnitudes, int step) {
  if (format == SampleFormat::ibm_float) return refutation_of_ibm(magnitudes, step);
  if (format == SampleFormat::ieee_float) return refutation_of_ieee(magnitudes, step);
  if (format == SampleFormat::fixed_point_gain) return refutation_of_gain(magnitudes);
  return refutation_of_int32(std::move(magnitudes));
}

// Returns true if a trace with these words needs the full rules, because some of their conditions are met. The loops
// have no branches, so that compilers can vectorize them.
bool may_refute(SampleFormat format, std::span<const std::uint32_t> words) {
  if (format == SampleFormat::fixed_point_gain)
    return std::ranges::any_of(words, [](std::uint32_t word) { return word >> 24U != 0; });
  if (format == SampleFormat::int32) {
    std::uint32_t used = 0;
    std::uint32_t small = 0;
    for (const std::uint32_t word : words) {
      const std::uint32_t sign = 0U - (word >> 31U);
      used += static_cast<std::uint32_t>(word != 0);
      small += static_cast<std::uint32_t>(((word ^ sign) - sign) < 1U << 20U);  // including zeros
    }
    small -= static_cast<std::uint32_t>(words.size()) - used;
    return 100 * small < used;
  }
  const bool is_ibm = format == SampleFormat::ibm_float;
  const unsigned exponent_at = is_ibm ? 24 : 23;
  const auto leap = static_cast<std::int32_t>(is_ibm ? 12 : 24);
  const std::int32_t huge_from = is_ibm ? 0x60 : 0xFF;
  const std::int32_t tiny_below = is_ibm ? 0x20 : 1;
  std::int32_t zeros = 0;
  std::int32_t zero_digits = 0;
  std::int32_t huge = 0;
  std::int32_t tiny = 0;
  std::int32_t leaps = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::uint32_t magnitude = words[i] & magnitude_bits;
    const auto exponent = static_cast<std::int32_t>(magnitude >> exponent_at);
    zeros += static_cast<std::int32_t>(magnitude == 0);
    zero_digits += static_cast<std::int32_t>((magnitude & first_digit_bits) == 0);
    huge += static_cast<std::int32_t>(exponent >= huge_from);
    tiny += static_cast<std::int32_t>(exponent < tiny_below);
  }
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::uint32_t magnitude = words[i] & magnitude_bits;
    const std::uint32_t before = words[i - 1] & magnitude_bits;
    const std::int32_t step =
        static_cast<std::int32_t>(magnitude >> exponent_at) - static_cast<std::int32_t>(before >> exponent_at);
    leaps += static_cast<std::int32_t>(magnitude != 0) & static_cast<std::int32_t>(before != 0) &
             static_cast<std::int32_t>(std::abs(step) >= leap);
  }
  const auto used = static_cast<std::int32_t>(words.size()) - zeros;
  if (used == 0) return false;
  if (4 * (tiny - zeros) > used || 20 * leaps > used || huge > 0) return true;
  return is_ibm ? zero_digits - zeros > 2 : zero_digits == zeros;
}

}  // namespace

SampleFormatEvidence::SampleFormatEvidence(SampleReading declared) : declared_(declared), words_(max_words) {}

SampleReading SampleFormatEvidence::reading(std::size_t order, SampleFormat format) const {
  const ByteOrder reverse = declared_.order == ByteOrder::big ? ByteOrder::little : ByteOrder::big;
  return {format, order == 0 ? declared_.order : reverse};
}

void SampleFormatEvidence::add_trace(std::span<const std::byte> samples) {
  for_each_stretch(samples.size() / 4, full_look, [&](std::size_t first, std::size_t count) {
    std::array<std::array<std::optional<int>, formats>, orders> before{};
    for (std::size_t i = first; i < first + count; ++i) {
      const auto stored = load<std::uint32_t>(samples.data() + 4 * i, ByteOrder::big);
      if (stored != 0) words_.add(stored);
      for (std::size_t o = 0; o < orders; ++o) {
        const std::uint32_t word = reordered(stored, reading(o, SampleFormat::ibm_float).order);
        for (std::size_t f = 0; f < formats; ++f) {
          const std::optional<int> octave =
              octave_of(word, f == 0 ? SampleFormat::ibm_float : SampleFormat::ieee_float);
          Steps& steps = steps_[o][f];
          if (octave && before[o][f])
            ++steps[std::min<std::size_t>(static_cast<std::size_t>(std::abs(*octave - *before[o][f])),
                                          steps.size() - 1)];
          before[o][f] = octave;
        }
      }
    }
  });
}

void SampleFormatEvidence::merge(const SampleFormatEvidence& other) { merge_packed(other.packed()); }

std::vector<std::uint32_t> SampleFormatEvidence::packed() const {
  std::vector<std::uint32_t> packed;
  for (const auto& of_order : steps_)
    for (const Steps& steps : of_order) packed.insert(packed.end(), steps.begin(), steps.end());
  const std::vector<std::uint32_t> words = words_.words();
  packed.push_back(static_cast<std::uint32_t>(words.size()));
  packed.insert(packed.end(), words.begin(), words.end());
  return packed;
}

std::span<const std::uint32_t> SampleFormatEvidence::merge_packed(std::span<const std::uint32_t> packed) {
  for (auto& of_order : steps_) {
    for (Steps& steps : of_order) {
      for (std::size_t i = 0; i < steps.size(); ++i) steps[i] += packed[i];
      packed = packed.subspan(steps.size());
    }
  }
  const std::uint32_t words = packed.front();
  for (const std::uint32_t word : packed.subspan(1, words)) words_.add(word);
  return packed.subspan(1 + words);
}

SampleFormatResult SampleFormatEvidence::evaluate() const {
  SampleFormatResult result{.declared = declared_};
  const std::vector<std::uint32_t> stored = words_.words();
  for (std::size_t o = 0; o < orders; ++o) {
    for (const SampleFormat format :
         {SampleFormat::ibm_float, SampleFormat::ieee_float, SampleFormat::int32, SampleFormat::fixed_point_gain}) {
      const SampleReading way = reading(o, format);
      if (format == SampleFormat::fixed_point_gain && way != declared_) continue;  // obsolete for decades
      // No rule can refute integers whose bytes are swapped: they look random.
      if (o > 0 && format == SampleFormat::int32) continue;
      std::vector<std::uint32_t> magnitudes;
      for (const std::uint32_t word : stored)
        if (const std::uint32_t magnitude = magnitude_in(reordered(word, way.order), format); magnitude != 0)
          magnitudes.push_back(magnitude);
      std::ranges::sort(magnitudes);
      magnitudes.erase(std::ranges::unique(magnitudes).begin(), magnitudes.end());
      const auto count = std::ssize(magnitudes);
      const bool is_enough = magnitudes.size() >= min_words;
      const int step = is_float(format) ? common_step(steps_[o][format == SampleFormat::ibm_float ? 0 : 1]) : 0;
      const std::optional<SampleRefutation> against =
          is_enough ? refutation_of(format, std::move(magnitudes), step) : std::nullopt;
      if (way == declared_) {
        result.distinct_words = count;
        result.verdict = against     ? SampleVerdict::refuted
                         : is_enough ? SampleVerdict::possible
                                     : SampleVerdict::too_few;
        result.against = against;
      } else if (!against) {
        result.others.push_back(way);
      }
    }
  }
  // Fixed-point words with gain are also small integers.
  if (declared_.format == SampleFormat::fixed_point_gain && !result.against) result.others.clear();
  return result;
}

TraceFormatCheck::TraceFormatCheck(SampleReading declared)
    : declared_(declared), words_(full_look.count * full_look.words) {}

bool TraceFormatCheck::refutes(std::span<const std::byte> samples) {
  const SampleFormat format = declared_.format;
  const auto word_at = [&](std::size_t i) { return load<std::uint32_t>(samples.data() + 4 * i, declared_.order); };
  std::array<std::uint32_t, quick_look.count * quick_look.words> quick_words;
  std::size_t words = 0;
  for_each_stretch(samples.size() / 4, quick_look, [&](std::size_t first, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) quick_words[words + i] = word_at(first + i);
    words += count;
  });
  if (!may_refute(format, std::span(quick_words).first(words))) return false;

  words_.clear();
  std::array<std::uint32_t, 64> steps{};
  for_each_stretch(samples.size() / 4, full_look, [&](std::size_t first, std::size_t count) {
    std::optional<int> before;
    for (std::size_t i = first; i < first + count; ++i) {
      const std::uint32_t word = word_at(i);
      if (const std::uint32_t magnitude = magnitude_in(word, format); magnitude != 0) words_.add(magnitude);
      if (!is_float(format)) continue;
      const std::optional<int> octave = octave_of(word, format);
      if (octave && before)
        ++steps[std::min<std::size_t>(static_cast<std::size_t>(std::abs(*octave - *before)), steps.size() - 1)];
      before = octave;
    }
  });
  std::vector<std::uint32_t> magnitudes = words_.words();
  return magnitudes.size() >= min_words && refutation_of(format, std::move(magnitudes), common_step(steps));
}

}  // namespace sill::segy
