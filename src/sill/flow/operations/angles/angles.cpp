#include "sill/flow/operations/angles/angles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numbers>
#include <optional>

#include "sill/flow/operation/dix.hpp"
#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/sinc.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operation/velocity_field.hpp"
#include "sill/flow/operations/radon/panel.hpp"
#include "sill/flow/operations/stack/made_traces.hpp"

namespace sill::flow {
namespace {

constexpr double degree = std::numbers::pi / 180.0;
constexpr std::int64_t max_angles = 10'000;

// The angles of one output trace, in degrees.
struct AngleRange {
  double from = 0.0;
  double to = 0.0;
  [[nodiscard]] double middle() const { return from + 0.5 * (to - from); }
};

// The available velocities of a gather at the times of its samples, in m/s.
struct Velocities {
  std::vector<double> of_interval;
  std::vector<double> rms;
};

class Angles final : public Operation {
 public:
  Angles(const Arguments& arguments, const char* operation)
      : operation_(operation),
        keys_(arguments),
        field_(arguments, "velocity"),
        word_(arguments.text("word").value_or("offset")) {
    static constexpr std::array<std::string_view, 2> kinds_of_velocity{"rms", "interval"};
    is_rms_ = arguments.choice("kind", kinds_of_velocity) == 0;
  }

  // Reads the arguments of anglestack.
  void take_ranges(const Arguments& arguments) {
    for (const auto& [from, to] : arguments.ranges("ranges", Dimension::angle)) ranges_.push_back({from, to});
    taper_ = arguments.quantity("taper", Dimension::angle).value_or(0.0);
    if (taper_ < 0.0) arguments.refuse("taper", "the taper must be 0 deg or more");
    require_angles(arguments, "ranges");
    require_kind(arguments);
  }

  // Reads the arguments of angles.
  void take_angles(const Arguments& arguments) {
    static constexpr std::array<std::string_view, 2> domains{"offset", "slowness"};
    is_legacy_ = arguments.flag("legacy");
    if (is_legacy_) {
      for (const char* const key : {"angles", "of", "moveouts", "reference", "kind"})
        if (arguments.has(key))
          arguments.refuse(key, "legacy has a fixed result",
                           fmt::format("omit {}", arguments.shown(fmt::format("{}=", key))));
      for (int angle = 0; angle < legacy_angles; ++angle) ranges_.push_back({1.0 * angle, 1.0 * angle});
      return;
    }
    const std::vector<double> angles = arguments.series("angles", Dimension::angle, max_angles);
    for (const double angle : angles) ranges_.push_back({angle, angle});
    require_angles(arguments, "angles");
    require_kind(arguments);
    taper_ = angles.size() > 1 ? angles[1] - angles[0] : 1.0;
    for (const std::string_view argument : {"moveouts=", "reference="}) arguments.require_with(argument, "of=slowness");
    if (arguments.choice("of", domains) == 0) return;
    moveouts_s_ = arguments.series("moveouts", Dimension::time, max_angles);
    reference_m_ = arguments.required("reference", Dimension::length);
    if (!(reference_m_ > 0.0)) arguments.refuse("reference", "the offset of the moveouts must be above 0");
  }

  void bind(SurveyState& state) override {
    keys_.bind(state);
    times_.emplace(state, operation_);
    offset_.bind(state);
    dead_.bind(state);
    field_.bind(state);
    samples_ = state.samples;
    header_bytes_ = state.header_bytes;
    made_ = std::make_unique<MadeTraces>(state, keys_.keys(), word_);
    require_distinct(state);
    if (is_of_panel() && state.has_parabolic_panels)
      throw Error(
          {.code = ErrorCode::usage,
           .problem = fmt::format("{}: the panels are parabolic, so their moveouts are not slownesses", operation_),
           .action = "make the panels with 'radon linear'"});
    state.has_parabolic_panels = false;
    state.sort_keys.clear();
  }

