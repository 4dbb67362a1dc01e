// Windows of recording time: which samples of a trace they hold, and what a trace's header then says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/header_map.hpp"

namespace sill::segy {

/// Times of samples, in microseconds, both ends included.
struct TimeWindow {
  double begin_us = -std::numeric_limits<double>::infinity();
  double end_us = std::numeric_limits<double>::infinity();
};

/// Local. "1s:3s", "500ms:", ":2.5s", "250us:1ms", and where the interval of samples is known "10samples:50samples":
/// units are required, an end may be left open, not both. Errors: usage, also if the window ends before it begins.
[[nodiscard]] TimeWindow parse_time_window(std::string_view text, double interval_us = 0.0);

/// Samples of a trace, counted from 0.
struct SampleRange {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// Local. The samples, of `samples` that begin at `start_us` and lie `interval_us` apart, that are in the window: a
/// millionth of an interval beyond an end counts as on it. Precondition: interval_us > 0.
[[nodiscard]] SampleRange samples_in(const TimeWindow& window, double start_us, double interval_us,
                                     std::int64_t samples);

/// Traces that begin further from the origin than eleven days are damaged: no sample could be counted exactly.
constexpr double farthest_start_us = 1e12;

/// The word that says when the first sample of a trace was recorded: delrt of a map, in milliseconds by its scalar.
/// Source: SEG-Y rev 1, trace header bytes 109-110 and 215-216.
class DelayWord {
 public:
  /// Local. Errors: usage if the map has no such word, or not the scalar that its true value needs.
  explicit DelayWord(const HeaderMap& map);
  /// Local. That of a map that has all it needs; else nothing.
  [[nodiscard]] static std::optional<DelayWord> of(const HeaderMap& map);

  [[nodiscard]] const WordRef& word() const { return word_; }

  /// Local. The bytes of a trace, from 0, that it looks at.
  [[nodiscard]] TrueBytes needed_bytes() const { return bytes_of_true_value(word_); }

  /// Local. The time of the first sample in microseconds. `header` is the address of byte 1 of the trace.
  [[nodiscard]] double start_us(const std::byte* header, ByteOrder order) const;

  /// Local. The same, of a trace whose samples are to be found by their times. Errors: input, without a place, if it
  /// is not finite, or farther from the origin than `farthest_start_us`.
  [[nodiscard]] double usable_start_us(const std::byte* header, ByteOrder order) const;

  /// Local. Sets the word so that the first sample is `start_us` after the origin; the scalar stays. Errors: input,
  /// without a place, if the word cannot say that.
  void set_start(std::byte* header, ByteOrder order, double start_us) const;

 private:
  WordRef word_;
};

}  // namespace sill::segy
