#include "sill/survey/geometry/geometry_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace sill {
namespace {

// A line is straight up to this relative width; wider positions may be a crooked line or an area.
constexpr double straight = 0.05;
// If less than this fraction of the crossings of lines have traces, the survey is not a grid.
constexpr double min_occupied = 0.05;
// With a higher mean number of traces per bin, several traces per bin are intended.
constexpr double mean_fold_of_stack = 1.5;
// Maximum fraction of bins that may have several traces if one is intended.
constexpr double few_places = 0.05;
constexpr std::size_t listed_words = 10;

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

const WordEvidence& of(const SurveyGeometry& geometry, GeometryWord word) {
  return geometry.words[static_cast<std::size_t>(word)];
}

void say(SurveyGeometry& geometry, GeometryWord word) {
  geometry.evidence.push_back(account_of(of(geometry, word), geometry.traces));
}

// A few damaged headers do not make gathers: if offset varies, more than a few bins must have several traces.
bool is_pre_stack(const GeometryPlan& plan, const SurveyGeometry& geometry) {
  const SurveyGrid& grid = *geometry.grid;
  if (grid.fold.max <= 1) return false;
  const double part = static_cast<double>(grid.duplicates) / static_cast<double>(grid.occupied);
  return (plan.offset_varies && part > few_places) || grid.fold.mean() >= mean_fold_of_stack;
}

void evaluate_places(const GeometryPlan& plan, SurveyGeometry& geometry) {
  SurveyGrid& grid = *geometry.grid;
  const bool gathered = plan.ensemble == Ensemble::shot || plan.ensemble == Ensemble::receiver;
  const bool pre_stack = is_pre_stack(plan, geometry);
  const std::string bins =
      grid.is_line() ? grid.xlines.word : fmt::format("{} and {}", grid.ilines.word, grid.xlines.word);
  if (!grid.is_line()) {
    const std::int64_t crossings = grid.ilines.lines * grid.xlines.lines;
    const double part = static_cast<double>(grid.occupied) / static_cast<double>(crossings);
    if (part < min_occupied || grid.occupied <= std::max(grid.ilines.lines, grid.xlines.lines)) {
      geometry.kind = SurveyKind::irregular;
      geometry.evidence.push_back(fmt::format(
          "{} numbers of {} and {} of {} cross at {} positions, but only {} of these have traces: this is neither a "
          "grid nor one line",
          grid.ilines.lines, grid.ilines.word, grid.xlines.lines, grid.xlines.word, crossings, grid.occupied));
    }
  }
  if (gathered && (pre_stack || plan.offset_varies)) {
    geometry.kind = plan.ensemble == Ensemble::shot ? SurveyKind::shot_gathers : SurveyKind::receiver_gathers;
  } else if (pre_stack && !plan.offset_varies && plan.ensemble == Ensemble::none) {
    geometry.kind = SurveyKind::irregular;
    geometry.evidence.push_back(
        fmt::format("traces of the same {} are not adjacent, and no word distinguishes them: several lines may have "
                    "the same numbers",
                    bins));
  } else if (geometry.kind != SurveyKind::irregular) {
    if (grid.is_line()) geometry.kind = pre_stack ? SurveyKind::cmp_gathers : SurveyKind::line_post_stack;
    if (!grid.is_line()) geometry.kind = pre_stack ? SurveyKind::grid_pre_stack : SurveyKind::grid_post_stack;
  }
  if (pre_stack) {
    geometry.evidence.push_back(fmt::format("fold {} to {} by {}, {:.2f} on average{}", grid.fold.min, grid.fold.max,
                                            bins, grid.fold.mean(), geometry.offsets ? ", and offset varies" : ""));
  } else if (grid.fold.max == 1) {
    geometry.evidence.push_back(
        fmt::format("fold 1 by {}{}", bins, geometry.offsets ? ", although offset varies" : ""));
  } else {
    geometry.evidence.push_back(
        fmt::format("fold 1 by {}, more at {}", bins, counted(grid.duplicates, "position", "positions")));
  }
  // If several traces per bin are intended, none of them is a duplicate.
  if (pre_stack) {
    grid.duplicates = 0;
    grid.first_duplicates.clear();
  }
}

void evaluate_dimensions(std::optional<double> across, SurveyGeometry& geometry) {
  switch (geometry.kind) {
    case SurveyKind::grid_post_stack:
    case SurveyKind::grid_pre_stack: geometry.dimensions = 3; return;
    case SurveyKind::empty:
    case SurveyKind::unknown:
    case SurveyKind::irregular: return;
    default: break;
  }
  const bool gathered = geometry.kind == SurveyKind::shot_gathers || geometry.kind == SurveyKind::receiver_gathers;
  if (gathered && geometry.grid && !geometry.grid->is_line()) {
    geometry.dimensions = 3;
  } else if (across && *across > straight) {
    geometry.evidence.push_back(
        fmt::format("positions spread {:.1f} % as far across their main direction as along it: a crooked line or an "
                    "area, which the numbers do not show",
                    100.0 * *across));
  } else if (across || !gathered) {
    geometry.dimensions = 2;
  } else {
    geometry.evidence.emplace_back(
        "it is unknown whether the survey is 2-D or 3-D: there are neither coordinates nor line numbers");
  }
}

std::vector<GeometryWord> order_words(const GeometryPlan& plan, const SurveyGeometry& geometry) {
  using enum GeometryWord;
  std::vector<GeometryWord> words{offset};
  const bool is_place_kind = geometry.kind != SurveyKind::shot_gathers && geometry.kind != SurveyKind::receiver_gathers;
  if (geometry.grid && is_place_kind) {
    if (plan.slow) words.push_back(*plan.slow);
    if (plan.fast) words.push_back(*plan.fast);
  } else if (plan.gathers) {
    const std::span<const GeometryWord> own = words_of(*plan.gathers);
    words.insert(words.end(), own.begin(), own.end());
    words.push_back(tracf);
    if (plan.ensemble == Ensemble::receiver) words.insert(words.end(), {fldr, ep, sx});
    if (plan.gathers == GatherBy::source) words.push_back(gx);
  }
  return words;
}

}  // namespace

