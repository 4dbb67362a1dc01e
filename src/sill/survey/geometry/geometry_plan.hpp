// From what header words do, which of them number places and gathers, and what is therefore held of each trace.
#pragma once

#include <optional>
#include <vector>

#include "sill/survey/geometry/header_evidence.hpp"

namespace sill {

/// How the traces lie together.
enum class Ensemble : std::uint8_t { none, place, shot, receiver };

struct GeometryPlan {
  bool offset_varies = false;        ///< in more than a few traces
  std::optional<GeometryWord> slow;  ///< numbers inlines; none along a line
  std::optional<GeometryWord> fast;  ///< numbers crosslines, or places along a line; none: no places are numbered
  Ensemble ensemble = Ensemble::none;
  std::optional<GatherBy> gathers;  ///< the words of shots, or receivers, whose traces are counted
  PositionSource positions = PositionSource::none;
  std::vector<GeometryWord> held;  ///< of each trace, five words at most

  /// Local. Whether traces read by this plan serve `other`.
  [[nodiscard]] bool serves(const GeometryPlan& other) const;
};

/// Local. What to hold, by evidence from some traces or all. `ensemble_rejected`: cdpx and cdpy are no positions.
[[nodiscard]] GeometryPlan choose_plan(const HeaderEvidence& evidence, bool ensemble_rejected);

/// Local. Whether one of two words is not 0 in some trace.
[[nodiscard]] bool any_set(const HeaderEvidence& evidence, GeometryWord a, GeometryWord b);

/// The order that traces were found in.
struct FoundOrder {
  std::vector<OrderKey> keys;  ///< words that do not vary are left out
  std::int64_t ties = 0;       ///< neighbours with equal keys
};

/// Local. Of the candidates of `among` the one that orders the traces and distinguishes most neighbours. Of a candidate
/// that does not order them in whole, its first words count that do. Empty keys: none does.
[[nodiscard]] FoundOrder find_order(const HeaderEvidence& evidence, std::span<const GeometryWord> among);

}  // namespace sill
