#include "sill/flow/operations/radon/radon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "sill/base/error.hpp"
#include "sill/flow/operation/lanes/lane_rows.hpp"
#include "sill/flow/operation/lanes/spectrum_table.hpp"
#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operations/radon/panel.hpp"
#include "sill/flow/operations/radon/radon_transform.hpp"
#include "sill/flow/operations/stack/made_traces.hpp"

namespace sill::flow {
namespace {

using Complex = RadonTransform::Complex;

constexpr std::int64_t max_traces_made = 100'000;

enum class Direction : std::uint8_t { forward, inverse, demultiple };

class Radon final : public Operation {
 public:
  explicit Radon(const Arguments& arguments) : keys_(arguments) {
    static constexpr std::array<std::string_view, 2> curves{"parabolic", "linear"};
    (void)arguments.required_text("curve");
    is_parabolic_ = arguments.choice("curve", curves) == 0;
    moveouts_.from_s = arguments.required("from", Dimension::time);
    moveouts_.step_s = arguments.required("step", Dimension::time);
    const double to_s = arguments.required("to", Dimension::time);
    if (!(moveouts_.step_s > 0.0)) arguments.refuse("step", "the step of the moveouts must be above 0");
    if (!(to_s >= moveouts_.from_s)) arguments.refuse("to", "the last moveout is below the first");
    constexpr double tolerance = 1e-6;
    const double steps = std::floor((to_s - moveouts_.from_s) / moveouts_.step_s + tolerance);
    if (steps >= static_cast<double>(max_traces_made))
      arguments.refuse("step", fmt::format("there are more than {} moveouts", max_traces_made));
    moveouts_.count = static_cast<std::int64_t>(steps) + 1;
    reference_m_ = arguments.required("reference", Dimension::length);
    if (!(reference_m_ > 0.0)) arguments.refuse("reference", "the offset of the moveouts must be above 0");
    lambda_ = arguments.quantity("lambda", Dimension::number).value_or(0.01);
    if (!(lambda_ > 0.0)) arguments.refuse("lambda", "the damping must be above 0");
    is_highres_ = arguments.flag("highres");
    highest_hz_ = arguments.quantity("highest", Dimension::frequency);
    if (highest_hz_ && !(*highest_hz_ > 0.0)) arguments.refuse("highest", "the highest frequency must be above 0 Hz");
    arguments.require_with("offsets=", "inverse");
    if (arguments.flag("inverse")) {
      direction_ = Direction::inverse;
      offsets_m_ = arguments.series("offsets", Dimension::length, max_traces_made);
      for (const char* key : {"demultiple", "highres", "lambda"})
        if (arguments.has(key))
          arguments.refuse(key, "this option does not apply to an inverse, which only sums the model");
    } else if (const auto from = arguments.quantity("demultiple", Dimension::time)) {
      direction_ = Direction::demultiple;
      const double first = std::ceil((*from - moveouts_.from_s) / moveouts_.step_s - tolerance);
      if (!(first > 0.0) || first >= static_cast<double>(moveouts_.count))
        arguments.refuse("demultiple", "the multiples must begin within the moveouts, above the first",
                         "the model also needs the moveouts of primaries");
      first_multiple_ = static_cast<std::int64_t>(first);
    }
  }

  void bind(SurveyState& state) override {
    keys_.bind(state);
    times_.emplace(state, "radon");
    offset_.bind(state);
    dead_.bind(state);
    unit_m_ = length_unit_m(state);
    samples_ = state.samples;
    header_bytes_ = state.header_bytes;
    made_ = std::make_unique<MadeTraces>(state, keys_.keys());
    const double nyquist_hz = 0.5 / times_->interval_s();
    highest_hz_ = std::min(highest_hz_.value_or(nyquist_hz), nyquist_hz);
    state.has_parabolic_panels = direction_ == Direction::forward && is_parabolic_;
    state.sort_keys = makes_traces() ? std::vector<segy::TraceKey>{} : keys_.keys();
  }

