#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>

#include "sill/base/processors.hpp"
#include "sill/base/whole_number.hpp"
#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/other_survey.hpp"
#include "sill/flow/operation/toeplitz.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operations/math/math.hpp"

namespace sill::flow {
namespace {

// Adds to the correlations: sums[j] += sum over t of a[t] b[t + j], for j from 0. Precondition: b has at least as many
// samples as a and sums together.
SILL_FOR_PROCESSORS void add_correlations(std::span<const double> a, const double* b, std::span<double> sums) {
  for (std::size_t j = 0; j < sums.size(); ++j) {
    double sum = 0.0;
    for (std::size_t t = 0; t < a.size(); ++t) sum += a[t] * b[t + j];
    sums[j] += sum;
  }
}

SILL_FOR_PROCESSORS void add_scaled(const double* in, double factor, std::span<double> out) {
  for (std::size_t t = 0; t < out.size(); ++t) out[t] += factor * in[t];
}

class Match final : public Operation {
 public:
  explicit Match(const Arguments& arguments)
      : step_(arguments.step()),
        partners_(arguments, "to"),
        length_s_(arguments.required("length", Dimension::time)),
        white_(arguments.quantity("white", Dimension::share).value_or(0.001)),
        window_(arguments.time_window("window")) {
    static constexpr std::array<std::string_view, 2> averages{"trace", "gather"};
    if (white_ < 0.0) arguments.refuse("white", "the white noise is a share of the power, and must be 0% or more");
    arguments.require_with("gather=", "average=gather");
    if (arguments.choice("average", averages) == 0) return;
    keys_.emplace(arguments, "gather");
    if (partners_.drops())
      arguments.refuse("missing", "traces that are dropped cannot be averaged", "drop them with math first");
  }

  void bind(SurveyState& state) override {
    times_.emplace(state, "match");
    dead_.bind(state);
    partners_.bind(state);
    if (keys_) {
      keys_->bind(state);
      state.sort_keys = keys_->keys();
    }
    samples_ = state.samples;
    const double half = std::floor(0.5 * length_s_ / times_->interval_s() + 0.5);
    constexpr double longest = 1e4;
    if (!(half >= 0.0) || half > longest)
      Arguments(step_).refuse("length",
                              fmt::format("a filter of {:g} ms is not in the range from 0 to {:g} samples of {:g} ms",
                                          length_s_ * ms_per_s, 2.0 * longest, times_->interval_s() * ms_per_s));
    half_ = static_cast<std::size_t>(half);
  }

  [[nodiscard]] Access access() const override {
    Access access{.scope = keys_ ? Scope::gather : Scope::trace, .reads_samples = true, .writes_samples = true};
    access.read_number(times_->delay());
    dead_.add_to(access);
    partners_.add_to(access);
    if (keys_) keys_->add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override {
    return keys_ ? keys_->keys() : std::vector<segy::TraceKey>{};
  }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    Equations sum(taps());
    std::vector<std::int64_t> met;
    partners_.visit(block, live_traces(block, dead_), [&](std::int64_t i, std::span<const float> partner) {
      Equations own(taps());
      add(block, i, partner, keys_ ? sum : own);
      if (keys_)
        met.push_back(i);
      else
        apply(block.trace(i), filter_of(own), block, i);
    });
    if (!keys_) return;
    const std::vector<double> filter = filter_of(sum);
    for (const std::int64_t i : met) apply(block.trace(i), filter, block, i);
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* /*header*/) const override {
    return partners_.keeps(trace);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    auto counts = partners_.counts();
    counts.emplace_back("traces that are zero in the window remained unchanged", silent_.load());
    return counts;
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override {
    return partners_.memory_bytes(traces) + 8 * (4 * samples_ + 8 * static_cast<std::int64_t>(taps()));
  }

 private:
  // The least-squares equations: the autocorrelation, and the correlation with the partner from lag -half.
  struct Equations {
    explicit Equations(std::size_t taps) : own(taps), with_partner(taps) {}
    std::vector<double> own;
    std::vector<double> with_partner;
  };

  [[nodiscard]] std::size_t taps() const { return 2 * half_ + 1; }

  void add(TraceBlock& block, std::int64_t i, std::span<const float> partner, Equations& sums) const {
    const std::span<const float> trace = block.trace(i);
    const segy::SampleRange range = window_ ? segy::samples_in(*window_, times_->start_s(block.header(i).data()) * 1e6,
                                                               times_->interval_s() * 1e6, samples_)
                                            : segy::SampleRange{0, samples_};
    const auto count = static_cast<std::size_t>(range.count);
    std::vector<double> own(count);
    std::copy_n(trace.begin() + range.first, count, own.begin());
    std::vector<double> padded(count + 2 * taps());
    std::copy_n(own.begin(), count, padded.begin());
    add_correlations(own, padded.data(), sums.own);
    std::ranges::fill(padded, 0.0);
    std::copy_n(partner.begin() + range.first, count, padded.begin() + static_cast<std::ptrdiff_t>(half_));
    add_correlations(own, padded.data(), sums.with_partner);
  }

  // Returns the filter; empty for traces without a signal.
  [[nodiscard]] std::vector<double> filter_of(Equations& equations) const {
    if (equations.own[0] <= 0.0) return {};
    equations.own[0] *= 1.0 + white_;
    std::vector<double> memory;
    solve_toeplitz<double>(equations.own, equations.with_partner, memory);
    return std::move(equations.with_partner);
  }

  void apply(std::span<const float> in, const std::vector<double>& filter, TraceBlock& block, std::int64_t i) const {
    if (filter.empty()) {
      block.count(silent_, i);
      return;
    }
    std::vector<double> padded(in.size() + 2 * half_);
    std::ranges::copy(in, padded.begin() + static_cast<std::ptrdiff_t>(half_));
    std::vector<double> out(in.size());
    for (std::size_t j = 0; j < filter.size(); ++j) add_scaled(padded.data() + 2 * half_ - j, filter[j], out);
    std::ranges::transform(out, block.change(i).begin(), [](double x) { return static_cast<float>(x); });
  }

  Step step_;
  Partners partners_;
  double length_s_;
  double white_;
  std::optional<segy::TimeWindow> window_;
  std::optional<NamedKeys> keys_;
  std::optional<TraceTimes> times_;
  DeadTraces dead_;
  std::int64_t samples_ = 0;
  std::size_t half_ = 0;
  mutable std::atomic<std::int64_t> silent_{0};
};

}  // namespace

const OperationType& match() {
  static const OperationType type{
      .name = "match",
      .summary = "Filters each trace to match the trace of another survey that has the same keys",
      .formula =
          "(R + white R(0) I) f = g, R(j) = sum of in(t) in(t + j), g(j) = sum of other(t) in(t - j) in the window, j "
          "from -length/2 to length/2; out = f * in: the least-squares filter",
      .example = "match to=@base.sgy by=iline,xline length=100ms window=500ms:1.5s",
      .parameters = Partners::with_parameters(
          "to",
          {{"length", "TIME", "", "Length of the filter, half of it before time 0"},
           {"window", "T1:T2", "the complete trace", "Window in which traces are compared"},
           {"white", "SHARE", "0.1%", "White noise added to the power"},
           {"average", "trace | gather", "trace", "Compute one filter per trace, or one for all traces of a gather"},
           {"gather", "KEY,KEY...", "the first key of the preceding sort in the flow; required if there is none",
            "With average=gather: keys that all traces of a gather share"}}),
      .make = [](const Arguments& arguments) { return std::make_unique<Match>(arguments); }};
  return type;
}

}  // namespace sill::flow
