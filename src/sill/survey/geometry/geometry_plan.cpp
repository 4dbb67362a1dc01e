#include "sill/survey/geometry/geometry_plan.hpp"

#include <algorithm>
#include <array>

namespace sill {
namespace {

bool usable(const HeaderEvidence& e, GeometryWord word) { return e.of(word).unfit == 0; }

// Returns true if a word varies in more than a few traces.
bool varies(const HeaderEvidence& e, GeometryWord word) {
  return usable(e, word) && e.of(word).varies() && !e.of(word).nearly_constant;
}

// Returns true if a word has one value other than zero, except in a few traces.
bool is_set_and_constant(const HeaderEvidence& e, GeometryWord word) {
  return usable(e, word) && !varies(e, word) && 2 * e.of(word).zeros < e.traces();
}

PositionSource positions_of(const HeaderEvidence& e, bool ensemble_rejected) {
  using enum GeometryWord;
  if (!ensemble_rejected && any_set(e, cdpx, cdpy)) return PositionSource::ensemble;
  if (!any_set(e, sx, sy)) return PositionSource::none;
  return any_set(e, gx, gy) ? PositionSource::midpoint : PositionSource::source;
}

// Some surveys number crosslines by ensemble, and inlines by field record if they have no inline word. Then the traces
// are in order of both words, each ensemble number occurs in many lines, and no trace states an offset.
bool makes_lines_of_ensembles(const HeaderEvidence& e, GeometryWord line) {
  using enum GeometryWord;
  if (!varies(e, line) || !varies(e, cdp) || varies(e, offset)) return false;
  const std::array<GeometryWord, 3> among{line, cdp, offset};
  const std::array<GeometryWord, 1> cdp_alone{cdp};
  const FoundOrder order = find_order(e, among);
  return find_order(e, cdp_alone).keys.empty() && order.keys.size() == 2 && order.ties == 0 &&
         2 * (e.of(line).changes + 1) <= e.traces();
}

void choose_places(const HeaderEvidence& e, GeometryPlan& plan) {
  using enum GeometryWord;
  const bool has_iline = varies(e, iline);
  const bool has_xline = varies(e, xline);
  if (has_iline && has_xline) {
    plan.slow = iline;
    plan.fast = xline;
  } else if (has_iline && makes_lines_of_ensembles(e, iline)) {
    plan.slow = iline;
    plan.fast = cdp;
  } else if (has_xline && !(varies(e, cdp) && e.of(cdp).changes > e.of(xline).changes)) {
    plan.fast = xline;
  } else if (has_iline && !(varies(e, cdp) && e.of(cdp).changes > e.of(iline).changes)) {
    plan.fast = iline;
  } else if (varies(e, cdp)) {
    if (makes_lines_of_ensembles(e, fldr)) plan.slow = fldr;
    plan.fast = cdp;
  } else if (is_set_and_constant(e, cdp)) {
    plan.fast = cdp;
  } else if (is_set_and_constant(e, xline)) {
    plan.fast = xline;
  }
}

// Returns true if there are at least two traces per gather on average, or one gather whose traces differ.
bool can_be_gathers(const HeaderEvidence& e, GatherBy by) {
  using enum GeometryWord;
  const std::span<const GeometryWord> words = words_of(by);
  bool any_varies = false;
  bool any_constant = false;
  for (const GeometryWord word : words) {
    if (!usable(e, word)) return false;
    any_varies = any_varies || varies(e, word);
    any_constant = any_constant || is_set_and_constant(e, word);
  }
  // Unscaled coordinates identify positions only if all traces have the same scalar.
  if ((by == GatherBy::source || by == GatherBy::receiver) && e.of(scalco).varies()) return false;
  if (any_varies) return 2 * (e.gather_changes(by) + 1) <= e.traces();
  // In a well, depth or elevation distinguishes traces at one position.
  if (by == GatherBy::receiver && varies(e, gelev)) return false;
  if (by == GatherBy::source && (varies(e, selev) || varies(e, sdepth))) return false;
  const bool traces_differ = varies(e, offset) || varies(e, tracf) || varies(e, gx) || varies(e, gy);
  return any_constant && e.traces() > 1 && traces_differ;
}

// Returns true if a word changes in one direction only, so that each of its values occurs in one run.
bool goes_one_way(const HeaderEvidence& e, GeometryWord word) {
  const std::span<const OrderCandidate> candidates = order_candidates();
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    if (candidates[c].words[0] == word) return e.steps(c).up[0] == 0 || e.steps(c).down[0] == 0;
  }
  return false;
}

// Returns the words that distinguish the shots. If record and source point both vary, one of them is sufficient only if
// it never returns to a value and changes with every shot: if records number lines, source points may start again in
// each line.
std::optional<GatherBy> shots_of(const HeaderEvidence& e) {
  using enum GeometryWord;
  if (varies(e, fldr) && varies(e, ep) && can_be_gathers(e, GatherBy::fldr_ep)) {
    const std::int64_t changes = e.gather_changes(GatherBy::fldr_ep);
    if (e.gather_changes(GatherBy::fldr) == changes && goes_one_way(e, fldr)) return GatherBy::fldr;
    if (e.gather_changes(GatherBy::ep) == changes && goes_one_way(e, ep)) return GatherBy::ep;
    return GatherBy::fldr_ep;
  }
  for (const GatherBy by : {GatherBy::fldr, GatherBy::ep, GatherBy::source}) {
    const std::span<const GeometryWord> words = words_of(by);
    if (std::any_of(words.begin(), words.end(), [&](GeometryWord w) { return varies(e, w); }) && can_be_gathers(e, by))
      return by;
  }
  for (const GatherBy by : {GatherBy::fldr, GatherBy::ep, GatherBy::source}) {
    if (can_be_gathers(e, by)) return by;
  }
  return std::nullopt;
}

void choose_gathers(const HeaderEvidence& e, GeometryPlan& plan) {
  using enum GeometryWord;
  std::int64_t fewest = e.traces();
  const auto consider = [&](Ensemble ensemble, std::optional<GatherBy> by, bool hold) {
    if (!by || !can_be_gathers(e, *by) || e.gather_changes(*by) >= fewest) return;
    fewest = e.gather_changes(*by);
    plan.ensemble = ensemble;
    plan.gathers = hold ? by : std::nullopt;
  };
  if (plan.fast) {
    const bool by_cdp = plan.fast == cdp;
    if (!plan.slow || !by_cdp) consider(Ensemble::place, by_cdp ? GatherBy::cdp : GatherBy::bin, false);
  }
  consider(Ensemble::shot, shots_of(e), true);
  consider(Ensemble::receiver, GatherBy::receiver, true);
  if (plan.ensemble != Ensemble::none || plan.fast) return;
  // These words are in no order: the first that can distinguish gathers is counted.
  for (const GatherBy by : {GatherBy::fldr, GatherBy::ep, GatherBy::source}) {
    const std::span<const GeometryWord> words = words_of(by);
    const bool fits = std::all_of(words.begin(), words.end(), [&](GeometryWord w) { return usable(e, w); });
    const bool one_scalar = by != GatherBy::source || !e.of(scalco).varies();
    if (fits && one_scalar && std::any_of(words.begin(), words.end(), [&](GeometryWord w) { return varies(e, w); })) {
      plan.gathers = by;
      return;
    }
  }
}

void hold(GeometryPlan& plan, GeometryWord word) {
  if (std::find(plan.held.begin(), plan.held.end(), word) == plan.held.end()) plan.held.push_back(word);
}

}  // namespace

