#include "sill/flow/operations/semblance/semblance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "sill/base/processors.hpp"
#include "sill/base/units.hpp"
#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/sinc.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operation/velocity_table.hpp"
#include "sill/flow/operations/stack/made_traces.hpp"

namespace sill::flow {
namespace {

constexpr double max_velocities = 10'000.0;

// Computes the positions of reflections, in samples of the trace.
SILL_FOR_PROCESSORS void place_reflections(double start_s, double dt, double squared, double trace_start_s,
                                           double* places, std::int64_t count) {
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(count); ++s) {
    const double t0 = start_s + static_cast<double>(s) * dt;
    places[s] = (std::sqrt(t0 * t0 + squared) - trace_start_s) / dt;
  }
}

SILL_FOR_PROCESSORS void add_values(const float* values, std::int64_t count, double* sums, double* squares,
                                    double* fold) {
  for (std::int64_t s = 0; s < count; ++s) {
    const auto value = static_cast<double>(values[s]);
    sums[s] += value;
    squares[s] += value * value;
    fold[s] += 1.0;
  }
}

class Semblance final : public Operation {
 public:
  explicit Semblance(const Arguments& arguments)
      : keys_(arguments),
        from_(arguments.required("from", Dimension::velocity)),
        step_(arguments.required("step", Dimension::velocity)),
        gate_s_(arguments.quantity("gate", Dimension::time).value_or(0.04)),
        stretch_(arguments.quantity("stretch", Dimension::share)) {
    const double to = arguments.required("to", Dimension::velocity);
    if (!(from_ > 0.0)) arguments.refuse("from", "a velocity must be above 0");
    if (!(step_ > 0.0)) arguments.refuse("step", "the step of the velocities must be above 0");
    if (!(to >= from_)) arguments.refuse("to", "the last velocity is below the first");
    constexpr double tolerance = 1e-6;
    const double steps = std::floor((to - from_) / step_ + tolerance);
    if (steps >= max_velocities)
      arguments.refuse("step", fmt::format("there are more than {:g} velocities", max_velocities));
    count_ = static_cast<std::int64_t>(steps) + 1;
    if (!(gate_s_ >= 0.0)) arguments.refuse("gate", "the gate must be 0 or more");
    if (stretch_ && !(*stretch_ > 0.0)) arguments.refuse("stretch", "the stretch must be above 0");
    picks_ = arguments.text("picks").value_or("");
    every_s_ = arguments.quantity("every", Dimension::time).value_or(0.2);
    min_semblance_ = arguments.quantity("least", Dimension::share).value_or(0.3);
    if (!(every_s_ > 0.0)) arguments.refuse("every", "the time between picks must be above 0");
    if (!picks_.empty() && !picks_.ends_with(".csv"))
      arguments.refuse("picks", fmt::format("{} must name a table", arguments.shown("picks=")),
                       fmt::format("write {}", arguments.shown("picks=FILE.csv")));
    for (const std::string_view argument : {"every=", "least="}) arguments.require_with(argument, "picks=");
  }

  void bind(SurveyState& state) override {
    keys_.bind(state);
    times_.emplace(state, "semblance");
    offset_.bind(state);
    dead_.bind(state);
    samples_ = state.samples;
    unit_m_ = length_unit_m(state);
    header_bytes_ = state.header_bytes;
    const double half = std::min(0.5 * gate_s_ / times_->interval_s(), static_cast<double>(samples_));
    half_gate_ = static_cast<std::int64_t>(half + 1e-6);
    made_ = std::make_unique<MadeTraces>(state, keys_.keys());
    every_ = std::max<std::int64_t>(1, std::llround(every_s_ / times_->interval_s()));
    if (!picks_.empty() && keys_.keys().size() != 1)
      throw Error(
          {.code = ErrorCode::usage,
           .problem = "semblance: a table of velocities has one location per line, but the gathers have several keys",
           .action = "gather by one key, such as cdp"});
    state.sort_keys.clear();
  }

