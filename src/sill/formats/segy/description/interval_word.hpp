// The sample intervals that trace headers state.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "sill/base/units.hpp"
#include "sill/formats/segy/description/trace_shape.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// The traces whose headers state another interval than the survey.
struct OtherIntervals {
  std::int64_t traces = 0;
  std::int64_t first_trace = 0;  ///< the first of them, from 1; 0: none
  std::int64_t first_us = 0;     ///< the interval that its header states

  /// Local. Adds other traces.
  void add(const OtherIntervals& other) {
    traces += other.traces;
    if (other.traces == 0 || (first_trace > 0 && first_trace < other.first_trace)) return;
    first_trace = other.first_trace;
    first_us = other.first_us;
  }
};

/// The word `dt` of trace headers, compared with the interval of the survey, with which programs compute.
class IntervalWord {
 public:
  /// Local. Finds the word in `map`, which must outlive this object. If the map has no such word, or `used_us` does not
  /// fit into it, every trace states `used_us`.
  IntervalWord(const HeaderMap& map, double used_us)
      : used_us_(is_short_interval(used_us) ? static_cast<std::int64_t>(used_us) : 0),
        word_(is_short_interval(used_us) && used_us_ > 0 ? map.find("dt") : nullptr) {}

  /// Local. Returns the interval of the survey, in whole microseconds.
  [[nodiscard]] std::int64_t used_us() const { return used_us_; }
  /// Local. Returns the bytes of a trace, from 0, that `of` reads; none without the word.
  [[nodiscard]] ByteRange needed_bytes() const {
    return word_ == nullptr ? ByteRange{} : ByteRange{word_->byte - 1, word_->type.bytes};
  }
  /// Local. Returns the interval that a trace header states; if it states none (0), that of the survey.
  [[nodiscard]] std::int64_t of(const std::byte* header, ByteOrder order) const {
    if (word_ == nullptr) return used_us_;
    const auto stated = static_cast<std::int64_t>(load_bits(header + (word_->byte - 1), word_->type.bytes, order));
    return stated != 0 ? stated : used_us_;
  }
  /// Local. Adds trace `number`, from 1, to `others` if it states another interval. Returns true if it does.
  bool add_to(OtherIntervals& others, std::int64_t number, const std::byte* header, ByteOrder order) const {
    const std::int64_t stated = of(header, order);
    if (stated != used_us_) others.add({1, number, stated});
    return stated != used_us_;
  }
  /// Local. Returns a note about `others`; empty if there are none.
  [[nodiscard]] std::string note(const OtherIntervals& others) const {
    if (others.traces == 0) return "";
    return fmt::format(
        "the headers of {} state another sample interval (dt) than the one that is used, {} us: the first is trace {}, "
        "with {} us",
        format_count(others.traces, "trace"), used_us_, others.first_trace, others.first_us);
  }

 private:
  std::int64_t used_us_;
  const MapWord* word_;
};

}  // namespace sill::segy