std::string account_of(const WordEvidence& word, std::int64_t traces) {
  if (word.byte == 0) return fmt::format("{}: the traces have no word with this name", word.name);
  const std::string name = fmt::format("{} (byte {})", word.name, word.byte);
  if (word.unfit > 0) {
    return fmt::format("{} is not a 32-bit integer in {}, and is therefore not used", name,
                       counted(word.unfit, "trace", "traces"));
  }
  if (!word.varies())
    return fmt::format("{} is {} in {}", name, word.smallest, traces == 1 ? "the trace" : "all traces");
  return fmt::format("{} runs from {} to {}, changes {}{}", name, word.smallest, word.largest,
                     counted(word.changes, "time", "times"),
                     word.zeros > 0 ? fmt::format(", and is 0 in {}", counted(word.zeros, "trace", "traces")) : "");
}

std::vector<WordEvidence> words_in(const HeaderEvidence& evidence, const RowReader& rows) {
  std::vector<WordEvidence> words;
  for (std::size_t w = 0; w < geometry_words; ++w) {
    const auto word = static_cast<GeometryWord>(w);
    const HeaderEvidence::Word& seen = evidence.of(word);
    const bool any = evidence.traces() > 0;
    words.push_back({.name = name_of(word),
                     .byte = rows.ref(word) ? rows.ref(word)->byte : 0,
                     .smallest = any ? seen.smallest : 0,
                     .largest = any ? seen.largest : 0,
                     .zeros = seen.zeros,
                     .changes = seen.changes,
                     .unfit = seen.unfit});
  }
  return words;
}

