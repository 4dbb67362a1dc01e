#include "sill/flow/operations/nmo/nmo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "sill/base/processors.hpp"
#include "sill/flow/operation/ramp.hpp"
#include "sill/flow/operation/sinc.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operation/velocity_field.hpp"

namespace sill::flow {
namespace {

constexpr std::array<std::string_view, 2> rules{"derivative", "classic"};

// A velocity function at the samples of a trace: times t0, 1 / v^2, and v' / v^3.
struct Moveout {
  double start_s = std::numeric_limits<double>::quiet_NaN();
  double location = std::numeric_limits<double>::quiet_NaN();
  std::optional<VelocityFunction> function;
  std::vector<double> velocity;
  std::vector<double> derivative;
  std::vector<double> t0;
  std::vector<double> slowness2;
  std::vector<double> bend;
};

// At time 0, where dt/dt0 is 0, rounding must not make it positive.
SILL_FOR_PROCESSORS void compute_times(double start_s, double dt, double* t0, std::size_t count) {
  const double tolerance_s = 1e-6 * dt;
  for (std::int32_t i = 0; i < static_cast<std::int32_t>(count); ++i) {
    const double time = start_s + static_cast<double>(i) * dt;
    t0[i] = std::abs(time) < tolerance_s ? 0.0 : time;
  }
}

SILL_FOR_PROCESSORS void compute_bends(const double* velocity, const double* derivative, double* slowness2,
                                       double* bend, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double v = velocity[i];
    slowness2[i] = 1.0 / (v * v);
    bend[i] = derivative[i] / (v * v * v);
  }
}

// The criteria of the mute for a squared offset `offset2`: samples are muted if dt/dt0 = (t0 - x^2 v' / v^3) / t is not
// positive or below `limit`, or if t > `longest` |t0|.
struct StretchMute {
  double offset2;
  double limit;
  double longest;
};

// Fills `places` with the times t(t0) of reflections, in samples from the first one, and returns the number of samples
// down to the last muted one. Between samples, dt/dt0 is not positive if t does not increase from one sample to the
// next: places[count] belongs to the next sample.
SILL_FOR_PROCESSORS std::int64_t place_samples(StretchMute mute, double start_s, double per_s, const double* t0,
                                               const double* slowness2, const double* bend, double* __restrict places,
                                               std::int64_t count) {
  std::int64_t last = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double t = std::sqrt(t0[i] * t0[i] + mute.offset2 * slowness2[i]);
    places[i] = (t - start_s) * per_s;
    const double change = t0[i] - mute.offset2 * bend[i];
    const bool is_muted = (change <= 0.0) | (change < mute.limit * t) | (t > mute.longest * std::abs(t0[i]));
    last = is_muted ? i + 1 : last;
  }
  std::int64_t last_fall = 0;
  for (std::int64_t i = 0; i < count; ++i) last_fall = places[i + 1] <= places[i] ? i + 1 : last_fall;
  return std::max(last, last_fall);
}

class Nmo final : public Operation {
 public:
  explicit Nmo(const Arguments& arguments)
      : field_(arguments, "velocity"),
        stretch_(arguments.quantity("stretch", Dimension::share)),
        is_classic_(arguments.choice("rule", rules) == 1),
        ramp_s_(arguments.quantity("ramp", Dimension::time).value_or(0.0)),
        shape_(ramp_shape(arguments.choice("shape", ramp_shapes))),
        is_inverse_(arguments.flag("inverse")) {
    if (stretch_.value_or(1.0) <= 0.0) arguments.refuse("stretch", "the stretch must be above 0");
    if (ramp_s_ < 0.0) arguments.refuse("ramp", "the ramp is negative");
    for (const std::string_view key : {"stretch", "rule", "ramp", "shape"})
      if (is_inverse_ && arguments.has(key))
        arguments.refuse(key, "inverse does not mute",
                         fmt::format("omit {}", arguments.shown(fmt::format("{}=", key))));
    arguments.require_with("rule=", "stretch=");
    arguments.require_with("shape=", "ramp=");
  }

  void bind(SurveyState& state) override {
    times_.emplace(state, "nmo");
    offset_.bind(state);
    field_.bind(state);
  }

