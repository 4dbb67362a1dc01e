#include "sill/flow/operations/fxdecon/fxdecon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>

#include "sill/base/processors.hpp"
#include "sill/base/whole_number.hpp"
#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/operation/lanes/lane_rows.hpp"
#include "sill/flow/operation/lanes/spectrum_table.hpp"
#include "sill/flow/operation/live_samples.hpp"
#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/overlapping_windows.hpp"
#include "sill/flow/operation/toeplitz.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

using Complex = SpectrumTable::Complex;

// Number of frequencies that are processed at once.
constexpr std::int64_t side_by_side = 8;
struct Row {
  std::array<double, side_by_side> re;
  std::array<double, side_by_side> im;
};

// Computes lags[k] = sum over x of s(x) conj(s(x - k)).
SILL_FOR_PROCESSORS void find_lags(const Row* s, std::size_t traces, Row* lags, std::size_t count) {
  for (std::size_t k = 0; k < count; ++k) {
    Row sum{};
    for (std::size_t x = k; x < traces; ++x) {
      const Row& a = s[x];
      const Row& b = s[x - k];
      for (std::size_t f = 0; f < std::size_t{side_by_side}; ++f) {
        sum.re[f] += a.re[f] * b.re[f] + a.im[f] * b.im[f];
        sum.im[f] += a.im[f] * b.re[f] - a.re[f] * b.im[f];
      }
    }
    lags[k] = sum;
  }
}

// Replaces s(x) by the mean of the forward and backward predictions, or, at the ends, by the prediction from one side.
SILL_FOR_PROCESSORS void predict_rows(const Row* s, std::size_t traces, const Row* filter, std::size_t length,
                                      Row* out) {
  for (std::size_t x = 0; x < traces; ++x) {
    Row sum{};
    const bool has_before = x >= length;
    const bool has_behind = x + length < traces;
    for (std::size_t k = 0; has_before && k < length; ++k) {
      const Row& a = filter[k];
      const Row& b = s[x - 1 - k];
      for (std::size_t f = 0; f < std::size_t{side_by_side}; ++f) {
        sum.re[f] += a.re[f] * b.re[f] - a.im[f] * b.im[f];
        sum.im[f] += a.re[f] * b.im[f] + a.im[f] * b.re[f];
      }
    }
    for (std::size_t k = 0; has_behind && k < length; ++k) {
      const Row& a = filter[k];
      const Row& b = s[x + 1 + k];
      for (std::size_t f = 0; f < std::size_t{side_by_side}; ++f) {
        sum.re[f] += a.re[f] * b.re[f] + a.im[f] * b.im[f];
        sum.im[f] += a.re[f] * b.im[f] - a.im[f] * b.re[f];
      }
    }
    const double share = has_before && has_behind ? 0.5 : 1.0;
    for (std::size_t f = 0; f < std::size_t{side_by_side}; ++f) {
      out[x].re[f] = sum.re[f] * share;
      out[x].im[f] = sum.im[f] * share;
    }
  }
}

class FxDecon final : public Operation {
 public:
  explicit FxDecon(const Arguments& arguments) : step_(arguments.step()), keys_(arguments) {
    constexpr std::int64_t max = 1000;
    length_ = arguments.integer("length", 1, max).value_or(4);
    traces_ = arguments.integer("traces", 2, 100 * max).value_or(20);
    window_s_ = arguments.quantity("window", Dimension::time).value_or(0.5);
    white_ = arguments.quantity("white", Dimension::share).value_or(0.01);
    if (!(white_ > 0.0)) arguments.refuse("white", "the white noise is a share of the power, and must be above 0%");
    if (traces_ <= 2 * length_)
      arguments.refuse(arguments.has("traces") ? "traces" : "length",
                       fmt::format("windows of {} traces are too short for a filter of length {}", traces_, length_),
                       "use more than twice as many traces as the filter is long");
    highest_hz_ = arguments.quantity("highest", Dimension::frequency);
    if (highest_hz_ && !(*highest_hz_ > 0.0)) arguments.refuse("highest", "the highest frequency must be above 0 Hz");
  }

  void bind(SurveyState& state) override {
    keys_.bind(state);
    dead_.bind(state);
    times_.emplace(state, "fxdecon");
    interval_s_ = times_->interval_s();
    const std::optional<std::int64_t> window = nearest_integer(window_s_ / interval_s_);
    if (!window || *window < 4)
      Arguments(step_).refuse("window", fmt::format("{:g} ms is less than 4 samples of {:g} ms", window_s_ * ms_per_s,
                                                    interval_s_ * ms_per_s));
    window_samples_ = std::min(*window, state.samples);
    samples_ = state.samples;
    fft_.emplace(RealFft::fast_length(window_samples_));
    state.sort_keys = keys_.keys();
  }

