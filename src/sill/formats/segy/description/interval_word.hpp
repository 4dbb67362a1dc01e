// The sample intervals that trace headers state.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "sill/base/byte_order.hpp"
#include "sill/formats/segy/words/header_map.hpp"
#include "sill/layout/range.hpp"

namespace sill::segy {

/// The traces whose headers state another interval than the survey.
struct OtherIntervals {
  std::int64_t traces = 0;
  std::int64_t first_trace = 0;  ///< the first of them, from 1; 0: none
  std::int64_t first_us = 0;     ///< the interval that its header states

  /// Local. Adds other traces.
  void add(const OtherIntervals& other);
};

/// The word `dt` of trace headers, and the interval of the survey, with which programs compute.
class IntervalWord {
 public:
  /// Local. Finds the word in `map`, which must outlive this object. If the map has no such word, or `used_us` does not
  /// fit into it, every trace states `used_us`.
  IntervalWord(const HeaderMap& map, double used_us);

  /// Local. Returns the interval of the survey, in whole microseconds.
  [[nodiscard]] std::int64_t used_us() const { return used_us_; }
  /// Local. Returns the bytes of a trace, from 0, that `of` reads; none without the word.
  [[nodiscard]] ByteRange needed_bytes() const;
  /// Local. Returns the interval that a trace header states; if it states none (0), that of the survey.
  [[nodiscard]] std::int64_t of(const std::byte* header, ByteOrder order) const;
  /// Local. Adds trace `number`, from 1, to `others` if it states another interval than the survey. Returns true if it
  /// does.
  bool add_to(OtherIntervals& others, std::int64_t number, const std::byte* header, ByteOrder order) const;
  /// Local. Returns a note about `others`; empty if there are none.
  [[nodiscard]] std::string note(const OtherIntervals& others) const;

 private:
  std::int64_t used_us_;
  const MapWord* word_;
};

}  // namespace sill::segy
