// Selects the positions of numbers on an axis.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace sill::draw {

struct Tick {
  double value = 0.0;
  std::string text;
};

/// Local. Returns the multiples of 1, 2 or 5 times a power of ten from `first` to `last`, at most `max_ticks` of them;
/// `first` if there is none. All have the same number of decimals, and differ by at least `min_step`. Precondition:
/// first <= last.
[[nodiscard]] std::vector<Tick> round_ticks(double first, double last, int max_ticks, double min_step = 0.0);

/// A position that may be labelled: its x in pixels and its label.
struct LabelPlace {
  double x = 0.0;
  double value = 0.0;  ///< value of the label; NaN if the label is not a number
  std::string text;
  double width = 0.0;  ///< width of the text in pixels
};

/// Local. Returns the indices of positions whose labels are at least `gap` pixels apart: the positions with round
/// values if there are at least two of them, otherwise every n-th position, for the smallest suitable n. Precondition:
/// the positions are in ascending order of `x`.
[[nodiscard]] std::vector<std::size_t> places_to_label(std::span<const LabelPlace> places, double gap);

}  // namespace sill::draw