  [[nodiscard]] Access access() const override {
    Access access = Access::of_made_traces(count_, header_bytes_);
    access.reports = !picks_.empty();
    access.moves_samples = true;
    access.read_number(times_->delay());
    access.read_number(offset_.number());
    dead_.add_to(access);
    keys_.add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_.keys(); }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    const std::vector<std::int64_t> live = live_traces(block, dead_);
    std::vector<Trace> traces;
    for (const std::int64_t i : live) {
      const std::byte* const header = block.header(i).data();
      Trace& trace = traces.emplace_back();
      SincInterpolation::pad(block.trace(i), trace.padded);
      trace.offset_m = offset_.metres(header);
      trace.start_s = times_->start_s(header);
      trace.live = live_samples(block.trace(i));
    }
    left_out_.fetch_add(block.count() - std::ssize(live), std::memory_order_relaxed);
    const double start_s = live.empty() ? 0.0 : times_->start_s(block.header(live.front()).data());
    std::vector<std::vector<float>> panel;
    Sums sums(static_cast<std::size_t>(samples_));
    std::vector<Peak> peaks(static_cast<std::size_t>((samples_ + every_ - 1) / every_));
    for (std::int64_t v = 0; v < count_; ++v) {
      panel.push_back(along(traces, start_s, velocity(v), sums));
      if (!picks_.empty()) find_peaks(panel.back(), sums.fold, velocity(v), peaks);
    }
    if (!picks_.empty() && !live.empty()) pick(block, live.front(), start_s, peaks);
    made_->put(block, live, panel, [&](std::int64_t v) { return velocity(v) / unit_m_; });
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    auto counts = made_->counts();
    counts.emplace_back("dead or auxiliary traces omitted from the panels", left_out_.load());
    return counts;
  }

  [[nodiscard]] std::vector<std::string> report(const Resources& resources,
                                                std::span<const std::int64_t> /*counts*/) const override {
    if (picks_.empty()) return {};
    const std::int64_t picks = table_.write(resources, keys_.keys().front().text(), picks_);
    return {fmt::format("{} velocities picked, in {}", format_count(picks), picks_)};
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override {
    return traces * (samples_ + 64) * 4 + (count_ + 12) * samples_ * 8;
  }

 private:
  struct Trace {
    std::vector<float> padded;
    double offset_m = 0.0;
    double start_s = 0.0;
    segy::SampleRange live;
  };
  struct Sums {
    explicit Sums(std::size_t samples)
        : of_values(samples), of_squares(samples), fold(samples), values(samples), places(samples) {}
    std::vector<double> of_values;
    std::vector<double> of_squares;
    std::vector<double> fold;
    std::vector<float> values;
    std::vector<double> places;
  };

  // The largest semblance so far in a piece of a panel of length `every`.
  struct Peak {
    float semblance = 0.0F;
    std::int64_t sample = 0;
    double velocity = 0.0;
  };

  // With too few traces, all velocities have the same semblance.
  void find_peaks(std::span<const float> semblance, std::span<const double> fold, double velocity,
                  std::vector<Peak>& peaks) const {
    constexpr double min_fold = 3.0;
    for (std::int64_t s = 0; s < samples_; ++s) {
      Peak& peak = peaks[static_cast<std::size_t>(s / every_)];
      const float here = semblance[static_cast<std::size_t>(s)];
      if (here > peak.semblance && fold[static_cast<std::size_t>(s)] >= min_fold) peak = {here, s, velocity};
    }
  }

  void pick(TraceBlock& block, std::int64_t trace, double start_s, std::span<const Peak> peaks) const {
    const double location = keys_.keys().front().value(block.view(trace)).as_double();
    for (const Peak& peak : peaks)
      if (peak.semblance > 0.0F && static_cast<double>(peak.semblance) >= min_semblance_)
        table_.add({location, start_s + static_cast<double>(peak.sample) * times_->interval_s(), peak.velocity});
  }

  [[nodiscard]] double velocity(std::int64_t v) const { return from_ + static_cast<double>(v) * step_; }

  // Returns the semblance at the times of the first trace.
  [[nodiscard]] std::vector<float> along(std::span<const Trace> traces, double start_s, double velocity,
                                         Sums& sums) const {
    for (std::vector<double>* const sum : {&sums.of_values, &sums.of_squares, &sums.fold}) std::ranges::fill(*sum, 0.0);
    for (const Trace& trace : traces) add(trace, start_s, velocity, sums);
    // Sums over the gate, limited to the samples of the trace.
    std::vector<float> result(sums.fold.size());
    for (std::size_t s = 0; s < result.size(); ++s) {
      sums.of_squares[s] *= sums.fold[s];
      sums.of_values[s] *= sums.of_values[s];
    }
    const auto half = static_cast<std::size_t>(half_gate_);
    for (std::size_t s = 0; s < result.size(); ++s) {
      double coherent = 0.0;
      double all = 0.0;
      for (std::size_t t = s - std::min(s, half); t < std::min(result.size(), s + half + 1); ++t) {
        coherent += sums.of_values[t];
        all += sums.of_squares[t];
      }
      result[s] = all == 0.0 ? 0.0F : static_cast<float>(coherent / all);
    }
    return result;
  }

  // Adds only live samples with less than the maximum stretch.
  void add(const Trace& trace, double start_s, double velocity, Sums& sums) const {
    const double dt = times_->interval_s();
    const double squared = trace.offset_m / velocity * (trace.offset_m / velocity);
    place_reflections(start_s, dt, squared, trace.start_s, sums.places.data(), std::ssize(sums.places));
    const auto first = static_cast<double>(trace.live.first);
    const double last = static_cast<double>(trace.live.first + trace.live.count - 1);
    // From t0 = 0, times increase with t0 and the stretch decreases: the used samples form one range.
    const auto counts = [&](std::size_t s) {
      const double t0 = start_s + static_cast<double>(s) * dt;
      const bool is_stretched = stretch_ && sums.places[s] * dt + trace.start_s > (1.0 + *stretch_) * t0;
      return t0 >= 0.0 && !is_stretched && sums.places[s] >= first && sums.places[s] <= last;
    };
    std::size_t begin = 0;
    std::size_t end = sums.places.size();
    while (begin < end && !counts(begin)) ++begin;
    while (begin < end && !counts(end - 1)) --end;
    const std::size_t count = end - begin;
    SincInterpolation::interpolate(trace.padded, samples_, std::span(sums.places).subspan(begin, count),
                                   std::span(sums.values).first(count));
    add_values(sums.values.data(), static_cast<std::int64_t>(count), sums.of_values.data() + begin,
               sums.of_squares.data() + begin, sums.fold.data() + begin);
  }

  NamedKeys keys_;
  double from_;
  double step_;
  double gate_s_;
  std::optional<double> stretch_;
  std::int64_t count_ = 1;
  double unit_m_ = 1.0;
  std::int64_t half_gate_ = 0;
  std::int64_t samples_ = 0;
  std::int64_t header_bytes_ = segy::trace_header_bytes;
  std::optional<TraceTimes> times_;
  TraceOffset offset_;
  DeadTraces dead_;
  std::unique_ptr<MadeTraces> made_;
  std::string picks_;  // a file; empty: none
  double every_s_ = 0.2;
  std::int64_t every_ = 1;  // samples
  double min_semblance_ = 0.3;
  mutable VelocityTable table_;
  mutable std::atomic<std::int64_t> left_out_{0};
};

}  // namespace