bool GeometryPlan::serves(const GeometryPlan& other) const {
  return slow == other.slow && fast == other.fast && positions == other.positions &&
         std::all_of(other.held.begin(), other.held.end(),
                     [&](GeometryWord word) { return std::find(held.begin(), held.end(), word) != held.end(); });
}

GeometryPlan choose_plan(const HeaderEvidence& evidence, bool ensemble_rejected) {
  using enum GeometryWord;
  GeometryPlan plan;
  if (evidence.traces() == 0) return plan;
  choose_places(evidence, plan);
  choose_gathers(evidence, plan);
  plan.positions = positions_of(evidence, ensemble_rejected);
  if (plan.slow) hold(plan, *plan.slow);
  if (plan.fast) hold(plan, *plan.fast);
  plan.offset_varies = varies(evidence, offset);
  if (usable(evidence, offset) && evidence.of(offset).varies()) hold(plan, offset);
  if (plan.gathers) {
    for (const GeometryWord word : words_of(*plan.gathers)) hold(plan, word);
  }
  return plan;
}

bool any_set(const HeaderEvidence& evidence, GeometryWord a, GeometryWord b) {
  return evidence.of(a).zeros < evidence.traces() || evidence.of(b).zeros < evidence.traces();
}

FoundOrder find_order(const HeaderEvidence& evidence, std::span<const GeometryWord> among) {
  FoundOrder best;
  best.ties = evidence.traces();
  const std::span<const OrderCandidate> candidates = order_candidates();
  for (std::size_t c = 0; c < candidates.size(); ++c) {
    FoundOrder order;
    order.ties = std::max<std::int64_t>(0, evidence.traces() - 1);
    bool counts = true;
    for (std::size_t k = 0; counts && k < candidates[c].count; ++k) {
      const GeometryWord word = candidates[c].words[k];
      counts = std::find(among.begin(), among.end(), word) != among.end() && usable(evidence, word);
      const std::int64_t up = evidence.steps(c).up[k];
      const std::int64_t down = evidence.steps(c).down[k];
      if (!counts || (up > 0 && down > 0)) break;
      if (up + down == 0) continue;
      order.keys.push_back({name_of(word), up > 0});
      order.ties -= up + down;
    }
    if (!order.keys.empty() && order.ties < best.ties) best = order;
  }
  return best;
}

}  // namespace sill