  [[nodiscard]] Access access() const override {
    Access access = Access::of_made_traces(std::ssize(ranges_), header_bytes_);
    access.read_number(times_->delay());
    access.moves_samples = !moveouts_s_.empty();
    if (!is_of_panel()) access.read_number(offset_.number());
    dead_.add_to(access);
    field_.add_to(access);
    keys_.add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_.keys(); }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    std::vector<std::int64_t> traces = live_traces(block, dead_);
    require_one_start(block, traces, *times_);
    std::vector<std::vector<float>> made(ranges_.size(), std::vector<float>(static_cast<std::size_t>(samples_)));
    if (!traces.empty()) {
      const double start_s = times_->start_s(block.header(traces.front()).data());
      if (start_s < 0.0)
        throw Error({.code = ErrorCode::input,
                     .problem = "the trace begins before time 0, where angles are undefined",
                     .where = {.item = traces.front() + 1, .item_word = "trace"},
                     .action = "omit these samples: 'window 0ms ...'"});
      const VelocityFunction function = field_.function_of(block, traces.front());
      if (is_legacy_)
        pick(block, function, start_s, made);
      else if (is_of_panel())
        read_panel(block, function, start_s, made);
      else
        stack(block, traces, function, start_s, made);
    }
    made_->put(block, traces, made, [&](std::int64_t j) { return ranges_[static_cast<std::size_t>(j)].middle(); });
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    auto counts = made_->counts();
    counts.emplace_back("samples at more than 90 degrees were omitted", beyond_.load());
    counts.emplace_back(
        "samples whose rms velocities fall faster than any interval velocity allows: the interval velocity above was "
        "repeated",
        repeated_.load());
    return counts;
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override {
    const std::int64_t sums = is_of_panel() ? std::ssize(moveouts_s_) : 2 * std::ssize(ranges_);
    return 8 * samples_ * (sums + std::ssize(ranges_) + 8) + 8 * traces;
  }

 private:
  static constexpr int legacy_angles = 60;

  [[nodiscard]] bool is_of_panel() const { return is_legacy_ || !moveouts_s_.empty(); }

  void require_angles(const Arguments& arguments, const char* key) const {
    for (const AngleRange& range : ranges_)
      if (range.from < 0.0 || range.to > 90.0) arguments.refuse(key, "angles of incidence must be 0 to 90 degrees");
  }
  static void require_kind(const Arguments& arguments) {
    if (!arguments.has("kind"))
      arguments.refuse("kind", "the kind of the velocities is not given",
                       fmt::format("give {} or {}", arguments.shown("kind=rms"), arguments.shown("kind=interval")));
  }

  // Traces of different angles must differ in an integer word.
  void require_distinct(const SurveyState& state) const {
    if (segy::is_float(state.words->word(word_).type)) return;
    std::vector<double> whole;
    for (const AngleRange& range : ranges_) whole.push_back(std::nearbyint(range.middle()));
    std::ranges::sort(whole);
    if (const auto same = std::ranges::adjacent_find(whole); same != whole.end())
      throw Error({.code = ErrorCode::usage,
                   .problem = fmt::format("{}: two angles would both be {:g} in the word {}", operation_, *same, word_),
                   .action = "give angles that differ by a degree, or set word to a word of type float"});
  }

  [[nodiscard]] Velocities velocities_of(const VelocityFunction& function, double start_s) const {
    const double dt = times_->interval_s();
    std::vector<double> given(static_cast<std::size_t>(samples_));
    std::vector<double> derivative(given.size());
    function.sample(start_s, dt, given, derivative);
    Velocities velocities{given, given};
    if (is_rms_)
      repeated_.fetch_add(make_interval(std::span(velocities.of_interval), start_s, dt), std::memory_order_relaxed);
    else
      make_rms(std::span(velocities.rms), start_s, dt);
    return velocities;
  }

  // Returns the weight of a sample in the trace of a range.
  [[nodiscard]] double weight(double angle, const AngleRange& range) const {
    if (angle >= range.from && angle < range.to) return 1.0;
    const double distance = angle < range.from ? range.from - angle : angle - range.to;
    return taper_ > 0.0 ? std::max(0.0, 1.0 - distance / taper_) : 0.0;
  }

