// The offsets of traces as distances.
#pragma once

#include <cmath>
#include <cstddef>
#include <optional>

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
  /// Local. Returns the offset word, for `Access::numbers`, with the largest valid offset. Larger offsets are treated
  /// as damage.
  [[nodiscard]] HeaderNumber number() const { return {*word_, 1e9}; }

 private:
  std::optional<segy::WordRef> word_;
  ByteOrder order_ = ByteOrder::big;
  double unit_m_ = 1.0;
};

}  // namespace sill::flow
