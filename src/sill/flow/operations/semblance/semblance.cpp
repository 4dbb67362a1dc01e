#include "sill/flow/operations/semblance/semblance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string>

#include "sill/base/processors.hpp"
#include "sill/base/units.hpp"
#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/sinc.hpp"
#include "sill/flow/operation/sliding_sum.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operation/velocity_table.hpp"
#include "sill/flow/operations/stack/made_traces.hpp"

namespace sill::flow {
namespace {

constexpr double max_velocities = 10'000.0;

// The moveout of a trace at a velocity. Times are in samples after time 0.
struct Moveout {
  double start;        // of the panel
  double trace_start;  // of the trace
  double squared;      // (offset / velocity)^2
  std::int64_t begin;  // of the samples of the panel that are used
  std::int64_t end;
};

// Computes the positions of the reflections of samples from `first` on in an upsampled trace of `size` values. The
// difference t - t0 = (offset / velocity)^2 / (t + t0) is computed as a float. Its error is at most 5e-7 of itself, as
// if the velocity were wrong by 5e-7. This takes half the time of a square root of doubles.
SILL_FOR_PROCESSORS void place_reflections(const Moveout& moveout, std::int64_t first, std::int32_t size,
                                           std::int32_t* at, float* parts, std::int64_t count) {
  constexpr auto per_sample = static_cast<std::int32_t>(SincInterpolation::upsampling);
  constexpr float above_zero = std::numeric_limits<float>::min();  // for t = 0
  const double t0_of_first = moveout.start + static_cast<double>(first);
  const double begin = (t0_of_first - moveout.trace_start + 1.0) * per_sample;  // the upsampled trace starts at -1
  const double whole = std::floor(begin);
  const auto at_begin = static_cast<std::int32_t>(whole);
  const auto part = static_cast<float>(begin - whole);
  const auto start = static_cast<float>(t0_of_first);
  const auto squared = static_cast<float>(moveout.squared);
  for (std::int32_t s = 0; s < static_cast<std::int32_t>(count); ++s) {
    const float t0 = start + static_cast<float>(s);
    const float later = per_sample * squared / (std::sqrt(t0 * t0 + squared) + t0 + above_zero) + part;
    const auto below = static_cast<std::int32_t>(later);
    // Rounding exceeds the limits only in traces of millions of samples.
    at[s] = std::min(std::max(at_begin + per_sample * s + below, 1), size - 3);
    parts[s] = later - static_cast<float>(below);
  }
}

// Several traces are added to the sums at once, in pieces of some samples.
constexpr std::int64_t traces_at_once = 4;
constexpr std::int64_t samples_at_once = 512;
using Rows = std::array<std::array<float, samples_at_once>, traces_at_once>;

SILL_FOR_PROCESSORS void add_rows(const Rows& rows, std::int64_t count, double* sums, double* squares) {
  for (std::size_t s = 0; s < static_cast<std::size_t>(count); ++s) {
    double sum = sums[s];
    double square = squares[s];
    for (std::size_t i = 0; i < traces_at_once; ++i) {
      const auto value = static_cast<double>(rows[i][s]);
      sum += value;
      square += value * value;
    }
    sums[s] = sum;
    squares[s] = square;
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
    access.can_stop = true;
    access.read_number(times_->delay());
    access.read_number(offset_.number());
    dead_.add_to(access);
    keys_.add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_.keys(); }

  void run(TraceBlock& block, Workspace& workspace) const override {
    const std::vector<std::int64_t> live = live_traces(block, dead_);
    left_out_.fetch_add(block.count() - std::ssize(live), std::memory_order_relaxed);
    const double start_s = live.empty() ? 0.0 : times_->start_s(block.header(live.front()).data());
    const std::int64_t size = Sums::size(samples_, half_gate_);
    workspace.a.assign(static_cast<std::size_t>(count_ * size), 0.0);
    const auto sums = [&](std::int64_t v) { return Sums(workspace.a.data() + v * size, samples_, half_gate_); };
    std::array<Trace, traces_at_once> traces;
    for (std::int64_t first = 0; first < std::ssize(live); first += traces_at_once) {
      const auto count = static_cast<std::size_t>(std::min(traces_at_once, std::ssize(live) - first));
      for (std::size_t i = 0; i < count; ++i) {
        const std::int64_t number = live[static_cast<std::size_t>(first) + i];
        SincInterpolation::upsample(block.trace(number), traces[i].upsampled, workspace.c);
        traces[i].offset_m = offset_.metres(block.header(number).data());
        traces[i].start_s = times_->start_s(block.header(number).data());
        require_near(traces[i], number);
        traces[i].live = live_samples(block.trace(number));
      }
      add(std::span(traces).first(count), start_s, sums);
    }
    std::vector<std::vector<float>> panel;
    std::vector<Peak> peaks(static_cast<std::size_t>((samples_ + every_ - 1) / every_));
    for (std::int64_t v = 0; v < count_; ++v) {
      panel.push_back(semblance_of(sums(v), workspace));
      if (!picks_.empty()) find_peaks(panel.back(), sums(v).fold, velocity(v), peaks);
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

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t /*traces*/) const override {
    constexpr auto moveouts_bytes = static_cast<std::int64_t>(traces_at_once * sizeof(Moveout));
    const std::int64_t per_velocity = (Sums::size(samples_, half_gate_) + samples_) * 8 + moveouts_bytes;
    return count_ * per_velocity + 64 * (samples_ + half_gate_ + 64) * 8;
  }

 private:
  struct Trace {
    std::vector<float> upsampled;
    double offset_m = 0.0;
    double start_s = 0.0;
    segy::SampleRange live;
  };

  // Positions are computed in 32 bits, in eighths of a sample.
  void require_near(const Trace& trace, std::int64_t number) const {
    constexpr double farthest = 1e8;  // samples
    const double farthest_s = std::max(std::abs(trace.start_s), trace.offset_m / from_);
    if (farthest_s / times_->interval_s() + static_cast<double>(samples_) < farthest) return;
    throw Error({.code = ErrorCode::input,
                 .problem = fmt::format("the delay, or the moveout, of the trace is more than {:g} samples", farthest),
                 .where = {.item = number + 1, .item_word = "trace"},
                 .action = "check its delay and offset"});
  }

  // The sums of a velocity over the traces, for each sample, with zeros for the gate before and after them. Until all
  // traces are added, `fold` has the differences from the previous sample.
  struct Sums {
    Sums(double* memory, std::int64_t samples, std::int64_t half_gate)
        : of_values(memory, static_cast<std::size_t>(samples + 2 * half_gate)),
          of_squares(of_values.data() + of_values.size(), of_values.size()),
          fold(of_squares.data() + of_squares.size(), static_cast<std::size_t>(samples + 1)) {}
    [[nodiscard]] static std::int64_t size(std::int64_t samples, std::int64_t half_gate) {
      return 3 * samples + 4 * half_gate + 1;
    }
    std::span<double> of_values;
    std::span<double> of_squares;
    std::span<double> fold;
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

  // Returns the semblance at the times of the first trace, and sets the fold.
  [[nodiscard]] std::vector<float> semblance_of(const Sums& sums, Workspace& workspace) const {
    const auto samples = static_cast<std::size_t>(samples_);
    std::partial_sum(sums.fold.begin(), sums.fold.end(), sums.fold.begin());
    double* const values = sums.of_values.data() + half_gate_;
    double* const squares = sums.of_squares.data() + half_gate_;
    for (std::size_t s = 0; s < samples; ++s) {
      values[s] *= values[s];
      squares[s] *= sums.fold[s];
    }
    workspace.b.resize(2 * samples);
    const auto coherent = std::span(workspace.b).first(samples);
    const auto all = std::span(workspace.b).last(samples);
    sliding_sum(sums.of_values, 2 * half_gate_ + 1, coherent, workspace.e);
    sliding_sum(sums.of_squares, 2 * half_gate_ + 1, all, workspace.e);
    std::vector<float> result(samples);
    for (std::size_t s = 0; s < samples; ++s)
      result[s] = all[s] == 0.0 ? 0.0F : static_cast<float>(coherent[s] / all[s]);
    return result;
  }

  // Adds traces to the sums of each velocity. A piece of the traces remains in the cache for all velocities.
  template <class SumsOf>
  void add(std::span<const Trace> traces, double start_s, const SumsOf& sums) const {
    std::vector<std::array<Moveout, traces_at_once>> moveouts(static_cast<std::size_t>(count_));
    for (std::int64_t v = 0; v < count_; ++v)
      for (std::size_t i = 0; i < traces.size(); ++i) {
        const Moveout& moveout = moveouts[static_cast<std::size_t>(v)][i] = moveout_of(traces[i], start_s, velocity(v));
        sums(v).fold[static_cast<std::size_t>(moveout.begin)] += 1.0;
        sums(v).fold[static_cast<std::size_t>(moveout.end)] -= 1.0;
      }
    Rows rows{};
    for (std::int64_t s = 0; s < samples_; s += samples_at_once) {
      const std::int64_t count = std::min(samples_at_once, samples_ - s);
      for (std::int64_t v = 0; v < count_; ++v) {
        for (std::size_t i = 0; i < traces.size(); ++i)
          interpolate(traces[i], moveouts[static_cast<std::size_t>(v)][i], s, rows[i]);
        const std::int64_t first = half_gate_ + s;
        add_rows(rows, count, sums(v).of_values.data() + first, sums(v).of_squares.data() + first);
      }
    }
  }

  // Interpolates the samples of the panel from sample `s` on; those that are not used are 0.
  static void interpolate(const Trace& trace, const Moveout& moveout, std::int64_t s, std::span<float> row) {
    const std::int64_t first = std::max(s, moveout.begin);
    const std::int64_t count = std::min(s + samples_at_once, moveout.end) - first;
    if (count < samples_at_once) std::ranges::fill(row, 0.0F);
    if (count <= 0) return;
    std::array<std::int32_t, samples_at_once> at;
    std::array<float, samples_at_once> parts;
    place_reflections(moveout, first, static_cast<std::int32_t>(trace.upsampled.size()), at.data(), parts.data(),
                      count);
    SincInterpolation::interpolate_upsampled(
        trace.upsampled, at, parts, row.subspan(static_cast<std::size_t>(first - s), static_cast<std::size_t>(count)));
  }

  // Only live samples with less than the maximum stretch are used. From t0 = 0, times increase with t0 and the stretch
  // decreases: the used samples form one range.
  [[nodiscard]] Moveout moveout_of(const Trace& trace, double start_s, double velocity) const {
    const double dt = times_->interval_s();
    const double seconds = trace.offset_m / velocity;
    Moveout moveout{start_s / dt, trace.start_s / dt, seconds / dt * (seconds / dt), 0, 0};
    const double first = std::max(0.0, moveout.trace_start + static_cast<double>(trace.live.first));
    const double last = moveout.trace_start + static_cast<double>(trace.live.first + trace.live.count - 1);
    const double limit = 1.0 + stretch_.value_or(std::numeric_limits<double>::infinity());
    // Returns the first sample of the panel that is not before t0 = sqrt(squared) + more.
    const auto sample_at = [&](double squared, double more) {
      const double sample = std::ceil(std::sqrt(std::max(squared, 0.0)) + more - moveout.start);
      return static_cast<std::int64_t>(std::clamp(sample, 0.0, static_cast<double>(samples_)));
    };
    constexpr double tolerance = 1e-6;
    const double begin = std::max(first * first - moveout.squared, moveout.squared / (limit * limit - 1.0));
    const double end = last * std::abs(last) - moveout.squared;
    moveout.begin = sample_at(begin, -tolerance);
    moveout.end = end < 0.0 ? moveout.begin : std::max(moveout.begin, sample_at(end, tolerance));
    return moveout;
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
