#include "sill/survey/geometry/rejected_positions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>

#include "sill/formats/segy/detect/detected_units.hpp"

namespace sill {
namespace {

constexpr int ensemble_first_byte = 181;
constexpr int ensemble_last_byte = 188;
constexpr int lines_first_byte = 189;
constexpr int lines_last_byte = 196;
constexpr double near_spread = 0.25;
// Steps of line numbers that are unlikely as distances of traces in coordinates this small.
constexpr std::int64_t largest_number_step = 10;
constexpr std::int64_t largest_number = 100'000;
constexpr double max_steps = 0.8;

/// The agreement of ensemble coordinates with the positions of sources and receivers.
enum class Agreement : std::uint8_t { unknown, agree, contradict };

struct PointBox {
  double smallest_x = std::numeric_limits<double>::infinity();
  double largest_x = -smallest_x;
  double smallest_y = smallest_x;
  double largest_y = -smallest_x;

  void add(TruePoint point) {
    smallest_x = std::min(smallest_x, point.x);
    largest_x = std::max(largest_x, point.x);
    smallest_y = std::min(smallest_y, point.y);
    largest_y = std::max(largest_y, point.y);
  }
  [[nodiscard]] double diagonal() const {
    return largest_x < smallest_x ? 0.0 : std::hypot(largest_x - smallest_x, largest_y - smallest_y);
  }
};

double distance_between(TruePoint a, TruePoint b) { return std::hypot(a.x - b.x, a.y - b.y); }

/// The changes of a word from one trace to the next.
struct StepsOfWord {
  std::int64_t changes = 0;
  std::int64_t usual = 0;        // the most frequent step
  std::int64_t usual_count = 0;  // how often it occurs
  std::int64_t largest = 0;      // largest magnitude of a value
};

StepsOfWord steps_of(std::span<const LookedAt> looked, GeometryWord word) {
  StepsOfWord found;
  std::map<std::int64_t, std::int64_t> steps;
  for (std::size_t i = 0; i < looked.size(); ++i) {
    const std::int64_t value = looked[i].row[word];
    found.largest = std::max(found.largest, std::abs(value));
    if (i == 0 || value == looked[i - 1].row[word]) continue;
    ++found.changes;
    ++steps[std::abs(value - looked[i - 1].row[word])];
  }
  for (const auto& [step, count] : steps) {
    if (count <= found.usual_count) continue;
    found.usual = step;
    found.usual_count = count;
  }
  return found;
}

// Returns "line 27 of the text header states that bytes 189-192 hold CDP X" for a label that `speaks_against` the bytes
// from `first` to `last`, if no label `speaks_for` them; otherwise an empty text.
template <class Is>
std::string against_bytes(std::span<const segy::ByteLabel> labels, int first, int last, Is&& speaks_against,
                          Is&& speaks_for) {
  const auto about = [&](const Is& is) {
    return std::ranges::find_if(labels,
                                [&](const segy::ByteLabel& label) { return label.is_about(first, last) && is(label); });
  };
  const auto other = about(speaks_against);
  if (other == labels.end() || about(speaks_for) != labels.end()) return "";
  const bool one_byte = other->first_byte == other->last_byte;
  return fmt::format("line {} of the text header states that byte{} {}", other->line, one_byte ? "" : "s",
                     one_byte ? fmt::format("{} contains {}", other->first_byte, other->label)
                              : fmt::format("{}-{} contain {}", other->first_byte, other->last_byte, other->label));
}

using IsLabel = bool (*)(const segy::ByteLabel&);

bool is_coordinate(const segy::ByteLabel& label) { return label.meaning == segy::LabelMeaning::coordinate; }
bool is_no_coordinate(const segy::ByteLabel& label) { return !is_coordinate(label); }
bool is_line(const segy::ByteLabel& label) {
  return label.meaning == segy::LabelMeaning::inline_number || label.meaning == segy::LabelMeaning::crossline_number;
}

class EnsembleTest {
 public:
  EnsembleTest(std::span<const LookedAt> looked, const EnsembleWords& said) : looked_(looked), said_(said) {
    int unit = 0;
    for (const LookedAt& trace : looked) unit = std::max(unit, trace.row[GeometryWord::counit]);
    limit_ = std::min(longest_length_ft, segy::whole_turn(unit));
    is_angle_ = limit_ < longest_length_ft;
  }