  [[nodiscard]] Access access() const override {
    Access access =
        makes_traces()
            ? Access::of_made_traces(traces_made(), header_bytes_)
            : Access{.scope = Scope::gather, .reads_samples = true, .writes_samples = true, .can_stop = true};
    access.moves_samples = makes_traces();
    access.read_number(times_->delay());
    keys_.add_to(access);
    dead_.add_to(access);
    if (direction_ != Direction::inverse) access.read_number(offset_.number());
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_.keys(); }

  void run(TraceBlock& block, Workspace& workspace) const override {
    const std::vector<std::int64_t> live = counted_live(block);
    require_one_start(block, live, *times_);
    switch (direction_) {
      case Direction::forward: return to_model(block, live, workspace);
      case Direction::inverse: return to_data(block, workspace);
      case Direction::demultiple: return without_multiples(block, live, workspace);
    }
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    auto counts = makes_traces() ? made_->counts() : std::vector<std::pair<std::string, std::int64_t>>{};
    counts.emplace_back("dead or auxiliary traces omitted from the model", left_out_.load());
    counts.emplace_back("gathers whose step of moveouts is wide enough to alias the highest frequency",
                        aliased_.load());
    return counts;
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override {
    // Assumes gathers with offsets up to twice the reference offset.
    const auto moved = static_cast<std::int64_t>(2.0 * farthest_s() / times_->interval_s());
    const std::int64_t rows = RealFft::fast_length(samples_ + std::min(moved, 8 * samples_)) + 2;
    const std::int64_t matrix = std::min(traces, moveouts_.count);
    return (traces + traces_made()) * rows * 8 + 2 * bytes_of_lane_rows(rows) +
           16 * (traces * moveouts_.count + (is_highres_ ? matrix * matrix : 0) + 4 * moveouts_.count);
  }

 private:
  [[nodiscard]] bool makes_traces() const { return direction_ != Direction::demultiple; }
  [[nodiscard]] std::int64_t traces_made() const {
    return direction_ == Direction::inverse ? std::ssize(offsets_m_) : moveouts_.count;
  }
  [[nodiscard]] double curve_of(double offset_m) const {
    const double x = offset_m / reference_m_;
    return is_parabolic_ ? x * x : x;
  }

  [[nodiscard]] std::vector<std::int64_t> counted_live(TraceBlock& block) const {
    std::vector<std::int64_t> live = live_traces(block, dead_);
    left_out_.fetch_add(block.count() - std::ssize(live), std::memory_order_relaxed);
    return live;
  }

  [[nodiscard]] std::vector<double> curves_of(TraceBlock& block, std::span<const std::int64_t> traces) const {
    std::vector<double> curves;
    for (const std::int64_t i : traces) curves.push_back(curve_of(offset_.metres(block.header(i).data())));
    for (std::size_t n = 0; n < curves.size(); ++n)
      if (farthest_s() * curves[n] > longest_shift * times_->interval_s() * static_cast<double>(samples_))
        throw Error({.code = ErrorCode::input,
                     .problem = fmt::format("at the offset of the trace, moveouts are more than {:g} times as long as "
                                            "traces",
                                            longest_shift),
                     .where = {.item = traces[n] + 1, .item_word = "trace"},
                     .action = "check the offset (bytes 37-40) and reference="});
    const auto [nearest, farthest] = std::ranges::minmax(curves);
    if (moveouts_.step_s * *highest_hz_ * (farthest - nearest) > 1.0) aliased_.fetch_add(1, std::memory_order_relaxed);
    return curves;
  }

  [[nodiscard]] double farthest_s() const {
    return std::max(std::abs(moveouts_.from_s), std::abs(moveouts_.at(moveouts_.count - 1)));
  }

  // Returns a transform with zeros after the traces for samples that are moved beyond their ends.
  [[nodiscard]] RealFft fft_for(std::span<const double> curves) const {
    const double farthest = *std::ranges::max_element(curves) * farthest_s() / times_->interval_s();
    return RealFft(RealFft::fast_length(samples_ + static_cast<std::int64_t>(std::ceil(farthest)) + 1));
  }

  // Calls `work(k, f)` for the frequencies from 0 to the highest requested one.
  template <class Work>
  void for_each_frequency(const RealFft& fft, const Work& work) const {
    const double step_hz = 1.0 / (times_->interval_s() * static_cast<double>(fft.length()));
    constexpr double tolerance = 1e-9;
    for (std::int64_t k = 0; k < fft.frequencies(); ++k) {
      const double frequency_hz = static_cast<double>(k) * step_hz;
      if (frequency_hz > *highest_hz_ * (1.0 + tolerance)) break;
      work(k, frequency_hz);
    }
  }

  static std::vector<const float*> samples_of(TraceBlock& block, std::span<const std::int64_t> traces) {
    std::vector<const float*> all;
    for (const std::int64_t i : traces) all.push_back(block.trace(i).data());
    return all;
  }

  [[nodiscard]] RadonTransform transform_of(std::vector<double> curves) const {
    constexpr int reweightings = 5;
    return {std::move(curves), moveouts_, lambda_, is_highres_ ? reweightings : 0};
  }

  void to_model(TraceBlock& block, std::span<const std::int64_t> live, Workspace& workspace) const {
    std::vector<std::vector<float>> made(static_cast<std::size_t>(moveouts_.count),
                                         std::vector<float>(static_cast<std::size_t>(samples_)));
    if (!live.empty()) {
      const std::vector<double> curves = curves_of(block, live);
      const RealFft fft = fft_for(curves);
      SpectrumTable data(fft, live.size());
      data.take(samples_of(block, live), samples_, workspace);
      SpectrumTable model(fft, made.size());
      const RadonTransform transform = transform_of(curves);
      RadonTransform::Scratch scratch;
      for_each_frequency(fft,
                         [&](std::int64_t k, double hz) { transform.model(hz, data.at(k), model.at(k), scratch); });
      std::vector<float*> rows;
      for (std::vector<float>& trace : made) rows.push_back(trace.data());
      model.give(rows, samples_, workspace);
    }
    made_->put(block, live, made, [&](std::int64_t j) { return moveouts_.at(j) * ms_per_s; });
  }

  void to_data(TraceBlock& block, Workspace& workspace) const {
    std::vector<double> moveouts_s;
    for (std::int64_t j = 0; j < moveouts_.count; ++j) moveouts_s.push_back(moveouts_.at(j));
    require_panel(block, offset_.word(), moveouts_s);
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < block.count(); ++i) all.push_back(i);
    std::vector<double> curves;
    for (const double offset_m : offsets_m_) curves.push_back(curve_of(offset_m));
    const RealFft fft = fft_for(curves);
    SpectrumTable model(fft, all.size());
    model.take(samples_of(block, all), samples_, workspace);
    SpectrumTable data(fft, curves.size());
    const RadonTransform transform = transform_of(curves);
    RadonTransform::Scratch scratch;
    for_each_frequency(fft,
                       [&](std::int64_t k, double hz) { transform.data(hz, model.at(k), 0, data.at(k), scratch); });
    std::vector<std::vector<float>> made(offsets_m_.size(), std::vector<float>(static_cast<std::size_t>(samples_)));
    std::vector<float*> rows;
    for (std::vector<float>& trace : made) rows.push_back(trace.data());
    data.give(rows, samples_, workspace);
    const std::vector<std::int64_t> live = counted_live(block);
    made_->put(block, live, made, [&](std::int64_t j) { return offsets_m_[static_cast<std::size_t>(j)] / unit_m_; });
  }

