// Windows of recording time: the samples of a trace inside a window, and the resulting delay in its header.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::segy {

/// A range of times of samples, in microseconds, both ends included.
struct TimeWindow {
  double begin_us = -std::numeric_limits<double>::infinity();
  double end_us = std::numeric_limits<double>::infinity();
};

/// Local. Parses "1s:3s", "500ms:", ":2.5s", "250us:1ms", and, if `interval_us` is not 0, "10samples:50samples". Units
/// are required; one end may be omitted, but not both. Errors: usage, also if the window ends before it begins.
[[nodiscard]] TimeWindow parse_time_window(std::string_view text, double interval_us = 0.0);

/// A range of samples of a trace, counted from 0.
struct SampleRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Local. Returns the samples that are inside the window, for a trace with `samples` samples, of which the first is at
/// `start_us`, at an interval of `interval_us`. A sample beyond an end by at most a millionth of an interval is treated
/// as inside. Precondition: interval_us > 0.
[[nodiscard]] SampleRange samples_in(const TimeWindow& window, double start_us, double interval_us,
                                     std::int64_t samples);

/// Maximum distance of the start of a trace from time 0, about eleven days. Traces that begin farther away are damaged;
/// the index of a sample could not be computed exactly.
constexpr double farthest_start_us = 1e12;

/// The word that states the time of the first sample of a trace: `delrt` of a map, in milliseconds after the scalar of
/// the word is applied. Source: SEG-Y rev 1, trace header bytes 109-110 and 215-216.
class DelayWord {
 public:
  /// Local. Finds the word `delrt` in `map`. Errors: usage, if the map does not have this word, or does not have the
  /// scalar that the true value of the word needs.
  explicit DelayWord(const HeaderMap& map);
  /// Local. Returns the word of a map, or nullopt if the constructor would fail.
  [[nodiscard]] static std::optional<DelayWord> of(const HeaderMap& map);

  [[nodiscard]] const WordRef& word() const { return word_; }

  /// Local. Returns the bytes of a trace, from 0, that `start_us` reads.
  [[nodiscard]] TrueBytes needed_bytes() const { return bytes_of_true_value(word_); }

  /// Local. Returns the time of the first sample in microseconds. `header` is the address of byte 1 of the trace.
  [[nodiscard]] double start_us(const std::byte* header, ByteOrder order) const;

  /// Local. Returns the time of the first sample of a trace whose samples are selected by time. Errors: input, without
  /// a location, if the time is not finite, or farther from time 0 than `farthest_start_us`.
  [[nodiscard]] double usable_start_us(const std::byte* header, ByteOrder order) const;

  /// Local. Sets the word so that the first sample is at `start_us` after time 0; the scalar does not change. Errors:
  /// input, without a location, if the word cannot represent that time.
  void set_start(std::byte* header, ByteOrder order, double start_us) const;

 private:
  WordRef word_;
};

}  // namespace sill::segy
