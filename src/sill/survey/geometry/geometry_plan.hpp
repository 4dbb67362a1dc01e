// A plan derived from the behaviour of header words: which words number bins and gathers, and which words are stored
// for each trace.
#pragma once

#include <optional>
#include <vector>

#include "sill/survey/geometry/header_evidence.hpp"

namespace sill {

/// The kind of ensemble in which consecutive traces are grouped.
enum class Ensemble : std::uint8_t { none, place, shot, receiver };

struct GeometryPlan {
  bool offset_varies = false;        ///< the offset varies in more than a few traces
  std::optional<GeometryWord> slow;  ///< the word that numbers inlines; nullopt along a line
  std::optional<GeometryWord> fast;  ///< the word that numbers crosslines, or bins along a line; nullopt if no word
                                     ///< numbers bins
  Ensemble ensemble = Ensemble::none;
  std::optional<GatherBy> gathers;  ///< the words that identify the gathers (shots or receivers) whose traces are
                                    ///< counted
  PositionSource positions = PositionSource::none;
  std::vector<GeometryWord> held;  ///< words stored for each trace, five at most

  /// Local. Returns true if traces read with this plan can be used for `other`.
  [[nodiscard]] bool serves(const GeometryPlan& other) const;
};

/// Local. Returns a plan derived from the evidence of some traces or of all. `ensemble_rejected`: cdpx and cdpy are not
/// positions.
[[nodiscard]] GeometryPlan choose_plan(const HeaderEvidence& evidence, bool ensemble_rejected);

/// Local. Returns true if `a` or `b` is not 0 in at least one trace.
[[nodiscard]] bool any_set(const HeaderEvidence& evidence, GeometryWord a, GeometryWord b);

/// The order of the traces that was found.
struct FoundOrder {
  std::vector<OrderKey> keys;  ///< without words that do not vary
  std::int64_t ties = 0;       ///< neighbours with equal keys
};

/// Local. Returns the candidate order of words in `among` that orders the traces and distinguishes most neighbours. If
/// a candidate orders the traces only by its first words, only these words are used. Empty keys: no candidate orders
/// the traces.
[[nodiscard]] FoundOrder find_order(const HeaderEvidence& evidence, std::span<const GeometryWord> among);

}  // namespace sill
