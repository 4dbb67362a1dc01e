#include "sill/survey/geometry/geometry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "sill/comm/agree.hpp"
#include "sill/formats/segy/detect/detected_units.hpp"
#include "sill/survey/geometry/geometry_account.hpp"
#include "sill/survey/geometry/geometry_reading.hpp"
#include "sill/survey/geometry/grid_candidates.hpp"
#include "sill/survey/geometry/grid_fit.hpp"
#include "sill/survey/geometry/grid_point_count.hpp"
#include "sill/survey/geometry/rejected_positions.hpp"
#include "sill/survey/select/distinct_keys.hpp"

namespace sill {
namespace {

HeaderEvidence evidence_of(std::span<const LookedAt> looked, PositionSource positions) {
  HeaderEvidence evidence;
  std::int64_t at = 0;
  for (const LookedAt& trace : looked) {
    GeometryRow row = trace.row;
    const TruePoint position = trace.points.position(positions);
    row.x = position.x;
    row.y = position.y;
    evidence.add(row, at++, nullptr);
  }
  return evidence;
}

// Returns the largest step such that the sampled numbers of a word are first + k * step.
double step_of(std::span<const LookedAt> looked, GeometryWord word) {
  std::int64_t step = 0;
  for (const LookedAt& trace : looked)
    step = std::gcd(step, std::int64_t{trace.row[word]} - std::int64_t{looked.front().row[word]});
  return static_cast<double>(std::max<std::int64_t>(1, step));
}

std::optional<ExpectedPositions> expect_positions(std::span<const LookedAt> looked, const GeometryPlan& plan) {
  if (!plan.slow || !plan.fast || plan.positions == PositionSource::none || looked.empty()) return std::nullopt;
  std::vector<PlacedTrace> placed;
  for (const LookedAt& trace : looked) {
    const TruePoint position = trace.points.position(plan.positions);
    if (position == TruePoint{}) continue;
    placed.push_back({static_cast<double>(trace.row[*plan.slow]), static_cast<double>(trace.row[*plan.fast]),
                      position.x, position.y});
  }
  const double slow_step = step_of(looked, *plan.slow);
  const double fast_step = step_of(looked, *plan.fast);
  std::optional<GridFit> fit = fit_positions(placed, slow_step, fast_step);
  if (!fit) return std::nullopt;
  return ExpectedPositions{*plan.slow, *plan.fast, *fit, smaller_side(*fit, slow_step, fast_step) / 2.0};
}

// Returns the relative width of the area that contains all points.
std::optional<double> relative_width_of(std::span<const LookedAt> looked, PositionSource positions) {
  std::vector<PlacedTrace> points;
  const auto add = [&](TruePoint point) {
    if (point != TruePoint{}) points.push_back({.x = point.x, .y = point.y});
  };
  for (const LookedAt& trace : looked) {
    if (positions == PositionSource::ensemble) {
      add(trace.points.ensemble);
    } else {
      add(trace.points.source);
      add(trace.points.receiver);
    }
  }
  return relative_width(points);
}

/// Counts the values of the columns, and frees each column after it is counted.
class GeometryCount {
 public:
  GeometryCount(Communicator& comm, GeometryColumns& columns, const GeometryPlan& plan, SurveyGeometry& geometry)
      : comm_(comm), columns_(columns), plan_(plan), geometry_(geometry) {}

  void run() {
    using enum GeometryWord;
    if (plan_.gathers) count_gathers();
    if (columns_.evidence.of(offset).varies() && columns_.evidence.of(offset).unfit == 0) count_offsets();
    if (plan_.fast) count_grid();
  }

 private:
  void let_go(GeometryWord word) {
    using enum GeometryWord;
    if (word == plan_.slow || word == plan_.fast || word == offset) return;
    std::vector<std::int32_t>().swap(columns_.of(word));
  }

