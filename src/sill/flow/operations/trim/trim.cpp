#include "sill/flow/operations/trim/trim.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>

#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/sinc.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/survey/timelapse/repeatability.hpp"

namespace sill::flow {
namespace {

class Trim final : public Operation {
 public:
  explicit Trim(const Arguments& arguments)
      : step_(arguments.step()), keys_(arguments), limit_s_(arguments.required("limit", Dimension::time)) {
    window_ = arguments.time_window("window");
    if (!(limit_s_ > 0.0)) arguments.refuse("limit", "the largest shift must be above 0");
  }

  void bind(SurveyState& state) override {
    keys_.bind(state);
    dead_.bind(state);
    times_.emplace(state, "trim");
    samples_ = state.samples;
    limit_ = limit_s_ / times_->interval_s();
    constexpr double longest = 1e6;
    if (limit_ < 1.0 || limit_ > longest)
      Arguments(step_).refuse("limit", fmt::format("{:g} ms is not in the range from 1 to {:g} samples of {:g} ms",
                                                   limit_s_ * ms_per_s, longest, times_->interval_s() * ms_per_s));
    state.sort_keys = keys_.keys();
  }

  [[nodiscard]] Access access() const override {
    Access access{
        .scope = Scope::gather, .reads_samples = true, .writes_samples = true, .can_stop = true, .moves_samples = true};
    access.read_number(times_->delay());
    dead_.add_to(access);
    keys_.add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_.keys(); }

  void run(TraceBlock& block, Workspace& workspace) const override {
    const std::vector<std::int64_t> live = live_traces(block, dead_);
    if (live.empty()) return;
    const double start_s = times_->start_s(block.header(live.front()).data());
    require_one_start(block, live, *times_);
    const std::vector<float> pilot = mean_of(block, live);
    const segy::SampleRange range =
        window_ ? segy::samples_in(*window_, start_s * 1e6, times_->interval_s() * 1e6, samples_)
                : segy::SampleRange{0, samples_};
    if (range.count == 0) {
      outside_.fetch_add(std::ssize(live), std::memory_order_relaxed);
      return;
    }
    const auto in_window = [&](std::span<const float> trace) {
      return trace.subspan(static_cast<std::size_t>(range.first), static_cast<std::size_t>(range.count));
    };
    for (const std::int64_t i : live) {
      const auto [later, is_at_limit] = correlation_shift(in_window(pilot), in_window(block.trace(i)), limit_);
      if (!std::isfinite(later)) continue;
      if (is_at_limit) at_limit_.fetch_add(1, std::memory_order_relaxed);
      if (later != 0.0) SincInterpolation::shift(block.change(i), -later, workspace.c);
    }
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    return {{"traces shifted by the largest allowed shift", at_limit_.load()},
            {"traces remained unchanged, because no sample is in the window", outside_.load()}};
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t /*traces*/) const override { return 16 * samples_; }

 private:
  // Returns the sum of the live samples divided by their number.
  [[nodiscard]] std::vector<float> mean_of(TraceBlock& block, std::span<const std::int64_t> live) const {
    std::vector<double> sum(static_cast<std::size_t>(samples_));
    std::vector<std::int64_t> fold(sum.size());
    for (const std::int64_t i : live) {
      const segy::SampleRange range = live_samples(block.trace(i));
      for (auto s = static_cast<std::size_t>(range.first); s < static_cast<std::size_t>(range.first + range.count);
           ++s) {
        sum[s] += static_cast<double>(block.trace(i)[s]);
        ++fold[s];
      }
    }
    std::vector<float> mean(sum.size());
    for (std::size_t s = 0; s < sum.size(); ++s)
      if (fold[s] > 0) mean[s] = static_cast<float>(sum[s] / static_cast<double>(fold[s]));
    return mean;
  }

  Step step_;
  NamedKeys keys_;
  double limit_s_;
  std::optional<segy::TimeWindow> window_;
  std::optional<TraceTimes> times_;
  DeadTraces dead_;
  std::int64_t samples_ = 0;
  double limit_ = 1.0;  // in samples
  mutable std::atomic<std::int64_t> at_limit_{0};
  mutable std::atomic<std::int64_t> outside_{0};
};

}  // namespace

const OperationType& trim() {
  static const OperationType type{
      .name = "trim",
      .summary = "Shifts each trace of a gather to where it best matches the mean of the gather",
      .formula =
          "out(t) = in(t + s), s the lag, at most the limit, with the largest correlation coefficient between the "
          "trace and the mean of the live traces in the window; interpolated between samples by a cosine through three",
      .example = "trim limit=12ms window=500ms:2s by=cdp",
      .parameters = {{"limit", "TIME", "", "Largest shift in either direction"},
                     {"window", "T1:T2", "the complete trace", "Window in which traces are compared"},
                     NamedKeys::parameter()},
      .make = [](const Arguments& arguments) { return std::make_unique<Trim>(arguments); }};
  return type;
}

}  // namespace sill::flow