  [[nodiscard]] Access access() const override {
    Access access{.scope = Scope::gather, .reads_samples = true, .writes_samples = true};
    access.read_number(times_->delay());
    dead_.add_to(access);
    keys_.add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_.keys(); }

  void run(TraceBlock& block, Workspace& workspace) const override {
    const std::int64_t count = block.count();
    if (count <= 2 * length_) return;  // too few to predict from
    require_one_start(block, live_traces(block, dead_), *times_);
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
  // Predicts the traces of a window from each other.
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
    memory.series.resize(predicted.size());
    memory.predicted.resize(predicted.size());
    for (std::int64_t k = 0; k < fft_->frequencies(); k += side_by_side) {
      const auto count = std::min(side_by_side, fft_->frequencies() - k);
      for (std::size_t x = 0; x < predicted.size(); ++x) memory.series[x] = {};
      for (std::int64_t f = 0; f < count; ++f) {
        const bool is_left_out = highest_hz_ && static_cast<double>(k + f) * step_hz > *highest_hz_;
        for (std::size_t x = 0; !is_left_out && x < predicted.size(); ++x)
          set(memory.series[x], static_cast<std::size_t>(f), spectra.at(k + f)[x]);
      }
      predict(memory);
      for (std::int64_t f = 0; f < count; ++f)
        for (std::size_t x = 0; x < predicted.size(); ++x)
          spectra.at(k + f)[x] = at(memory.predicted[x], static_cast<std::size_t>(f));
    }
    spectra.give(out, window_samples_, workspace);
  }

  struct Memory {
    std::vector<Row> series;
    std::vector<Row> predicted;
    std::vector<Row> lags;
    std::vector<Row> filters;
    std::vector<Complex> column;
    std::vector<Complex> filter;
    std::vector<Complex> recursion;
  };

  [[nodiscard]] static Complex at(const Row& row, std::size_t f) { return {row.re[f], row.im[f]}; }
  static void set(Row& row, std::size_t f, Complex value) {
    row.re[f] = value.real();
    row.im[f] = value.imag();
  }

  // Frequencies without power are not predicted.
  void predict(Memory& memory) const {
    const auto length = static_cast<std::size_t>(length_);
    memory.lags.resize(length + 1);
    memory.filters.assign(length, {});
    find_lags(memory.series.data(), memory.series.size(), memory.lags.data(), memory.lags.size());
    for (std::size_t f = 0; f < std::size_t{side_by_side}; ++f) {
      if (!(memory.lags[0].re[f] > 0.0)) continue;
      memory.column.clear();
      memory.filter.clear();
      for (std::size_t k = 0; k < length; ++k) {
        memory.column.push_back(at(memory.lags[k], f));
        memory.filter.push_back(at(memory.lags[k + 1], f));
      }
      memory.column[0] *= 1.0 + white_;
      solve_toeplitz<Complex>(memory.column, memory.filter, memory.recursion);
      for (std::size_t k = 0; k < length; ++k) set(memory.filters[k], f, memory.filter[k]);
    }
    predict_rows(memory.series.data(), memory.series.size(), memory.filters.data(), length, memory.predicted.data());
  }

  Step step_;
  NamedKeys keys_;
  std::int64_t length_ = 4;
  std::int64_t traces_ = 20;
  double window_s_ = 0.5;
  double white_ = 0.01;
  std::optional<double> highest_hz_;
  DeadTraces dead_;
  std::optional<TraceTimes> times_;
  double interval_s_ = 1.0;
  std::int64_t samples_ = 0;
  std::int64_t window_samples_ = 0;
  std::optional<RealFft> fft_;
};

}  // namespace

const OperationType& fxdecon() {
  static const OperationType type{
      .name = "fxdecon",
      .summary = "Removes random noise: keeps the signal that can be predicted from trace to trace at each frequency",
      .formula =
          "s(f, x) becomes the mean of sum over k of a(k) s(x - k) and sum over k of conj(a(k)) s(x + k), k = 1 to "
          "length; "
          "(R + white r(0) I) a = r, r(k) the sum over x of s(x) conj(s(x - k)); in windows that overlap by half",
      .example = "fxdecon length=4 traces=20 window=500ms by=cdp",
      .parameters = {{"length", "N", "4",
                      "Length of the filters in traces: the number of dips that occur at the same time"},
                     {"traces", "N", "20", "Traces per window"},
                     {"window", "TIME", "500ms", "Length of a window in time"},
                     {"white", "SHARE", "1%", "White noise added to the power"},
                     {"highest", "FREQUENCY", "Nyquist", "Remove frequencies above this one"},
                     {"by", "KEY,KEY...", "the first key of the preceding sort in the flow; required if there is none",
                      "Keys that all traces of a gather share; the traces must be evenly spaced"}},
      .make = [](const Arguments& arguments) { return std::make_unique<FxDecon>(arguments); }};
  return type;
}

}  // namespace sill::flow