  [[nodiscard]] Access access() const override {
    Access access{.reads_samples = true, .writes_samples = true, .moves_samples = true};
    access.read_number(times_->delay());
    access.read_number(offset_.number());
    field_.add_to(access);
    return access;
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    const auto samples = static_cast<std::size_t>(block.samples());
    Moveout moveout;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::byte* const header = block.header(i).data();
      const double start = times_->start_s(header);
      const double location = field_.location_of(block, i);
      if (location != moveout.location) moveout.function = field_.function_of(block, i);
      if (location != moveout.location || start != moveout.start_s) prepare(moveout, location, start, samples);
      const double offset = offset_.metres(header);
      const std::span<float> trace = block.change(i);
      if (offset == 0.0) {
        zero_top(trace, count_negative(moveout));
        continue;
      }
      SincInterpolation::pad(trace, workspace.c);
      if (is_inverse_)
        invert(moveout, offset * offset, workspace, trace);
      else
        zero_top(trace, correct(moveout, offset * offset, workspace.c, trace));
    }
  }

 private:
  void prepare(Moveout& moveout, double location, double start_s, std::size_t samples) const {
    for (std::vector<double>* const values :
         {&moveout.velocity, &moveout.derivative, &moveout.t0, &moveout.slowness2, &moveout.bend})
      values->resize(samples);
    const double dt = times_->interval_s();
    moveout.function->sample(start_s, dt, moveout.velocity, moveout.derivative);
    if (start_s != moveout.start_s) compute_times(start_s, dt, moveout.t0.data(), samples);
    compute_bends(moveout.velocity.data(), moveout.derivative.data(), moveout.slowness2.data(), moveout.bend.data(),
                  samples);
    moveout.location = location;
    moveout.start_s = start_s;
  }

  // Fills `places` from sample `first`, except the last element, which belongs to the next sample. Returns the number
  // of samples down to the deepest muted one.
  [[nodiscard]] std::int64_t place(const Moveout& moveout, double offset2, std::size_t first,
                                   std::span<double> places) const {
    const StretchMute mute{offset2, stretch_ && !is_classic_ ? 1.0 / (1.0 + *stretch_) : 0.0,
                           stretch_ && is_classic_ ? 1.0 + *stretch_ : std::numeric_limits<double>::infinity()};
    return place_samples(mute, moveout.start_s, 1.0 / times_->interval_s(), moveout.t0.data() + first,
                         moveout.slowness2.data() + first, moveout.bend.data() + first, places.data(),
                         std::ssize(places) - 1);
  }

  // Corrects samples upwards from the last one to the deepest muted one, and returns the sample below that one. Works
  // in pieces, so that times stay in the cache and are not computed if all samples are muted.
  [[nodiscard]] std::int64_t correct(const Moveout& moveout, double offset2, const std::vector<float>& padded,
                                     std::span<float> trace) const {
    constexpr std::size_t piece = 512;
    std::array<double, piece + 1> memory;
    double next = std::numeric_limits<double>::infinity();
    for (std::size_t end = trace.size(); end > 0;) {
      const std::size_t first = (end - 1) / piece * piece;
      const std::span<double> places(memory.data(), end - first + 1);
      places.back() = next;
      const auto muted = static_cast<std::size_t>(place(moveout, offset2, first, places));
      next = places.front();
      // From here on, times ascend. Samples whose time is after the end of the input trace are zero.
      const std::span<const double> kept = places.subspan(muted, places.size() - 1 - muted);
      const auto below = std::ranges::upper_bound(kept, static_cast<double>(trace.size()) + 8.0);
      const auto inside = static_cast<std::size_t>(below - kept.begin());
      const std::span<float> out = trace.subspan(first + muted, kept.size());
      SincInterpolation::interpolate(padded, std::ssize(trace), kept.first(inside), out.first(inside));
      std::ranges::fill(out.subspan(inside), 0.0F);
      if (muted > 0) return static_cast<std::int64_t>(first + muted);
      end = first;
    }
    return 0;
  }

  // As above for offset 0, where t = |t0|: dt/dt0 is -1 at negative times and 1 otherwise, also at 0 as a limit.
  [[nodiscard]] static std::int64_t count_negative(const Moveout& moveout) {
    return std::ranges::lower_bound(moveout.t0, 0.0) - moveout.t0.begin();
  }

  // Sets the samples above `first` to zero, and applies a ramp starting at `first`.
  void zero_top(std::span<float> trace, std::int64_t first) const {
    if (first == 0) return;
    std::fill_n(trace.begin(), first, 0.0F);
    const double ramp = ramp_s_ / times_->interval_s();
    const auto end =
        static_cast<std::int64_t>(std::min(static_cast<double>(trace.size()), static_cast<double>(first) + ramp));
    for (std::int64_t s = first; s < end; ++s) {
      float& x = trace[static_cast<std::size_t>(s)];
      x = static_cast<float>(static_cast<double>(x) * ramp_weight(shape_, static_cast<double>(s - first + 1), ramp));
    }
  }

  // Reads each sample from its position in the corrected trace: t0(t) on the branch below the muted samples, on which
  // t(t0) increases. Other samples are read from outside the trace.
  void invert(const Moveout& moveout, double offset2, Workspace& workspace, std::span<float> trace) const {
    const double dt = times_->interval_s();
    const double start = moveout.start_s;
    const std::size_t samples = trace.size();
    constexpr double outside = -100.0;
    std::vector<double>& places = workspace.a;
    std::vector<double>& inverse = workspace.b;
    places.resize(samples + 1);
    places.back() = std::numeric_limits<double>::infinity();
    const auto first = static_cast<std::size_t>(place(moveout, offset2, 0, places));
    inverse.assign(samples, outside);
    const auto place_at = [&](double sample) {
      const double t0 = start + sample * dt;
      const double v = moveout.function->at(t0);
      return (std::sqrt(t0 * t0 + offset2 / (v * v)) - start) / dt;
    };
    std::size_t j = first;
    for (std::size_t i = 0; i < samples && j < samples; ++i) {
      const auto wanted = static_cast<double>(i);
      while (places[j + 1] <= wanted) ++j;
      if (places[j] > wanted) continue;
      // Between samples j and j + 1. After the last sample, as far as interpolation reaches.
      double low = static_cast<double>(j);
      double low_place = places[j];
      double high = low + 1.0;
      double high_place = places[j + 1];
      if (j + 1 == samples) {
        constexpr double reach = 9.0;
        high = low + reach;
        high_place = place_at(high);
        if (high_place <= wanted) continue;
      }
      inverse[i] = crossing(place_at, wanted, {low, low_place}, {high, high_place});
    }
    SincInterpolation::interpolate(workspace.c, std::ssize(trace), inverse, trace);
  }

  struct Point {
    double sample;
    double place;
  };

  // Returns the sample whose position is `wanted`, between two samples whose positions enclose it. Uses the false
  // position method with half the weight for an end that does not move (Illinois), to about a millionth of a sample.
  template <class PlaceAt>
  static double crossing(const PlaceAt& place_at, double wanted, Point low, Point high) {
    const double tolerance = 1e-6 * (high.place - low.place) / (high.sample - low.sample);
    constexpr int max_steps = 60;
    double low_rest = low.place - wanted;
    double high_rest = high.place - wanted;
    int stays = 0;
    double at = low.sample;
    for (int step = 0; step < max_steps && low_rest < 0.0; ++step) {
      at = low.sample - low_rest * (high.sample - low.sample) / (high_rest - low_rest);
      const double rest = place_at(at) - wanted;
      if (std::abs(rest) < tolerance) break;
      if (rest < 0.0) {
        low.sample = at;
        low_rest = rest;
        if (stays > 0) high_rest *= 0.5;
        stays = 1;
      } else {
        high.sample = at;
        high_rest = rest;
        if (stays < 0) low_rest *= 0.5;
        stays = -1;
      }
    }
    return at;
  }

  VelocityField field_;
  std::optional<double> stretch_;
  bool is_classic_;
  double ramp_s_;
  RampShape shape_;
  bool is_inverse_;
  std::optional<TraceTimes> times_;
  TraceOffset offset_;
};

