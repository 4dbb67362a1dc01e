#include "sill/flow/operations/decon/decon.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>

#include "sill/base/whole_number.hpp"
#include "sill/flow/operation/lanes/spectral_filter.hpp"
#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/toeplitz.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

class Decon final : public Operation {
 public:
  explicit Decon(const Arguments& arguments) : step_(arguments.step()) {
    static constexpr std::array<std::string_view, 2> averages{"trace", "gather"};
    gap_s_ = arguments.quantity("gap", Dimension::time);
    length_s_ = arguments.required("length", Dimension::time);
    white_ = arguments.quantity("white", Dimension::share).value_or(0.001);
    if (white_ < 0.0) arguments.refuse("white", "the white noise is a share of the power, and must be 0% or more");
    window_ = arguments.time_window("window");
    if (arguments.choice("average", averages) == 1) keys_.emplace(arguments);
    arguments.require_with("by=", "average=gather");
  }

  void bind(SurveyState& state) override {
    times_.emplace(state, "decon");
    dead_.bind(state);
    if (keys_) {
      keys_->bind(state);
      state.sort_keys = keys_->keys();
    }
    samples_ = state.samples;
    const auto in_samples = [&](const char* key, double time_s) {
      const std::optional<std::int64_t> samples = nearest_integer(time_s / times_->interval_s());
      if (!samples || *samples < 1 || *samples > max_operator)
        Arguments(step_).refuse(key, fmt::format("{:g} ms is not in the range from 1 to {} samples of {:g} ms",
                                                 time_s * ms_per_s, max_operator, times_->interval_s() * ms_per_s));
      return *samples;
    };
    gap_ = gap_s_ ? in_samples("gap", *gap_s_) : 1;
    length_ = in_samples("length", length_s_);
    fft_.emplace(RealFft::fast_length(samples_ + gap_ + length_));
  }

