#include "sill/flow/operations/fxdecon/fxdecon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "sill/base/whole_number.hpp"
#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/operation/lanes/lane_rows.hpp"
#include "sill/flow/operation/lanes/spectrum_table.hpp"
#include "sill/flow/operation/live_samples.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/overlapping_windows.hpp"
#include "sill/flow/operation/toeplitz.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

using Complex = SpectrumTable::Complex;

class FxDecon final : public Operation {
 public:
  explicit FxDecon(const Arguments& arguments) : step_(arguments.step()), keys_(arguments) {
    constexpr std::int64_t most = 1000;
    length_ = arguments.integer("length", 1, most).value_or(4);
    traces_ = arguments.integer("traces", 2, 100 * most).value_or(20);
    window_s_ = arguments.quantity("window", Dimension::time).value_or(0.5);
    white_ = arguments.quantity("white", Dimension::share).value_or(0.01);
    if (!(white_ > 0.0)) arguments.refuse("white", "the white noise is a share of the power above 0%");
    if (traces_ <= 2 * length_)
      arguments.refuse(arguments.has("traces") ? "traces" : "length",
                       fmt::format("windows of {} traces are too short for a filter of {}", traces_, length_),
                       "take more than twice as many traces as the filter is long");
    highest_hz_ = arguments.quantity("highest", Dimension::frequency);
    if (highest_hz_ && !(*highest_hz_ > 0.0)) arguments.refuse("highest", "the highest frequency is above 0 Hz");
  }

  void bind(SurveyState& state) override {
    keys_.bind(state);
    dead_.bind(state);
    interval_s_ = TraceTimes(state, "fxdecon").interval_s();
    const std::optional<std::int64_t> window = nearest_integer(window_s_ / interval_s_);
    if (!window || *window < 4)
      Arguments(step_).refuse("window", fmt::format("{:g} ms are fewer than 4 samples of {:g} ms", window_s_ * ms_per_s,
                                                    interval_s_ * ms_per_s));
    window_samples_ = std::min(*window, state.samples);
    samples_ = state.samples;
    fft_.emplace(RealFft::fast_length(window_samples_));
    state.sort_keys = keys_.keys();
  }

  [[nodiscard]] Access access() const override {
    Access access{.scope = Scope::gather, .reads_samples = true, .writes_samples = true};
    dead_.add_to(access);
    keys_.add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_.keys(); }