  void stack(TraceBlock& block, std::span<const std::int64_t> traces, const VelocityFunction& function, double start_s,
             std::vector<std::vector<float>>& made) const {
    const Velocities velocities = velocities_of(function, start_s);
    const auto count = static_cast<std::size_t>(samples_);
    std::vector<std::vector<double>> sums(ranges_.size(), std::vector<double>(count));
    std::vector<std::vector<double>> weights(ranges_.size(), std::vector<double>(count));
    std::vector<double> angles(count);
    std::int64_t beyond = 0;
    for (const std::int64_t i : traces) {
      compute_angles(offset_.metres(block.header(i).data()), start_s, velocities, angles);
      const std::span<const float> trace = block.trace(i);
      const segy::SampleRange live = live_samples(trace);
      const auto first = static_cast<std::size_t>(live.first);
      for (std::size_t s = first; s < first + static_cast<std::size_t>(live.count); ++s) {
        if (!std::isfinite(angles[s])) {
          ++beyond;
          continue;
        }
        for (std::size_t r = 0; r < ranges_.size(); ++r) {
          const double w = weight(angles[s], ranges_[r]);
          if (w == 0.0) continue;
          sums[r][s] += w * static_cast<double>(trace[s]);
          weights[r][s] += w;
        }
      }
    }
    for (std::size_t r = 0; r < ranges_.size(); ++r)
      for (std::size_t s = 0; s < count; ++s)
        if (weights[r][s] > 0.0) made[r][s] = static_cast<float>(sums[r][s] / weights[r][s]);
    beyond_.fetch_add(beyond, std::memory_order_relaxed);
  }

  // Computes angles; NaN where there is no angle.
  void compute_angles(double offset_m, double start_s, const Velocities& velocities, std::span<double> angles) const {
    const double dt = times_->interval_s();
    const double x2 = offset_m * offset_m;
    for (std::size_t s = 0; s < angles.size(); ++s) {
      const double t0 = start_s + static_cast<double>(s) * dt;
      const double path2 = velocities.rms[s] * velocities.rms[s] * t0 * t0 + x2;
      const double ratio = velocities.of_interval[s] / velocities.rms[s];
      const double sine2 = path2 > 0.0 ? ratio * ratio * x2 / path2 : 0.0;
      angles[s] = sine2 <= 1.0 ? std::asin(std::sqrt(sine2)) / degree : std::numeric_limits<double>::quiet_NaN();
    }
  }

  void read_panel(TraceBlock& block, const VelocityFunction& function, double start_s,
                  std::vector<std::vector<float>>& made) const {
    require_panel(block, offset_.word(), moveouts_s_);
    const Velocities velocities = velocities_of(function, start_s);
    const double dt = times_->interval_s();
    const auto count = static_cast<std::size_t>(samples_);
    // Each trace of the panel at the times t0, down to the depth at which its slowness is defined.
    std::vector<std::vector<float>> at_t0(moveouts_s_.size(), std::vector<float>(count));
    std::vector<float> padded;
    std::vector<double> places(count);
    for (std::size_t q = 0; q < moveouts_s_.size(); ++q) {
      const double p = moveouts_s_[q] / reference_m_;
      double tau = start_s;
      constexpr double nowhere = -1e6;
      for (std::size_t s = 0; s < count; ++s) {
        const double cosine2 = 1.0 - p * p * velocities.of_interval[s] * velocities.of_interval[s];
        if (s == 0) tau *= std::sqrt(std::max(0.0, cosine2));
        if (cosine2 <= 0.0) {
          std::fill(places.begin() + static_cast<std::ptrdiff_t>(s), places.end(), nowhere);
          break;
        }
        if (s > 0) tau += dt * std::sqrt(cosine2);
        places[s] = (tau - start_s) / dt;
      }
      SincInterpolation::pad(block.trace(static_cast<std::int64_t>(q)), padded);
      SincInterpolation::interpolate(padded, samples_, places, at_t0[q]);
    }
    const double step = moveouts_s_.size() > 1 ? moveouts_s_[1] - moveouts_s_[0] : 1.0;
    std::int64_t beyond = 0;
    for (std::size_t r = 0; r < ranges_.size(); ++r)
      for (std::size_t s = 0; s < count; ++s) {
        const double p = std::sin(ranges_[r].middle() * degree) / velocities.of_interval[s];
        constexpr double tolerance = 1e-9;
        const double place = (p * reference_m_ - moveouts_s_.front()) / step;
        const double last = static_cast<double>(moveouts_s_.size() - 1);
        if (place < -tolerance || place > last + tolerance) {
          ++beyond;
          continue;
        }
        const auto below = static_cast<std::size_t>(std::clamp(std::floor(place), 0.0, std::max(0.0, last - 1.0)));
        const std::size_t above = std::min(below + 1, moveouts_s_.size() - 1);
        const double share = place - static_cast<double>(below);
        made[r][s] = static_cast<float>((1.0 - share) * static_cast<double>(at_t0[below][s]) +
                                        share * static_cast<double>(at_t0[above][s]));
      }
    beyond_.fetch_add(beyond, std::memory_order_relaxed);
  }