  void count_gathers() {
    const std::span<const GeometryWord> words = words_of(*plan_.gathers);
    const auto range_of = [&](GeometryWord word) {
      const HeaderEvidence::Word& seen = columns_.evidence.of(word);
      return static_cast<std::uint64_t>(std::int64_t{seen.largest} - seen.smallest) + 1;
    };
    GatherFacts gathers;
    for (const GeometryWord word : words) gathers.words.emplace_back(name_of(word));
    gathers.runs = columns_.evidence.gather_changes(*plan_.gathers) + 1;
    // Keys must be below 2^63: only pairs of words that both use all their bits exceed that.
    const bool fits =
        words.size() == 1 || range_of(words[0]) <= (std::uint64_t{1} << DistinctKeys::key_bits) / range_of(words[1]);
    if (!fits) {
      geometry_.evidence.push_back(gathers.words[0] + " and " + gathers.words[1] +
                                   " have a range that is too wide for gathers to be counted");
      return;
    }
    std::vector<std::uint64_t> keys = run_and_agree(comm_, [&] {
      std::vector<std::uint64_t> made(columns_.of(words[0]).size());
      for (const GeometryWord word : words) {
        const std::int64_t first = columns_.evidence.of(word).smallest;
        const std::vector<std::int32_t>& column = columns_.of(word);
        for (std::size_t i = 0; i < made.size(); ++i)
          made[i] = made[i] * range_of(word) + static_cast<std::uint64_t>(column[i] - first);
      }
      return made;
    });
    for (const GeometryWord word : words) let_go(word);
    gathers.sizes = count_groups(comm_, std::move(keys));
    geometry_.gathers = std::move(gathers);
  }

  void count_offsets() {
    using enum GeometryWord;
    const LineAxis axis = count_lines(comm_, std::move(columns_.of(offset)));
    geometry_.offsets = OffsetFacts{axis.first, axis.last, axis.lines, std::nullopt};
    if (axis.missing() == 0) geometry_.offsets->step = axis.step;
  }

  LineAxis lines_of(GeometryWord word) {
    std::vector<std::int32_t> values = run_and_agree(comm_, [&] { return columns_.of(word); });
    LineAxis axis = count_lines(comm_, std::move(values));
    axis.word = name_of(word);
    return axis;
  }

  SurveyGrid places_of(const LineAxis& ilines, const LineAxis& xlines, std::optional<GeometryWord> slow,
                       GeometryWord fast) {
    std::vector<std::uint64_t> places = run_and_agree(comm_, [&] {
      const std::vector<std::int32_t>& columns = columns_.of(fast);
      std::vector<std::uint64_t> made(columns.size());
      const auto width = static_cast<std::uint64_t>(xlines.places());
      for (std::size_t i = 0; i < made.size(); ++i) {
        const std::int64_t row = slow ? (columns_.of(*slow)[i] - ilines.first) / ilines.step : 0;
        made[i] = static_cast<std::uint64_t>(row) * width +
                  static_cast<std::uint64_t>((columns[i] - xlines.first) / xlines.step);
      }
      return made;
    });
    return count_places(comm_, ilines, xlines, std::move(places));
  }

  static LineAxis one_line() {
    LineAxis axis;
    axis.lines = 1;
    return axis;
  }

  void count_grid() {
    const LineAxis fast = lines_of(*plan_.fast);
    if (!plan_.slow) {
      geometry_.grid = places_of(one_line(), fast, std::nullopt, *plan_.fast);
      return;
    }
    const LineAxis slow = lines_of(*plan_.slow);
    if (!can_count_places(slow, fast)) {
      geometry_.evidence.push_back(slow.word + " and " + fast.word + " have a range that is too wide to number a grid");
      return;
    }
    SurveyGrid grid = places_of(slow, fast, plan_.slow, *plan_.fast);
    // Two words that change together number one line.
    const bool by_fast = grid.occupied == fast.lines && grid.occupied > 1;
    const bool by_slow = grid.occupied == slow.lines && grid.occupied > 1;
    if (by_fast || by_slow) {
      geometry_.evidence.push_back(
          slow.word + " and " + fast.word +
          " change together: each number of one belongs to one number of the other, as along a line");
      grid = places_of(one_line(), by_fast ? fast : slow, std::nullopt, by_fast ? *plan_.fast : *plan_.slow);
    }
    geometry_.grid = std::move(grid);
  }

