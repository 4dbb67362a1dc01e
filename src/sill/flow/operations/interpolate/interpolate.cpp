#include "sill/flow/operations/interpolate/interpolate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

#include "sill/base/whole_number.hpp"
#include "sill/flow/operation/cholesky.hpp"
#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/operation/lanes/lane_rows.hpp"
#include "sill/flow/operation/lanes/spectrum_table.hpp"
#include "sill/flow/operation/live_samples.hpp"
#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/overlapping_windows.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/formats/segy/expression/assignment.hpp"

namespace sill::flow {
namespace {

using Complex = SpectrumTable::Complex;

// The values of a frequency at positions that are `step` apart, with flags for the known values.
struct Series {
  std::span<const Complex> values;
  std::span<const char> known;
  std::size_t step = 1;
};

class Interpolate final : public Operation {
 public:
  explicit Interpolate(const Arguments& arguments) : step_(arguments.step()), keys_(arguments) {
    constexpr std::int64_t max = 100;
    length_ = static_cast<std::size_t>(arguments.integer("length", 1, max).value_or(4));
    traces_ = arguments.integer("traces", 4, 100 * max).value_or(24);
    window_s_ = arguments.quantity("window", Dimension::time).value_or(0.5);
    white_ = arguments.quantity("white", Dimension::share).value_or(0.001);
    if (!(white_ > 0.0)) arguments.refuse("white", "the white noise is a share of the power, and must be above 0%");
    if (traces_ <= 4 * static_cast<std::int64_t>(length_))
      arguments.refuse(arguments.has("traces") ? "traces" : "length",
                       fmt::format("windows of {} traces are too short for a filter of length {}", traces_, length_),
                       "use more than four times as many traces as the filter is long");
    highest_hz_ = arguments.quantity("highest", Dimension::frequency);
    if (highest_hz_ && !(*highest_hz_ > 0.0)) arguments.refuse("highest", "the highest frequency must be above 0 Hz");
  }

  void bind(SurveyState& state) override {
    keys_.bind(state);
    dead_.bind(state);
    order_ = state.order;
    identification_ = state.words->word("trid");
    times_.emplace(state, "interpolate");
    interval_s_ = times_->interval_s();
    const std::optional<std::int64_t> window = nearest_integer(window_s_ / interval_s_);
    if (!window || *window < 4)
      Arguments(step_).refuse("window", fmt::format("{:g} ms is less than 4 samples of {:g} ms", window_s_ * ms_per_s,
                                                    interval_s_ * ms_per_s));
    window_samples_ = std::min(*window, state.samples);
    samples_ = state.samples;
    fft_.emplace(RealFft::fast_length(window_samples_));
    halves_.emplace(2 * fft_->length());
    state.sort_keys = keys_.keys();
  }

  [[nodiscard]] Access access() const override {
    Access access{.scope = Scope::gather, .reads_samples = true, .writes_samples = true};
    access.read_number(times_->delay());
    dead_.add_to(access);
    keys_.add_to(access);
    access.reads_words.push_back(segy::bytes_of(*identification_));
    access.writes_words.push_back(segy::bytes_of(*identification_));
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_.keys(); }