  // Picks angles like ExSeisFlow, angle by angle and sample by sample.
  void pick(TraceBlock& block, const VelocityFunction& function, double start_s,
            std::vector<std::vector<float>>& made) const {
    constexpr double velocity_step = 20.0;
    const double dt = times_->interval_s();
    for (std::size_t r = 0; r < ranges_.size(); ++r)
      for (std::size_t s = 0; s < made[r].size(); ++s) {
        constexpr double tolerance = 1e-6;
        const double v = function.before(start_s + (static_cast<double>(s) + tolerance) * dt);
        const double trace = std::floor(std::round(v / std::cos(ranges_[r].middle() * degree)) / velocity_step);
        if (trace < static_cast<double>(block.count())) made[r][s] = block.trace(static_cast<std::int64_t>(trace))[s];
      }
  }

  const char* operation_;
  NamedKeys keys_;
  VelocityField field_;
  std::string word_;
  bool is_rms_ = true;
  bool is_legacy_ = false;
  std::vector<AngleRange> ranges_;
  double taper_ = 0.0;
  std::vector<double> moveouts_s_;  // of a panel
  double reference_m_ = 1.0;
  std::optional<TraceTimes> times_;
  TraceOffset offset_;
  DeadTraces dead_;
  std::int64_t samples_ = 0;
  std::int64_t header_bytes_ = 240;
  std::unique_ptr<MadeTraces> made_;
  mutable std::atomic<std::int64_t> beyond_{0};
  mutable std::atomic<std::int64_t> repeated_{0};
};

std::vector<Parameter> with_velocities(std::vector<Parameter> own) {
  own.push_back(VelocityField::parameter("velocity", ""));
  own.push_back(VelocityField::location_parameter());
  own.push_back({"kind", "rms | interval", "none", "Kind of these velocities; required except with legacy"});
  own.push_back({"word", "WORD", "offset", "Header word that receives the angle, in degrees"});
  own.push_back(NamedKeys::parameter());
  return own;
}

}  // namespace

const OperationType& angles() {
  static const OperationType type{
      .name = "angles",
      .summary = "Makes gathers by angle of incidence from gathers by offset or panels by slowness",
      .formula =
          "sin^2(theta) = v^2 x^2 / (V^2 (V^2 t0^2 + x^2)), v the interval and V the rms velocity at t0; for a panel: "
          "sin(theta) = p v(t0), tau = sum of dt0 sqrt(1 - p^2 v^2); linear interpolation between traces",
      .example = "angles angles=0deg:40deg:2deg velocity=2000m/s kind=rms by=cdp",
      .parameters = with_velocities(
          {{"angles", "ANGLE:ANGLE:ANGLE", "none", "First angle, last and step of the output traces"},
           {"of", "offset | slowness", "offset",
            "Gathers of the input: by offset, corrected for moveout; or by slowness, panels of 'radon linear'"},
           {"moveouts", "TIME:TIME:TIME", "none",
            "First moveout, last and step of the panel, as given to 'radon linear'"},
           {"reference", "LENGTH", "none", "Offset at which these moveouts are given"},
           {"legacy", "", "", "Compute 60 angles from a table of velocities in steps of 20 m/s, as ExSeisFlow does",
            true}}),
      .make = [](const Arguments& arguments) {
        auto operation = std::make_unique<Angles>(arguments, "angles");
        operation->take_angles(arguments);
        return operation;
      }};
  return type;
}

const OperationType& anglestack() {
  static const OperationType type{
      .name = "anglestack",
      .summary = "Stacks each gather into one trace per range of angles of incidence",
      .formula =
          "sum(w x) / sum(w) over live samples, w = 1 for angles in [a, b), falling to 0 over the taper outside; "
          "sin^2(theta) = v^2 x^2 / (V^2 (V^2 t0^2 + x^2)), v the interval and V the rms velocity at t0",
      .example = "anglestack ranges=5deg-15deg,15deg-25deg velocity=2000m/s kind=rms by=cdp",
      .parameters = with_velocities(
          {{"ranges", "ANGLE-ANGLE,...", "", "Ranges [a, b) of angles of the output traces"},
           {"taper", "ANGLE", "0 deg", "Width of the taper outside each range, in which the weight falls to 0"}}),
      .make = [](const Arguments& arguments) {
        auto operation = std::make_unique<Angles>(arguments, "anglestack");
        operation->take_ranges(arguments);
        return operation;
      }};
  return type;
}

}  // namespace sill::flow