class Lmo final : public Operation {
 public:
  explicit Lmo(const Arguments& arguments) : velocity_(arguments.required("velocity", Dimension::velocity)) {
    if (velocity_ <= 0.0) arguments.refuse("velocity", "the velocity is not positive");
  }

  void bind(SurveyState& state) override {
    interval_s_ = TraceTimes(state, "lmo").interval_s();
    offset_.bind(state);
  }

  [[nodiscard]] Access access() const override {
    Access access{.reads_samples = true, .writes_samples = true, .moves_samples = true};
    access.read_number(offset_.number());
    return access;
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const double later = offset_.metres(block.header(i).data()) / velocity_ / interval_s_;
      SincInterpolation::shift(block.change(i), -later, workspace.c);
    }
  }

 private:
  double velocity_;
  double interval_s_ = 1.0;
  TraceOffset offset_;
};

}  // namespace

const OperationType& nmo() {
  static const OperationType type{
      .name = "nmo",
      .summary = "Corrects for hyperbolic moveout",
      .formula =
          "out(t0) = in(t), t^2 = t0^2 + x^2 / v(t0)^2, x = |offset|; muted down to the deepest sample at which dt/dt0 "
          "<= 0 or the stretch exceeds the limit; amplitudes are not changed",
      .example = "nmo velocity=2000m/s stretch=50%",
      .parameters = {VelocityField::parameter("velocity", ""),
                     VelocityField::location_parameter(),
                     {"stretch", "PERCENT", "none", "Largest stretch that is not muted"},
                     {"rule", "derivative | classic", "derivative",
                      "Definition of the stretch: 1 / (dt/dt0) - 1 (derivative) or t / t0 - 1 (classic)"},
                     {"ramp", "TIME", "0 s", "Length of the ramp below the muted samples"},
                     {"shape", "linear | cosine2 | sine", "linear",
                      "Weight along the ramp, on which u rises from 0 to 1: u (linear), (1 - cos(pi u)) / 2 (cosine2) "
                      "or sin(pi u / 2) (sine)"},
                     {"inverse", "", "", "Undo the correction; muted samples are not restored", true}},
      .make = [](const Arguments& arguments) { return std::make_unique<Nmo>(arguments); }};
  return type;
}

const OperationType& lmo() {
  static const OperationType type{.name = "lmo",
                                  .summary = "Corrects for linear moveout",
                                  .formula = "out(t) = in(t + |offset| / v)",
                                  .example = "lmo velocity=1500m/s",
                                  .parameters = {{"velocity", "VELOCITY", "", "Velocity v"}},
                                  .make = [](const Arguments& arguments) { return std::make_unique<Lmo>(arguments); }};
  return type;
}

}  // namespace sill::flow