  void run(TraceBlock& block, Workspace& workspace) const override {
    const std::int64_t count = block.count();
    std::vector<char> known(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i)
      known[static_cast<std::size_t>(i)] =
          dead_.contains(block.header(i).data()) || live_samples(block.trace(i)).count == 0 ? 0 : 1;
    const auto missing = std::ranges::count(known, 0);
    if (missing == 0 || missing == count) return;
    require_one_start(block, live_traces(block, dead_), *times_);
    const std::int64_t in_window = std::min(traces_, count);
    WindowSums sums(count, samples_);
    std::vector<std::vector<float>> made(static_cast<std::size_t>(in_window),
                                         std::vector<float>(static_cast<std::size_t>(window_samples_)));
    for (const std::int64_t trace : window_starts(count, in_window)) {
      const std::span<const char> here =
          std::span(known).subspan(static_cast<std::size_t>(trace), static_cast<std::size_t>(in_window));
      if (std::ranges::find(here, 0) == here.end()) continue;
      for (const std::int64_t sample : window_starts(samples_, window_samples_)) {
        fill_window(block, trace, sample, here, made, workspace);
        sums.add(trace, sample, made);
      }
    }
    for (std::int64_t i = 0; i < count; ++i) {
      if (known[static_cast<std::size_t>(i)] != 0) continue;
      const std::span<float> trace = block.change(i);
      sums.give(i, trace);
      if (live_samples(trace).count == 0) continue;
      segy::write_word(block.header(i).data(), identification_->byte, identification_->type, order_, {.number = 1},
                       identification_->name);
      made_.fetch_add(1, std::memory_order_relaxed);
    }
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    return {{"traces interpolated", made_.load()},
            {"windows that remained zero, as they have too few live traces for a filter", without_filter_.load()}};
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override {
    const std::int64_t in_window = std::min(traces, traces_);
    return 16 * traces * samples_ + in_window * (4 * window_samples_ + 16 * (fft_->rows() + halves_->rows())) +
           2 * bytes_of_lane_rows(halves_->rows()) + 16 * in_window * in_window;
  }

 private:
  struct Memory {
    std::vector<Complex> matrix;
    std::vector<Complex> filter;
    std::vector<Complex> coefficients;  // of the prediction error, at all positions
    std::vector<std::size_t> unknown;
    std::vector<Complex> right;
  };

  // Computes the unknown traces of a window from the known ones.
  void fill_window(TraceBlock& block, std::int64_t first_trace, std::int64_t first_sample, std::span<const char> known,
                   std::span<std::vector<float>> made, Workspace& workspace) const {
    std::vector<const float*> in;
    std::vector<float*> out;
    for (std::size_t i = 0; i < made.size(); ++i) {
      in.push_back(block.trace(first_trace + static_cast<std::int64_t>(i)).data() + first_sample);
      out.push_back(made[i].data());
    }
    SpectrumTable spectra(*fft_, in.size());
    SpectrumTable at_half(*halves_, in.size());
    spectra.take(in, window_samples_, workspace);
    at_half.take(in, window_samples_, workspace);
    const double step_hz = 1.0 / (interval_s_ * static_cast<double>(fft_->length()));
    Memory memory;
    bool has_filters = true;
    for (std::int64_t k = 0; k < fft_->frequencies(); ++k) {
      if (highest_hz_ && static_cast<double>(k) * step_hz > *highest_hz_) {
        std::ranges::fill(spectra.at(k), Complex{});
        continue;
      }
      // Bin k of the table of twice the length has half the frequency.
      const bool has_filter =
          find_filter({spectra.at(k), known, 1}, memory) || find_filter({at_half.at(k), known, 2}, memory);
      if (has_filter)
        fill(spectra.at(k), known, memory);
      else
        has_filters = false;
    }
    if (!has_filters) without_filter_.fetch_add(1, std::memory_order_relaxed);
    spectra.give(out, window_samples_, workspace);
  }

  // Computes the prediction filter from the runs of known values. Returns false if there are too few.
  bool find_filter(const Series& series, Memory& memory) const {
    const std::size_t reach = length_ * series.step;
    memory.matrix.assign(length_ * length_, {});
    memory.filter.assign(length_, {});
    std::size_t equations = 0;
    const auto add = [&](Complex predicted, const auto& value) {
      for (std::size_t i = 0; i < length_; ++i) {
        memory.filter[i] += conjugate_product(value(i), predicted);
        for (std::size_t j = 0; j <= i; ++j) memory.matrix[i * length_ + j] += conjugate_product(value(i), value(j));
      }
    };
    for (std::size_t x = 0; x + reach < series.values.size(); ++x) {
      bool is_known = true;
      for (std::size_t k = 0; k <= length_; ++k) is_known = is_known && series.known[x + k * series.step] != 0;
      if (!is_known) continue;
      ++equations;
      const auto at = [&](std::size_t k) { return series.values[x + k * series.step]; };
      add(at(length_), [&](std::size_t k) { return at(length_ - 1 - k); });
      add(std::conj(at(0)), [&](std::size_t k) { return std::conj(at(k + 1)); });
    }
    if (equations < length_) return false;
    double power = 0.0;
    for (std::size_t i = 0; i < length_; ++i) power += memory.matrix[i * length_ + i].real();
    if (!(power > 0.0)) {
      std::ranges::fill(memory.filter, Complex{});
      return true;
    }
    for (std::size_t i = 0; i < length_; ++i)
      memory.matrix[i * length_ + i] += white_ * power / static_cast<double>(length_);
    solve_cholesky(memory.matrix, memory.filter);
    return true;
  }

  // Fills in the values for which the prediction error is smallest.
  void fill(std::span<Complex> values, std::span<const char> known, Memory& memory) const {
    memory.unknown.clear();
    for (std::size_t x = 0; x < values.size(); ++x)
      if (known[x] == 0) memory.unknown.push_back(x);
    const std::size_t count = memory.unknown.size();
    memory.matrix.assign(count * count, {});
    memory.right.assign(count, {});
    const auto add = [&] {
      Complex rest;
      for (std::size_t x = 0; x < values.size(); ++x)
        if (known[x] != 0) rest += product(memory.coefficients[x], values[x]);
      for (std::size_t i = 0; i < count; ++i) {
        const Complex own = memory.coefficients[memory.unknown[i]];
        if (own == Complex{}) continue;
        memory.right[i] -= conjugate_product(own, rest);
        for (std::size_t j = 0; j <= i; ++j)
          memory.matrix[i * count + j] += conjugate_product(own, memory.coefficients[memory.unknown[j]]);
      }
    };
    for (std::size_t x = 0; x + length_ < values.size(); ++x)
      for (const bool is_forward : {true, false}) {
        memory.coefficients.assign(values.size(), {});
        memory.coefficients[is_forward ? x + length_ : x] = 1.0;
        for (std::size_t k = 0; k < length_; ++k) {
          if (is_forward)
            memory.coefficients[x + length_ - 1 - k] = -memory.filter[k];
          else
            memory.coefficients[x + 1 + k] = -std::conj(memory.filter[k]);
        }
        add();
      }
    constexpr double damping = 1e-6;
    for (std::size_t i = 0; i < count; ++i) memory.matrix[i * count + i] += damping;
    solve_cholesky(memory.matrix, memory.right);
    for (std::size_t i = 0; i < count; ++i) values[memory.unknown[i]] = memory.right[i];
  }

  Step step_;
  NamedKeys keys_;
  std::size_t length_ = 4;
  std::int64_t traces_ = 24;
  double window_s_ = 0.5;
  double white_ = 0.001;
  std::optional<double> highest_hz_;
  DeadTraces dead_;
  ByteOrder order_ = ByteOrder::big;
  std::optional<segy::WordRef> identification_;
  std::optional<TraceTimes> times_;
  double interval_s_ = 1.0;
  std::int64_t samples_ = 0;
  std::int64_t window_samples_ = 0;
  std::optional<RealFft> fft_;
  std::optional<RealFft> halves_;  // for frequencies with half the spacing
  mutable std::atomic<std::int64_t> made_{0};
  mutable std::atomic<std::int64_t> without_filter_{0};
};

}  // namespace

const OperationType& interpolate() {
  static const OperationType type{
      .name = "interpolate",
      .summary = "Computes the samples of dead traces in evenly spaced gathers, by prediction from trace to trace",
      .formula =
          "the values s(f, x) of missing traces that minimize sum |s(x) - sum a(k) s(x - k)|^2 + sum |s(x) - sum "
          "conj(a(k)) s(x + k)|^2; a from live traces by least squares, at f, or from every second trace at f / 2",
      .example = "interpolate length=4 traces=24 window=500ms by=cdp",
      .parameters = {{"length", "N", "4",
                      "Length of the filters in traces: the number of dips that occur at the same time"},
                     {"traces", "N", "24", "Traces per window"},
                     {"window", "TIME", "500ms", "Length of a window in time"},
                     {"white", "SHARE", "0.1%", "White noise added to the power"},
                     {"highest", "FREQUENCY", "Nyquist", "Highest frequency of the computed traces"},
                     {"by", "KEY,KEY...", "the first key of the preceding sort in the flow; required if there is none",
                      "Keys that all traces of a gather share; the traces must be evenly spaced"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Interpolate>(arguments); }};
  return type;
}

}  // namespace sill::flow