  void without_multiples(TraceBlock& block, std::span<const std::int64_t> live, Workspace& workspace) const {
    if (live.empty()) return;
    const std::vector<double> curves = curves_of(block, live);
    const RealFft fft = fft_for(curves);
    SpectrumTable data(fft, live.size());
    data.take(samples_of(block, live), samples_, workspace);
    const RadonTransform transform = transform_of(curves);
    RadonTransform::Scratch scratch;
    std::vector<Complex> model(static_cast<std::size_t>(moveouts_.count));
    SpectrumTable multiples(fft, live.size());
    for_each_frequency(fft, [&](std::int64_t k, double hz) {
      transform.model(hz, data.at(k), model, scratch);
      transform.data(hz, model, first_multiple_, multiples.at(k), scratch);
    });
    std::vector<std::vector<float>> found(live.size(), std::vector<float>(static_cast<std::size_t>(samples_)));
    std::vector<float*> rows;
    for (std::vector<float>& trace : found) rows.push_back(trace.data());
    multiples.give(rows, samples_, workspace);
    for (std::size_t n = 0; n < live.size(); ++n) {
      const segy::SampleRange range = live_samples(block.trace(live[n]));
      const std::span<float> trace = block.change(live[n]);
      for (std::int64_t s = 0; s < samples_; ++s)
        trace[static_cast<std::size_t>(s)] -= found[n][static_cast<std::size_t>(s)];
      mute_again(trace, range);
    }
  }