  void run(TraceBlock& block, Workspace& workspace) const override {
    const std::int64_t count = block.count();
    if (count <= 2 * length_) return;  // too few to predict from
    const std::int64_t in_window = std::min(traces_, count);
    WindowSums sums(count, samples_);
    std::vector<std::vector<float>> predicted(static_cast<std::size_t>(in_window),
                                              std::vector<float>(static_cast<std::size_t>(window_samples_)));
    for (const std::int64_t trace : window_starts(count, in_window))
      for (const std::int64_t sample : window_starts(samples_, window_samples_)) {
        predict(block, trace, sample, predicted, workspace);
        sums.add(trace, sample, predicted);
      }
    for (std::int64_t i = 0; i < count; ++i) {
      const segy::SampleRange live = live_samples(block.trace(i));
      if (live.count == 0 || dead_.contains(block.header(i).data())) continue;
      const std::span<float> trace = block.change(i);
      sums.give(i, trace);
      mute_again(trace, live);
    }
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override {
    return 16 * traces * samples_ + std::min(traces, traces_) * (4 * window_samples_ + 16 * fft_->rows()) +
           2 * bytes_of_lane_rows(fft_->rows());
  }

 private:
  // What of a window is predicted by its traces.
  void predict(TraceBlock& block, std::int64_t first_trace, std::int64_t first_sample,
               std::span<std::vector<float>> predicted, Workspace& workspace) const {
    std::vector<const float*> in;
    std::vector<float*> out;
    for (std::size_t i = 0; i < predicted.size(); ++i) {
      in.push_back(block.trace(first_trace + static_cast<std::int64_t>(i)).data() + first_sample);
      out.push_back(predicted[i].data());
    }
    SpectrumTable spectra(*fft_, in.size());
    spectra.take(in, window_samples_, workspace);
    const double step_hz = 1.0 / (interval_s_ * static_cast<double>(fft_->length()));
    Memory memory;
    for (std::int64_t k = 0; k < fft_->frequencies(); ++k) {
      const bool is_left_out = highest_hz_ && static_cast<double>(k) * step_hz > *highest_hz_;
      if (is_left_out)
        std::ranges::fill(spectra.at(k), Complex{});
      else
        predict(spectra.at(k), memory);
    }
    spectra.give(out, window_samples_, workspace);
  }

  struct Memory {
    std::vector<Complex> lags;
    std::vector<Complex> filter;
    std::vector<Complex> predicted;
    std::vector<Complex> recursion;
  };

  // s(x) becomes the mean of what the traces before it and those behind it predict, or, at the ends, that of one side.
  void predict(std::span<Complex> s, Memory& memory) const {
    const auto length = static_cast<std::size_t>(length_);
    memory.lags.assign(length + 1, {});
    for (std::size_t lag = 0; lag <= length; ++lag)
      for (std::size_t x = lag; x < s.size(); ++x) memory.lags[lag] += product(s[x], std::conj(s[x - lag]));
    if (!(memory.lags[0].real() > 0.0)) return;
    memory.filter.assign(memory.lags.begin() + 1, memory.lags.end());
    memory.lags[0] *= 1.0 + white_;
    solve_toeplitz<Complex>(std::span(memory.lags).first(length), memory.filter, memory.recursion);
    memory.predicted.assign(s.size(), {});
    for (std::size_t x = 0; x < s.size(); ++x) {
      Complex sum;
      double sides = 0.0;
      if (x >= length) {
        for (std::size_t k = 0; k < length; ++k) sum += product(memory.filter[k], s[x - 1 - k]);
        ++sides;
      }
      if (x + length < s.size()) {
        for (std::size_t k = 0; k < length; ++k) sum += product(std::conj(memory.filter[k]), s[x + 1 + k]);
        ++sides;
      }
      memory.predicted[x] = sum / sides;
    }
    std::ranges::copy(memory.predicted, s.begin());
  }

  Step step_;
  NamedKeys keys_;
  std::int64_t length_ = 4;
  std::int64_t traces_ = 20;
  double window_s_ = 0.5;
  double white_ = 0.01;
  std::optional<double> highest_hz_;
  DeadTraces dead_;
  double interval_s_ = 1.0;
  std::int64_t samples_ = 0;
  std::int64_t window_samples_ = 0;
  std::optional<RealFft> fft_;
};

}  // namespace

const OperationType& fxdecon() {
  static const OperationType type{
      .name = "fxdecon",
      .summary = "Removes random noise: keeps what is predicted from trace to trace, frequency by frequency",
      .formula =
          "s(f, x) becomes the mean of sum over k of a(k) s(x - k) and sum over k of conj(a(k)) s(x + k), k = 1 to "
          "length; "
          "(R + white r(0) I) a = r, r(k) the sum over x of s(x) conj(s(x - k)); in windows that overlap by half",
      .example = "fxdecon length=4 traces=20 window=500ms by=cdp",
      .parameters = {{"length", "N", "4", "of the filters, in traces: as many dips as there are at once"},
                     {"traces", "N", "20", "of a window"},
                     {"window", "TIME", "500ms", "length of a window in time"},
                     {"white", "SHARE", "1%", "white noise that is added to the power"},
                     {"highest", "FREQUENCY", "Nyquist", "frequencies above it are removed"},
                     {"by", "KEY,KEY...", "the first key of the last sort",
                      "what the traces of a gather, which are evenly spaced, have in common"}},
      .make = [](const Arguments& arguments) { return std::make_unique<FxDecon>(arguments); }};
  return type;
}

}  // namespace sill::flow
