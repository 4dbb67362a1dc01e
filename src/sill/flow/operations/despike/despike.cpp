#include "sill/flow/operations/despike/despike.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include "sill/flow/operation/sliding_median.hpp"
#include "sill/flow/operation/sliding_sum.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

constexpr std::array<std::string_view, 2> replacements{"interpolate", "zero"};
constexpr double default_factor = 10.0;

class Despike final : public Operation {
 public:
  explicit Despike(const Arguments& arguments)
      : window_s_(arguments.required("window", Dimension::time)),
        factor_(arguments.quantity("factor", Dimension::number).value_or(default_factor)),
        zeroes_(arguments.choice("by", replacements) == 1) {
    if (window_s_ <= 0.0) arguments.refuse("window", "the window must be above 0");
    if (factor_ <= 1.0) arguments.refuse("factor", "the factor must be above 1");
  }

  void bind(SurveyState& state) override {
    const double half = half_window(window_s_, TraceTimes(state, "despike").interval_s());
    half_ = static_cast<std::int64_t>(std::min(half, static_cast<double>(state.samples)));
  }

  [[nodiscard]] Access access() const override { return {.reads_samples = true, .writes_samples = true}; }

  void run(TraceBlock& block, Workspace& workspace) const override {
    std::vector<double>& medians = workspace.a;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::span<const float> trace = block.trace(i);
      medians.resize(trace.size());
      sliding_median(trace, half_, medians);
      const auto is_spike = [&](std::size_t s) {
        return std::abs(static_cast<double>(trace[s])) > factor_ * medians[s];
      };
      std::int64_t replaced = 0;
      for (std::size_t begin = 0; begin < trace.size(); ++begin) {
        if (!is_spike(begin)) continue;
        std::size_t end = begin + 1;
        while (end < trace.size() && is_spike(end)) ++end;
        replace(block.change(i), begin, end);
        replaced += static_cast<std::int64_t>(end - begin);
        begin = end;  // no spike, or the end
      }
      if (replaced == 0 || block.origin(i).is_neighbour) continue;
      samples_ += replaced;
      ++traces_;
    }
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    return {{"samples replaced", samples_.load()}, {"traces with such samples", traces_.load()}};
  }

 private:
  // A burst at an end of the trace has one neighbour, or none.
  void replace(std::span<float> trace, std::size_t begin, std::size_t end) const {
    const bool has_before = begin > 0;
    const bool has_after = end < trace.size();
    if (zeroes_ || (!has_before && !has_after)) {
      std::ranges::fill(trace.subspan(begin, end - begin), 0.0F);
      return;
    }
    const double before = has_before ? trace[begin - 1] : trace[end];
    const double after = has_after ? trace[end] : trace[begin - 1];
    const double steps = static_cast<double>(end - begin) + 1.0;
    for (std::size_t s = begin; s < end; ++s)
      trace[s] = static_cast<float>(before + (after - before) * (static_cast<double>(s - begin) + 1.0) / steps);
  }

  double window_s_;
  double factor_;
  bool zeroes_;
  std::int64_t half_ = 0;  // samples of the window on each side of its middle
  mutable std::atomic<std::int64_t> samples_ = 0;
  mutable std::atomic<std::int64_t> traces_ = 0;
};

}  // namespace

const OperationType& despike() {
  static const OperationType type{
      .name = "despike",
      .summary = "Replaces samples, or bursts of them, that are far larger than the samples around them",
      .formula =
          "where |x| > factor times the median of |x| over the non-zero samples of the window, which has 2 "
          "round(window / 2 dt) + 1 samples centred on x: the line between the samples before and after the burst, or "
          "0",
      .example = "despike 200ms factor=8",
      .positionals = {"window"},
      .parameters = {{"window", "TIME", "", "Length of the window"},
                     {"factor", "NUMBER", "10", "Largest allowed ratio of a sample to the median"},
                     {"by", "interpolate | zero", "interpolate", "Replacement of these samples"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Despike>(arguments); }};
  return type;
}

}  // namespace sill::flow