  static constexpr double longest_shift = 8.0;

  NamedKeys keys_;
  bool is_parabolic_ = true;
  bool is_highres_ = false;
  Direction direction_ = Direction::forward;
  RadonTransform::Moveouts moveouts_;
  double reference_m_ = 1.0;
  double lambda_ = 0.01;
  std::optional<double> highest_hz_;
  std::vector<double> offsets_m_;
  std::int64_t first_multiple_ = 0;
  std::optional<TraceTimes> times_;
  TraceOffset offset_;
  DeadTraces dead_;
  std::unique_ptr<MadeTraces> made_;
  double unit_m_ = 1.0;
  std::int64_t samples_ = 0;
  std::int64_t header_bytes_ = segy::trace_header_bytes;
  mutable std::atomic<std::int64_t> left_out_{0};
  mutable std::atomic<std::int64_t> aliased_{0};
};

}  // namespace

const OperationType& radon() {
  static const OperationType type{
      .name = "radon",
      .summary =
          "Applies the Radon transform to gathers: sums along lines or parabolas, its inverse, or removal of multiples",
      .formula =
          "d(f, x) = sum over q of exp(-2 pi i f q phi(x)) m(f, q), phi = (x / reference)^2 or x / reference; m solves "
          "(L^H L + lambda N I) m = L^H d; highres: damped by lambda N mean(w) / w, w = 1 + |m|^2 / sigma^2, 5 times",
      .example = "radon parabolic from=-50ms to=400ms step=5ms reference=3km by=cdp demultiple=60ms",
      .positionals = {"curve"},
      .parameters = {{"curve", "parabolic | linear", "", "Increase of moveouts with the offset"},
                     {"from", "TIME", "", "First moveout q, at the reference offset"},
                     {"to", "TIME", "", "Last moveout"},
                     {"step", "TIME", "", "Increment between moveouts"},
                     {"reference", "LENGTH", "", "Offset at which the moveouts are given"},
                     NamedKeys::parameter(),
                     {"demultiple", "TIME", "none",
                      "Subtract the model at this and larger moveouts from the traces, which are then the output"},
                     {"inverse", "", "no", "Compute traces from a model, instead of a model from traces", true},
                     {"offsets", "LENGTH:LENGTH:LENGTH", "none",
                      "With inverse: first offset, last and step of the output traces"},
                     {"highres", "", "no", "Compute a sparse model, by five reweightings", true},
                     {"lambda", "NUMBER", "0.01", "Damping, as a share of the number of traces"},
                     {"highest", "FREQUENCY", "Nyquist", "Omit frequencies above this one from the model"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Radon>(arguments); }};
  return type;
}

}  // namespace sill::flow