CoordinateUnit unit_of(const HeaderEvidence& evidence, int measurement_system, SurveyGeometry& geometry) {
  using enum GeometryWord;
  const CoordinateUnit length = measurement_system == 1   ? CoordinateUnit::metres
                                : measurement_system == 2 ? CoordinateUnit::feet
                                                          : CoordinateUnit::not_stated;
  if (evidence.traces() == 0 || geometry.positions == PositionSource::none) return length;
  const HeaderEvidence::Word& word = evidence.of(counit);
  constexpr int arc = 2;
  constexpr int degrees = 3;
  constexpr int dms = 4;
  if (word.varies()) {
    say(geometry, counit);
    geometry.evidence.emplace_back(
        "so coordinates of several units may be mixed: none of their distances can be trusted");
  }
  // If units are mixed, a unit for which no length is computed takes precedence.
  switch (word.largest) {
    case arc: return CoordinateUnit::arc_seconds;
    case degrees: return CoordinateUnit::degrees;
    case dms: return CoordinateUnit::dms;
    case 0:
    case 1: break;
    default:
      say(geometry, counit);
      geometry.evidence.emplace_back("which is not the code of a unit: lengths are assumed");
  }
  if (length == CoordinateUnit::not_stated) {
    geometry.evidence.push_back(fmt::format(
        "the unit (metres or feet) is not stated: the measurement system (bytes 3255-3256) is {}", measurement_system));
  }
  return length;
}

void evaluate_kind(const GeometryPlan& plan, std::optional<double> across, SurveyGeometry& geometry) {
  using enum GeometryWord;
  if (geometry.traces == 0) {
    geometry.kind = SurveyKind::empty;
    return;
  }
  if (of(geometry, scalco).varies()) {
    say(geometry, scalco);
    geometry.evidence.emplace_back("so sources and receivers are not distinguished by their coordinates as stored");
  }
  if (geometry.grid) {
    evaluate_places(plan, geometry);
  } else if (geometry.gathers) {
    const GroupSizes& sizes = geometry.gathers->sizes;
    if (2 * sizes.groups <= geometry.traces || sizes.groups == 1) {
      geometry.kind = plan.ensemble == Ensemble::receiver ? SurveyKind::receiver_gathers : SurveyKind::shot_gathers;
    }
  }
  if (geometry.gathers &&
      (geometry.kind == SurveyKind::shot_gathers || geometry.kind == SurveyKind::receiver_gathers)) {
    geometry.evidence.push_back(fmt::format(
        "{} of {} with {} to {} traces each", counted(geometry.gathers->sizes.groups, "gather", "gathers"),
        fmt::join(geometry.gathers->words, ", "), geometry.gathers->sizes.min, geometry.gathers->sizes.max));
  } else {
    geometry.gathers.reset();
  }
  if (geometry.kind == SurveyKind::unknown) {
    for (std::size_t w = 0; w <= listed_words; ++w) say(geometry, static_cast<GeometryWord>(w));
    for (const GeometryWord word : {gelev, selev, sdepth})
      if (of(geometry, word).varies()) say(geometry, word);
    geometry.evidence.emplace_back(
        "no word numbers lines, positions or gathers: if other words do, name them in a header map");
  } else if (!geometry.grid) {
    say(geometry, iline);
    say(geometry, xline);
    say(geometry, cdp);
  } else if (geometry.grid->is_line()) {
    for (const GeometryWord word : {iline, xline, cdp}) {
      if (name_of(word) != geometry.grid->xlines.word) say(geometry, word);
    }
  }
  evaluate_dimensions(across, geometry);
}

void evaluate_order(const HeaderEvidence& evidence, const GeometryPlan& plan, SurveyGeometry& geometry) {
  if (geometry.traces <= 1) {
    geometry.order_found = geometry.traces == 1;
    return;
  }
  const FoundOrder order = find_order(evidence, order_words(plan, geometry));
  geometry.order = order.keys;
  geometry.order_found = !order.keys.empty();
  if (!geometry.order_found) {
    geometry.evidence.emplace_back("the traces are not in the order of the words that number them");
  } else if (order.ties > 0) {
    geometry.evidence.push_back(
        fmt::format("{} traces have the same values of these words as the preceding trace", order.ties));
  }
  const auto reverse = [&](LineAxis& axis) {
    axis.reversed = std::any_of(geometry.order.begin(), geometry.order.end(),
                                [&](const OrderKey& key) { return !key.ascending && key.word == axis.word; });
  };
  if (geometry.grid) {
    reverse(geometry.grid->ilines);
    reverse(geometry.grid->xlines);
  }
}

}  // namespace sill