  [[nodiscard]] Access access() const override {
    Access access{.scope = keys_ ? Scope::gather : Scope::trace, .reads_samples = true, .writes_samples = true};
    if (window_) access.read_number(times_->delay());
    dead_.add_to(access);
    if (keys_) keys_->add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override {
    return keys_ ? keys_->keys() : std::vector<segy::TraceKey>{};
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    const std::vector<std::int64_t> live = live_traces(block, dead_);
    std::vector<double> sum(static_cast<std::size_t>(gap_ + length_));
    std::vector<std::vector<double>> filters;
    for_each_lanes(live, [&](std::span<const std::int64_t> traces) {
      for (std::vector<double>& lags : autocorrelations(block, traces, workspace)) {
        if (keys_)
          std::ranges::transform(sum, lags, sum.begin(), std::plus<>());
        else
          filters.push_back(filter_of(lags));
      }
    });
    if (keys_) filters.assign(live.size(), filter_of(sum));
    std::size_t first = 0;
    for_each_lanes(live, [&](std::span<const std::int64_t> traces) {
      apply(block, traces, std::span(filters).subspan(first, traces.size()), workspace);
      first += traces.size();
    });
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    return {{keys_ ? "traces without a sample in the window did not contribute to the filter"
                   : "traces remained unchanged, because no sample is in the window",
             outside_.load()}};
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override {
    return 3 * bytes_of_lane_rows(fft_->rows()) + (traces + lane_count) * (gap_ + 2 * length_) * 8 +
           lane_count * samples_ * 4;
  }

 private:
  template <class Work>
  static void for_each_lanes(std::span<const std::int64_t> traces, const Work& work) {
    for (std::size_t first = 0; first < traces.size(); first += lane_count)
      work(traces.subspan(first, std::min<std::size_t>(lane_count, traces.size() - first)));
  }

  // Returns r(0), r(1), ... of each trace in the design window, up to the last lag that the equations need.
  [[nodiscard]] std::vector<std::vector<double>> autocorrelations(TraceBlock& block,
                                                                  std::span<const std::int64_t> traces,
                                                                  Workspace& workspace) const {
    std::array<std::vector<float>, lane_count> windows;
    std::array<const float*, lane_count> series{};
    for (std::size_t k = 0; k < traces.size(); ++k) {
      const std::span<const float> trace = block.trace(traces[k]);
      series[k] = trace.data();
      if (!window_) continue;
      const segy::SampleRange range = segy::samples_in(*window_, times_->start_s(block.header(traces[k]).data()) * 1e6,
                                                       times_->interval_s() * 1e6, samples_);
      if (range.count == 0) block.count(outside_, traces[k]);
      windows[k].assign(trace.size(), 0.0F);
      std::copy_n(trace.begin() + range.first, range.count, windows[k].begin() + range.first);
      series[k] = windows[k].data();
    }
    const double* const rows = autocorrelations_of(*fft_, std::span(series).first(traces.size()), samples_, workspace);
    std::vector<std::vector<double>> all(traces.size());
    for (std::size_t k = 0; k < traces.size(); ++k)
      for (std::int64_t lag = 0; lag < gap_ + length_; ++lag)
        all[k].push_back(rows[lag * lane_count + static_cast<std::int64_t>(k)]);
    return all;
  }

  // Returns the prediction filter; empty if there is nothing to predict.
  [[nodiscard]] std::vector<double> filter_of(std::span<const double> lags) const {
    if (lags[0] <= 0.0) return {};
    std::vector<double> column(lags.begin(), lags.begin() + length_);
    column[0] *= 1.0 + white_;
    std::vector<double> filter(lags.begin() + gap_, lags.begin() + gap_ + length_);
    std::vector<double> memory;
    solve_toeplitz<double>(column, filter, memory);
    return filter;
  }

  // Subtracts the predictions of the filters.
  void apply(TraceBlock& block, std::span<const std::int64_t> traces, std::span<const std::vector<double>> filters,
             Workspace& workspace) const {
    std::vector<double> memory;
    double* const rows = lane_rows(memory, fft_->rows());
    std::fill_n(rows, fft_->rows() * lane_count, 0.0);
    for (std::size_t k = 0; k < traces.size(); ++k) {
      rows[k] = 1.0;
      for (std::size_t i = 0; i < filters[k].size(); ++i)
        rows[(gap_ + static_cast<std::int64_t>(i)) * lane_count + static_cast<std::int64_t>(k)] -= filters[k][i];
    }
    double* const free = lane_rows(workspace.b, fft_->rows());
    const double* const transformed = fft_->forward(rows, free);
    std::vector<double> responses(transformed, transformed + fft_->rows() * lane_count);
    std::array<const float*, lane_count> in{};
    for (std::size_t k = 0; k < traces.size(); ++k) in[k] = block.trace(traces[k]).data();
    const auto [spectra, other] = spectra_of(*fft_, std::span(in).first(traces.size()), samples_, workspace);
    const double scale = 1.0 / static_cast<double>(fft_->length());
    for (std::int64_t row = 0; row < fft_->rows(); row += 2)
      for (std::int64_t i = row * lane_count; i < (row + 1) * lane_count; ++i) {
        const double re = spectra[i] * scale;
        const double im = spectra[i + lane_count] * scale;
        spectra[i] =
            re * responses[static_cast<std::size_t>(i)] - im * responses[static_cast<std::size_t>(i + lane_count)];
        spectra[i + lane_count] =
            re * responses[static_cast<std::size_t>(i + lane_count)] + im * responses[static_cast<std::size_t>(i)];
      }
    std::array<float*, lane_count> out{};
    std::size_t changed = 0;
    std::array<std::vector<float>, lane_count> unchanged;
    for (std::size_t k = 0; k < traces.size(); ++k, ++changed) {
      if (filters[k].empty()) {  // the trace remains unchanged bit by bit
        unchanged[k].resize(static_cast<std::size_t>(samples_));
        out[k] = unchanged[k].data();
      } else {
        out[k] = block.change(traces[k]).data();
      }
    }
    separate(lane_kernels(), fft_->backward(spectra, other), samples_, std::span(out).first(changed));
  }

  static constexpr std::int64_t max_operator = 1 << 20;

  Step step_;
  std::optional<double> gap_s_;
  double length_s_ = 0.0;
  double white_ = 0.001;
  std::optional<segy::TimeWindow> window_;
  std::optional<NamedKeys> keys_;
  std::optional<TraceTimes> times_;
  DeadTraces dead_;
  std::int64_t samples_ = 0;
  std::int64_t gap_ = 1;
  std::int64_t length_ = 1;
  std::optional<RealFft> fft_;
  mutable std::atomic<std::int64_t> outside_{0};
};

}  // namespace

const OperationType& decon() {
  static const OperationType type{
      .name = "decon",
      .summary = "Applies predictive deconvolution: spiking with a gap of one sample, or removal of reverberations",
      .formula =
          "(R + white r(0) I) a = [r(g), ..., r(g + L - 1)], r the autocorrelation in the design window; out(i) = "
          "in(i) "
          "- sum over k of a(k) in(i - g - k)",
      .example = "decon length=160ms gap=32ms window=500ms:3s",
      .parameters = {{"length", "TIME", "", "Length of the operator"},
                     {"gap", "TIME", "one sample", "Prediction distance; one sample is spiking deconvolution"},
                     {"white", "SHARE", "0.1%", "White noise added to the power"},
                     {"window", "T1:T2", "the complete trace", "Window of the autocorrelation"},
                     {"average", "trace | gather", "trace",
                      "Compute one operator per trace, or one from the autocorrelations of all traces of a gather"},
                     {"by", "KEY,KEY...", "the first key of the preceding sort in the flow; required if there is none",
                      "With average=gather: keys that all traces of a gather share"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Decon>(arguments); }};
  return type;
}

}  // namespace sill::flow
