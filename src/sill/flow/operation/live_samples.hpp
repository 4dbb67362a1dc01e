// Which samples of a trace count: those neither dead nor muted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "sill/formats/segy/samples/time_window.hpp"

namespace sill::flow {

/// Local. The samples from the first that is not zero to the last; none of a trace of zeros. Muted are the zeros before
/// and after them.
[[nodiscard]] inline segy::SampleRange live_samples(std::span<const float> trace) {
  const auto is_live = [](float x) { return x != 0.0F; };
  const auto first = std::ranges::find_if(trace, is_live);
  if (first == trace.end()) return {};
  auto last = trace.end();
  while (!is_live(*(last - 1))) --last;
  return {first - trace.begin(), last - first};
}

}  // namespace sill::flow