  // Returns the reason against the coordinates; empty if there is none.
  std::string reason() {
    if (std::string by_text = against_text(); !by_text.empty()) return by_text;
    const std::int64_t set = count([](const LookedAt& trace) { return trace.points.ensemble != TruePoint{}; });
    if (set == 0) {
      const bool has_sources = count([](const LookedAt& trace) { return trace.points.source != TruePoint{}; }) > 0;
      return has_sources ? fmt::format("they are 0 in all {} examined traces", looked_.size()) : "";
    }
    for (const GeometryWord word : {GeometryWord::cdpx, GeometryWord::cdpy})
      if (const char* const number = number_equal_to(word))
        return fmt::format("{} is the same number as {} in all examined traces", name_of(word), number);
    const Agreement sources = compare_with_sources();
    if (is_constant()) {
      const std::string constant =
          fmt::format("they are {} and {} in all examined traces", first_set().x, first_set().y);
      if (numbers_vary()) return constant + ", although the traces are at different positions";
      if (!said_.assigned && sources != Agreement::agree) return constant;
    }
    if (sources == Agreement::contradict) return contradiction_;
    if (std::string beyond = against_plausibility(set); !beyond.empty()) return beyond;
    if (!said_.assigned && sources == Agreement::unknown && counts_like_lines())
      return "they increase in small integer steps, as line numbers do, and are not near sources or groups";
    return "";
  }

 private:
  template <class Is>
  [[nodiscard]] std::int64_t count(Is&& is) const {
    return std::ranges::count_if(looked_, is);
  }

  [[nodiscard]] bool varies(GeometryWord word) const {
    return std::ranges::any_of(looked_,
                               [&](const LookedAt& trace) { return trace.row[word] != looked_.front().row[word]; });
  }

  [[nodiscard]] TruePoint first_set() const {
    const auto at =
        std::ranges::find_if(looked_, [](const LookedAt& trace) { return trace.points.ensemble != TruePoint{}; });
    return at->points.ensemble;
  }

  [[nodiscard]] std::string against_text() const {
    return against_bytes<IsLabel>(said_.labels, ensemble_first_byte, ensemble_last_byte, is_no_coordinate,
                                  is_coordinate);
  }

  // Returns the name of a number word that has the same value as `word` in every trace; nullptr if there is none.
  [[nodiscard]] const char* number_equal_to(GeometryWord word) const {
    using enum GeometryWord;
    if (!varies(word)) return nullptr;
    for (const GeometryWord number : {iline, xline, cdp, fldr, ep, tracf, offset})
      if (std::ranges::all_of(looked_, [&](const LookedAt& t) { return t.row[word] == t.row[number]; }))
        return name_of(number);
    return nullptr;
  }

  [[nodiscard]] bool is_constant() const {
    return looked_.size() > 1 && std::ranges::all_of(looked_, [&](const LookedAt& trace) {
             return trace.points.ensemble == TruePoint{} || trace.points.ensemble == first_set();
           });
  }

  [[nodiscard]] bool numbers_vary() const {
    return varies(GeometryWord::iline) || varies(GeometryWord::xline) || varies(GeometryWord::cdp);
  }

  [[nodiscard]] bool is_beyond(TruePoint point) const {
    return std::abs(point.x) > limit_ || std::abs(point.y) > limit_;
  }