  Communicator& comm_;
  GeometryColumns& columns_;
  const GeometryPlan& plan_;
  SurveyGeometry& geometry_;
};

void place_fit(const ExpectedPositions& expected, const HeaderEvidence& evidence, SurveyGeometry& geometry) {
  GridFit fit = expected.fit;
  fit.largest = std::max(0.0, evidence.largest_distance());
  fit.largest_trace = std::max<std::int64_t>(0, evidence.largest_distance_trace());
  fit.far = evidence.far();
  describe_fit(fit, geometry.grid->ilines, geometry.grid->xlines, geometry.unit);
  geometry.fit = std::move(fit);
}

void follow_line(const HeaderEvidence& evidence, SurveyGeometry& geometry) {
  using enum GeometryWord;
  const std::string& word = geometry.grid->xlines.word;
  for (const GeometryWord numbered : {iline, xline, cdp}) {
    if (word != name_of(numbered)) continue;
    const EndOfWord& first = evidence.smallest(numbered);
    const EndOfWord& last = evidence.largest(numbered);
    if ((first.x == 0.0 && first.y == 0.0) || (last.x == 0.0 && last.y == 0.0)) return;
    LineCourse course;
    course.first = {{0, first.value}, first.x, first.y};
    course.last = {{0, last.value}, last.x, last.y};
    if (is_length(geometry.unit)) {
      course.direct = std::hypot(last.x - first.x, last.y - first.y);
      if (*course.direct > 0.0) course.azimuth = azimuth_of(last.x - first.x, last.y - first.y);
      const bool in_order = !geometry.order.empty() && geometry.order.front().word == word;
      const bool of_places = geometry.positions == PositionSource::ensemble || geometry.grid->fold.max == 1;
      if (in_order && of_places && evidence.without_position() == 0) course.length = evidence.path();
    }
    geometry.course = course;
  }
}

/// A word that is the same in nearly all sampled traces: other values are treated as damaged headers, and are ignored.
struct NearlyConstant {
  GeometryWord word;
  std::string account;
};

std::vector<NearlyConstant> nearly_constant_words(std::span<const LookedAt> looked) {
  constexpr double nearly_all = 0.99;
  std::vector<NearlyConstant> found;
  for (const GeometryWord word : {GeometryWord::fldr, GeometryWord::ep, GeometryWord::offset}) {
    std::map<std::int32_t, std::int64_t> counts;
    for (const LookedAt& trace : looked) ++counts[trace.row[word]];
    if (counts.size() < 2) continue;
    const auto usual = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    if (static_cast<double>(usual->second) < nearly_all * static_cast<double>(looked.size())) continue;
    found.push_back({word, fmt::format("{} is {} in {} of {} examined traces: the other headers are treated as damaged",
                                       name_of(word), usual->first, usual->second, looked.size())});
  }
  return found;
}

void mark(HeaderEvidence& evidence, std::span<const NearlyConstant> words) {
  for (const NearlyConstant& one : words) evidence.set_nearly_constant(one.word);
}

// Returns what the map and the text header state about the words of ensemble coordinates and of line numbers.
EnsembleWords ensemble_words(const SurveyReader& reader) {
  const segy::FileDescription& file = reader.files().front();
  const segy::MapWord* const x = reader.words().find(name_of(GeometryWord::cdpx));
  const segy::MapWord* const y = reader.words().find(name_of(GeometryWord::cdpy));
  const segy::MapWord* const iline = reader.words().find(name_of(GeometryWord::iline));
  const segy::MapWord* const xline = reader.words().find(name_of(GeometryWord::xline));
  EnsembleWords said;
  said.mapped = (x != nullptr && x->layer > 0) || (y != nullptr && y->layer > 0);
  said.lines_mapped = (iline != nullptr && iline->layer > 0) || (xline != nullptr && xline->layer > 0);
  said.assigned = file.revision >= 1;
  if (file.kind != segy::FileKind::segy) return said;
  const std::vector<std::byte> header = reader.file_header(0);
  said.labels =
      segy::byte_labels(std::span(header).subspan(static_cast<std::size_t>(file.label_bytes)), file.text_encoding);
  return said;
}

// Collective. If the words for inlines and crosslines form no grid, proposes other bytes that may contain the numbers
// of a grid.
void propose_lines(const Resources& resources, const SurveyReader& reader, std::span<const segy::ByteLabel> labels,
                   SurveyGeometry& geometry) {
  using enum SurveyKind;
  const SurveyKind kind = geometry.kind;
  const bool is_gathered = kind == shot_gathers || kind == receiver_gathers;
  const bool has_grid =
      kind == grid_post_stack || kind == grid_pre_stack || (is_gathered && geometry.grid && !geometry.grid->is_line());
  const segy::FileDescription& file = reader.files().front();
  if (kind == empty || has_grid || file.kind != segy::FileKind::segy) return;
  const std::vector<std::byte> bytes = look_at_headers(resources, reader);
  geometry.candidates = run_and_agree(resources.comm, [&] {
    return grid_candidates(
        {bytes, file.byte_order, consecutive_traces(reader.traces()), reader.traces()},
        {labels, geometry.positions == PositionSource::ensemble, !is_gathered && kind != cmp_gathers});
  });
  for (const GridCandidate& candidate : geometry.candidates) {
    const auto numbers = [](const LineNumbers& lines) {
      return fmt::format("bytes {}-{} ({} numbers, {} to {}{})", lines.place.byte,
                         lines.place.byte + lines.place.bytes - 1, lines.distinct, lines.smallest, lines.largest,
                         lines.named_by_text ? ", named by the text header" : "");
    };
    geometry.evidence.push_back(fmt::format(
        "{} and {} number the examined traces as a grid, but are not used: if they are inline and crossline, {}",
        numbers(candidate.ilines), numbers(candidate.xlines), candidate.advice()));
  }
}

void report_beyond_limits(const HeaderEvidence& evidence, SurveyGeometry& geometry) {
  const bool is_metres = geometry.unit == CoordinateUnit::metres || geometry.unit == CoordinateUnit::not_stated;
  const double limit = is_length(geometry.unit) ? (is_metres ? longest_length_m : longest_length_ft)
                                                : segy::whole_turn(evidence.of(GeometryWord::counit).largest);
  const Bounds& bounds = *geometry.bounds;
  const double largest = std::max({std::abs(bounds.smallest_x), std::abs(bounds.largest_x), std::abs(bounds.smallest_y),
                                   std::abs(bounds.largest_y)});
  if (largest <= limit) return;
  geometry.implausible_positions = fmt::format(
      "positions should be {}, but one position is {}, more than {}", name_of(geometry.unit), largest,
      is_length(geometry.unit)
          ? "the circumference of the Earth; they may be degrees times a power of ten, or a scalar may be missing"
          : "360 degrees");
  geometry.evidence.push_back(geometry.implausible_positions);
}

}  // namespace

SurveyGeometry find_geometry(const Resources& resources, const SurveyReader& reader) {
  RowReader rows(reader.words());
  std::vector<LookedAt> looked = look_at_traces(resources, reader, rows);
  const EnsembleWords said = run_and_agree(resources.comm, [&] { return ensemble_words(reader); });
  const std::string no_lines = rejected_lines(looked, said);
  if (!no_lines.empty()) {
    for (const GeometryWord word : {GeometryWord::iline, GeometryWord::xline}) {
      rows.leave_out(word);
      for (LookedAt& trace : looked) trace.row.words[static_cast<std::size_t>(word)] = 0;
    }
  }
  const std::vector<NearlyConstant> nearly_constant = nearly_constant_words(looked);
  std::optional<RejectedPositions> rejected = rejected_ensemble(looked, said);
  HeaderEvidence first_evidence = evidence_of(looked, PositionSource::none);
  mark(first_evidence, nearly_constant);
  GeometryPlan plan = choose_plan(first_evidence, rejected.has_value());
  std::optional<ExpectedPositions> expected = expect_positions(looked, plan);
  GeometryColumns columns = read_columns(resources, reader, rows, plan, expected ? &*expected : nullptr);
  mark(columns.evidence, nearly_constant);
  SurveyGeometry geometry;
  const GeometryPlan better = choose_plan(columns.evidence, rejected.has_value());
  if (!plan.serves(better)) {
    expected = expect_positions(looked, better);
    columns = {};
    columns = read_columns(resources, reader, rows, better, expected ? &*expected : nullptr);
    mark(columns.evidence, nearly_constant);
    geometry.header_reads = 2;
  }
  plan = better;
  const HeaderEvidence& evidence = columns.evidence;
  geometry.traces = evidence.traces();
  geometry.auxiliary = evidence.auxiliary();
  geometry.words = words_in(evidence, rows);
  geometry.positions = plan.positions;
  geometry.rejected_lines = no_lines;
  for (const NearlyConstant& one : nearly_constant) geometry.evidence.push_back(one.account);
  if (geometry.auxiliary > 0)
    geometry.evidence.push_back(fmt::format(
        "{} of {} traces are auxiliary according to their trace identification (bytes 29-30), and are not counted",
        geometry.auxiliary, reader.traces()));
  if (!no_lines.empty())
    geometry.evidence.push_back("iline and xline (bytes 189-196) are not used as line numbers: " + no_lines);
  if (rejected && any_set(evidence, GeometryWord::cdpx, GeometryWord::cdpy)) {
    geometry.evidence.push_back(fmt::format("{} (bytes {}-{}) are not used as positions: {}", rejected->words,
                                            rejected->first_byte, rejected->last_byte, rejected->reason));
    geometry.rejected = std::move(rejected);
  } else if (plan.positions == PositionSource::ensemble && !said.assigned && !said.mapped) {
    geometry.evidence.emplace_back(
        "bytes 181-188, which revision 0 leaves unassigned, are used as cdpx and cdpy: they behave as coordinates");
  }
  GeometryCount(resources.comm, columns, plan, geometry).run();
  geometry.unit = unit_of(evidence, reader.files().front().measurement_system, geometry);
  evaluate_kind(plan, relative_width_of(looked, plan.positions), geometry);
  evaluate_order(evidence, plan, geometry);
  propose_lines(resources, reader, said.labels, geometry);
  if (plan.positions != PositionSource::none && evidence.without_position() < evidence.traces()) {
    geometry.bounds = evidence.bounds();
    geometry.without_position = evidence.without_position();
    report_beyond_limits(evidence, geometry);
  }
  if (geometry.unit == CoordinateUnit::dms) {
    geometry.evidence.emplace_back(
        "positions are digits of degrees, minutes and seconds: no grid or line is fitted to them");
  } else if (geometry.grid && !geometry.grid->is_line()) {
    if (expected && geometry.bounds) place_fit(*expected, evidence, geometry);
  } else if (geometry.grid && geometry.bounds) {
    follow_line(evidence, geometry);
  }
  return geometry;
}

bool text_allows_lines(const SurveyReader& reader) {
  const LookedAt without_numbers;
  return rejected_lines({&without_numbers, 1}, ensemble_words(reader)).empty();
}

}  // namespace sill