const OperationType& semblance() {
  static const OperationType type{
      .name = "semblance",
      .summary =
          "Computes panels of semblance: the similarity of the traces of a gather along the moveouts of several "
          "velocities",
      .formula =
          "S(t0, v) = sum over the gate of (sum x)^2 / sum over the gate of N sum x^2, x the N live samples at t = "
          "sqrt(t0^2 + offset^2 / v^2); 0 where N is 0",
      .example = "semblance from=1500m/s to=4000m/s step=50m/s gate=40ms by=cdp",
      .parameters = {{"from", "VELOCITY", "", "First trial velocity"},
                     {"to", "VELOCITY", "", "Last trial velocity"},
                     {"step", "VELOCITY", "", "Increment between trial velocities"},
                     {"gate", "TIME", "40ms", "Length of the gate, centred on t0"},
                     {"stretch", "SHARE", "none", "Omit samples for which t exceeds t0 by more than this share"},
                     {.name = "picks",
                      .form = "FILE.csv",
                      .default_value = "none",
                      .text = "Write the velocities of the largest semblances, as a first estimate, to this table, "
                              "which nmo can read",
                      .is_output = true},
                     {"every", "TIME", "200ms", "With picks: length of the intervals with one pick each"},
                     {"least", "SHARE", "30%", "With picks: lower limit of the semblance at a pick"},
                     NamedKeys::parameter()},
      .make = [](const Arguments& arguments) { return std::make_unique<Semblance>(arguments); }};
  return type;
}

}  // namespace sill::flow