  // Sets `contradiction_` if the ensemble coordinates contradict the sources.
  Agreement compare_with_sources() {
    if (number_equal_to(GeometryWord::sx) != nullptr || number_equal_to(GeometryWord::sy) != nullptr)
      return Agreement::unknown;
    PointBox box;
    for (const LookedAt& trace : looked_) {
      for (const TruePoint point : {trace.points.source, trace.points.receiver})
        if (point != TruePoint{} && !is_beyond(point)) box.add(point);
    }
    const double spread = box.diagonal();
    if (spread == 0.0) return Agreement::unknown;
    std::int64_t compared = 0;
    std::int64_t far = 0;
    for (const LookedAt& trace : looked_) {
      const TruePoint ensemble = trace.points.ensemble;
      const TruePoint source = trace.points.source;
      const TruePoint receiver = trace.points.receiver == TruePoint{} ? source : trace.points.receiver;
      if (ensemble == TruePoint{} || source == TruePoint{} || is_beyond(source) || is_beyond(receiver)) continue;
      ++compared;
      const TruePoint middle{source.x / 2.0 + receiver.x / 2.0, source.y / 2.0 + receiver.y / 2.0};
      if (distance_between(ensemble, middle) <= std::max(distance_between(source, receiver), near_spread * spread))
        continue;
      if (far++ == 0)
        contradiction_ = fmt::format("({}, {}), for example, is not near source and group, whose midpoint is ({}, {})",
                                     ensemble.x, ensemble.y, middle.x, middle.y);
    }
    if (compared < 2) return Agreement::unknown;
    if (2 * far <= compared) return Agreement::agree;
    contradiction_ = fmt::format("in {} of {} examined traces they are far from source and group: {}", far, compared,
                                 contradiction_);
    return Agreement::contradict;
  }

  [[nodiscard]] std::string against_plausibility(std::int64_t set) const {
    const std::int64_t beyond = count([&](const LookedAt& trace) { return is_beyond(trace.points.ensemble); });
    const bool sources_are_set = count([](const LookedAt& t) { return t.points.source != TruePoint{}; }) > 0;
    const bool sources_fit =
        sources_are_set && count([&](const LookedAt& t) { return is_beyond(t.points.source); }) == 0;
    if (2 * beyond <= set || (said_.assigned && !sources_fit)) return "";
    return fmt::format("({}, {}), for example, is beyond {}", first_set().x, first_set().y,
                       is_angle_ ? "360 degrees, although bytes 89-90 state that coordinates are angles"
                                 : "the circumference of the Earth");
  }

  [[nodiscard]] bool counts_like_lines() const {
    std::int64_t max_changes = 0;
    bool counts = false;
    for (const GeometryWord word : {GeometryWord::cdpx, GeometryWord::cdpy}) {
      const StepsOfWord steps = steps_of(looked_, word);
      if (steps.changes <= max_changes) continue;
      max_changes = steps.changes;
      counts = static_cast<double>(steps.usual_count) >= max_steps * static_cast<double>(steps.changes) &&
               (steps.usual == 1 || (steps.usual <= largest_number_step && steps.largest < largest_number));
    }
    return counts;
  }

  std::span<const LookedAt> looked_;
  const EnsembleWords& said_;
  double limit_ = longest_length_ft;
  bool is_angle_ = false;
  std::string contradiction_;
};

}  // namespace

std::optional<RejectedPositions> rejected_ensemble(std::span<const LookedAt> looked, const EnsembleWords& said) {
  if (said.mapped || looked.empty()) return std::nullopt;
  std::string reason = EnsembleTest(looked, said).reason();
  if (reason.empty()) return std::nullopt;
  return RejectedPositions{"cdpx, cdpy", ensemble_first_byte, ensemble_last_byte, std::move(reason)};
}

std::string rejected_lines(std::span<const LookedAt> looked, const EnsembleWords& said) {
  if (said.lines_mapped || looked.empty()) return "";
  if (std::string by_text =
          against_bytes<IsLabel>(said.labels, lines_first_byte, lines_last_byte, is_coordinate, is_line);
      !by_text.empty())
    return by_text;
  const StepsOfWord inlines = steps_of(looked, GeometryWord::iline);
  const StepsOfWord crosslines = steps_of(looked, GeometryWord::xline);
  if (std::min(inlines.largest, crosslines.largest) < largest_number) return "";
  const auto max = static_cast<std::int64_t>(max_steps * static_cast<double>(looked.size() - 1));
  const bool both_change = std::min(inlines.changes, crosslines.changes) > std::max<std::int64_t>(1, max);
  const bool far_apart = std::min(inlines.usual, crosslines.usual) > largest_number_step;
  if (!both_change && !far_apart) return "";
  return fmt::format("{} and {}, for example, and steps of {} and {} are typical of positions, not of line numbers",
                     looked.front().row[GeometryWord::iline], looked.front().row[GeometryWord::xline], inlines.usual,
                     crosslines.usual);
}

}  // namespace sill
