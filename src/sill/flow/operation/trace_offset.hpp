// The offsets of traces as distances.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "sill/flow/operation/operation.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {

/// Local. Returns the unit of a survey's lengths, in metres. If the survey states neither metres nor feet, metres are
/// assumed. Source: SEG-Y rev 1, binary header bytes 3255-3256.
[[nodiscard]] constexpr double length_unit_m(int measurement_system) {
  constexpr int feet = 2;
  return measurement_system == feet ? 0.3048 : 1.0;
}
[[nodiscard]] inline double length_unit_m(const SurveyState& survey) {
  return length_unit_m(survey.measurement_system);
}

/// The spacing of traces by their offsets: negative if these descend.
struct OffsetSpacing {
  double spacing = 0.0;
  std::optional<std::int64_t> uneven;  ///< the first trace that is not where equal spacing would place it
};

/// Local. Returns the mean spacing of offsets. Spacings are equal if each offset differs from its place by at most 1 %
/// of the mean spacing, which is not 0, and by the rounding to multiples of `unit` (0: not rounded), which moves a
/// trace by half a unit, and the ends by as much.
[[nodiscard]] inline OffsetSpacing spacing_of_offsets(std::span<const double> offsets, double unit) {
  constexpr double tolerance = 0.01;
  constexpr double max_rounding = 0.45;  // of the spacing: a missing trace moves others by half of it
  OffsetSpacing found;
  if (offsets.size() > 1) found.spacing = (offsets.back() - offsets.front()) / static_cast<double>(offsets.size() - 1);
  for (std::size_t i = 0; i < offsets.size() && !found.uneven; ++i) {
    const double expected = offsets.front() + found.spacing * static_cast<double>(i);
    const double spacing = std::abs(found.spacing);
    if (spacing == 0.0 ||
        !(std::abs(offsets[i] - expected) <= tolerance * spacing + std::min(unit, max_rounding * spacing)))
      found.uneven = static_cast<std::int64_t>(i);
  }
  return found;
}

/// The offset of a trace as a distance in metres. Source: SEG-Y rev 1, trace header bytes 37-40.
class TraceOffset {
 public:
  /// Local. Finds the offset word. Errors: usage if the header map has no offsets.
  void bind(const SurveyState& state) {
    word_ = state.words->word("offset");
    order_ = state.order;
    unit_m_ = length_unit_m(state);
  }
  [[nodiscard]] double metres(const std::byte* header) const {
    return std::abs(segy::true_value(*word_, header, order_)) * unit_m_;
  }
  /// Local. Returns the offset word. Precondition: `bind` was called.
  [[nodiscard]] const segy::WordRef& word() const { return *word_; }
  /// Local. Returns the offset word, for `Access::numbers`, with the largest valid offset. Larger offsets are treated
  /// as damage.
  [[nodiscard]] HeaderNumber number() const { return {*word_, 1e9}; }

 private:
  std::optional<segy::WordRef> word_;
  ByteOrder order_ = ByteOrder::big;
  double unit_m_ = 1.0;
};

}  // namespace sill::flow
