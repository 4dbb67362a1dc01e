// Where an axis has its numbers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sill::draw {

struct Tick {
  double value = 0.0;
  std::string text;
};

/// Local. The multiples of 1, 2 or 5 times a power of ten from `first` to `last` that are no more than `max_ticks` and
/// two at least, if there are so many; all with the same number of decimals. Precondition: first <= last.
[[nodiscard]] std::vector<Tick> round_ticks(double first, double last, int max_ticks);

/// A place that may be labelled: a position in pixels and what would stand there.
struct LabelPlace {
  double x = 0.0;
  double value = 0.0;  ///< NaN for what is no number
  std::string text;
  double width = 0.0;  ///< of the text in pixels
};

/// Local. Returns the indices of places whose labels stay `gap` pixels apart: those with round values, if that leaves
/// two at least, else every n-th. Precondition: ascending `x`.
[[nodiscard]] std::vector<std::size_t> places_to_label(std::span<const LabelPlace> places, double gap);

}  // namespace sill::draw
