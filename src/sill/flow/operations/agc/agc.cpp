#include "sill/flow/operations/agc/agc.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "sill/base/processors.hpp"
#include "sill/flow/operation/sliding_median.hpp"
#include "sill/flow/operation/sliding_sum.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

enum class Kind : std::uint8_t { rms, mean, median };
constexpr std::array<std::string_view, 3> kinds{"rms", "mean", "median"};
constexpr std::array<std::string_view, 2> weightings{"rect", "triangle"};

// Both functions return the number of zeros.
SILL_FOR_PROCESSORS std::size_t squares_of(const float* in, double* out, std::size_t count) {
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = in[i];
    out[i] = x * x;
    zeros += in[i] == 0.0F ? std::size_t{1} : std::size_t{0};
  }
  return zeros;
}

SILL_FOR_PROCESSORS std::size_t magnitudes_of(const float* in, double* out, std::size_t count) {
  std::size_t zeros = 0;
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = std::abs(static_cast<double>(in[i]));
    zeros += in[i] == 0.0F ? std::size_t{1} : std::size_t{0};
  }
  return zeros;
}

// Returns the larger number; NaN if either is.
inline double larger_of(double a, double b) { return a > b || a != a ? a : b; }

// The weight is 0 if all samples of the window are zero. The amplitude is NaN if a sample is.
SILL_FOR_PROCESSORS void divide_by_rms(float* trace, const double* sums, const double* weights, double target,
                                       double floor, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double rms = std::sqrt(sums[i] / weights[i]);
    const double amplitude = larger_of(rms, floor);
    const double scaled = target * static_cast<double>(trace[i]) / amplitude;
    trace[i] = weights[i] > 0.0 ? static_cast<float>(scaled) : 0.0F;
  }
}

SILL_FOR_PROCESSORS void divide_by_mean(float* trace, const double* sums, const double* weights, double target,
                                        double floor, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    const double mean = sums[i] / weights[i];
    const double amplitude = larger_of(mean, floor);
    const double scaled = target * static_cast<double>(trace[i]) / amplitude;
    trace[i] = weights[i] > 0.0 ? static_cast<float>(scaled) : 0.0F;
  }
}

class Agc final : public Operation {
 public:
  explicit Agc(const Arguments& arguments)
      : window_s_(arguments.required("window", Dimension::time)),
        kind_(static_cast<Kind>(arguments.choice("kind", kinds))),
        is_triangle_(arguments.choice("weights", weightings) == 1),
        target_(arguments.quantity("target", Dimension::number).value_or(1.0)),
        floor_(arguments.quantity("floor", Dimension::share).value_or(0.0)) {
    if (window_s_ < 0.0) arguments.refuse("window", "the window must not be negative");
    if (floor_ < 0.0) arguments.refuse("floor", "the floor must not be negative");
    if (is_triangle_ && kind_ == Kind::median) arguments.refuse("weights", "a median has no weights", "omit them");
  }

  void bind(SurveyState& state) override {
    const double interval_s = TraceTimes(state, "agc").interval_s();
    const double half = half_window(window_s_, interval_s);
    samples_ = state.samples;
    reaches_all_ = half >= static_cast<double>(samples_);
    half_of_weights_ = half;
    half_ = reaches_all_ ? samples_ : static_cast<std::int64_t>(half);
    full_weight_ = sums_of(std::vector<double>(static_cast<std::size_t>(samples_), 1.0));
  }

  [[nodiscard]] Access access() const override {
    return {.reads_samples = true, .writes_samples = true, .changes_amplitudes = true};
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::span<float> trace = block.change(i);
      if (kind_ == Kind::median)
        by_median(trace, workspace);
      else
        by_sums(trace, workspace);
    }
  }

 private:
  // Computes weighted sums over the window of each sample. `padded` has `half_` zeros on each side.
  void sum(std::span<double> padded, std::span<double> sums, std::vector<double>& scratch) const {
    if (!is_triangle_) return sliding_sum(padded, 2 * half_ + 1, sums, scratch);
    if (reaches_all_) {
      const auto half = static_cast<std::size_t>(half_);
      return triangle_over_all(padded.subspan(half, padded.size() - 2 * half), half_of_weights_, sums);
    }
    // A triangle is the convolution of two rectangles.
    const std::int64_t between = std::ssize(sums) + half_;
    std::vector<double>& twice = scratch;
    twice.resize(static_cast<std::size_t>(between) + padded.size());
    std::vector<double> rest(padded.size());
    sliding_sum(padded, half_ + 1, std::span(twice).first(static_cast<std::size_t>(between)), rest);
    sliding_sum(std::span<const double>(twice).first(static_cast<std::size_t>(between)), half_ + 1, sums, rest);
  }

  [[nodiscard]] std::vector<double> sums_of(const std::vector<double>& values) const {
    std::vector<double> padded(values.size() + 2 * static_cast<std::size_t>(half_));
    std::ranges::copy(values, padded.begin() + half_);
    std::vector<double> sums(values.size());
    std::vector<double> scratch;
    sum(padded, sums, scratch);
    return sums;
  }

  void by_sums(std::span<float> trace, Workspace& workspace) const {
    const auto samples = static_cast<std::size_t>(samples_);
    const auto half = static_cast<std::size_t>(half_);
    workspace.a.assign(samples + 2 * half, 0.0);
    const std::span<double> values = std::span(workspace.a).subspan(half, samples);
    const std::size_t zeros = kind_ == Kind::rms ? squares_of(trace.data(), values.data(), samples)
                                                 : magnitudes_of(trace.data(), values.data(), samples);
    const double floor = floor_of(trace, zeros);
    workspace.b.resize(samples);
    sum(workspace.a, workspace.b, scratch(workspace));
    std::span<const double> weight = full_weight_;
    std::vector<double> of_nonzero;
    if (zeros > 0) {
      of_nonzero.resize(samples);
      for (std::size_t i = 0; i < samples; ++i) of_nonzero[i] = trace[i] == 0.0F ? 0.0 : 1.0;
      of_nonzero = sums_of(of_nonzero);
      weight = of_nonzero;
    }
    if (kind_ == Kind::rms)
      divide_by_rms(trace.data(), workspace.b.data(), weight.data(), target_, floor, samples);
    else
      divide_by_mean(trace.data(), workspace.b.data(), weight.data(), target_, floor, samples);
  }

  [[nodiscard]] double floor_of(std::span<const float> trace, std::size_t zeros) const {
    if (floor_ <= 0.0 || zeros == trace.size()) return 0.0;
    double energy = 0.0;
    for (const float x : trace) energy += static_cast<double>(x) * x;
    return floor_ * std::sqrt(energy / static_cast<double>(trace.size() - zeros));
  }

  static std::vector<double>& scratch(Workspace& workspace) { return workspace.e; }

  void by_median(std::span<float> trace, Workspace& workspace) const {
    std::vector<double>& medians = workspace.a;
    medians.resize(trace.size());
    sliding_median(trace, half_, medians);
    const double floor = floor_of(trace, static_cast<std::size_t>(std::ranges::count(trace, 0.0F)));
    for (std::size_t i = 0; i < trace.size(); ++i) {
      const double amplitude = larger_of(medians[i], floor);
      trace[i] = amplitude == 0.0 ? 0.0F : static_cast<float>(target_ * static_cast<double>(trace[i]) / amplitude);
    }
  }

  double window_s_;
  Kind kind_;
  bool is_triangle_;
  double target_;
  double floor_;
  std::int64_t half_ = 0;         // samples of the window on each side of its middle
  double half_of_weights_ = 0.0;  // the same, but not limited to the length of the trace
  bool reaches_all_ = false;      // every window contains the entire trace
  std::int64_t samples_ = 0;
  std::vector<double> full_weight_;  // of each sample, if no sample is zero
};

}  // namespace

const OperationType& agc() {
  static const OperationType type{
      .name = "agc",
      .summary = "Divides each sample by the amplitude of the samples around it",
      .formula =
          "out = target x / A, 0 where A is 0; A = sqrt(sum(w x^2) / sum(w)) (rms), sum(w |x|) / sum(w) (mean) or the "
          "median of |x| (median) over the non-zero samples of the window, which has 2 round(window / 2 dt) + 1 "
          "samples centred on x and is cut at the ends of the trace",
      .example = "agc 200ms kind=rms",
      .positionals = {"window"},
      .parameters =
          {{"window", "TIME", "", "Length of the window"},
           {"kind", "rms | mean | median", "rms", "Measure of the amplitude"},
           {"weights", "rect | triangle", "rect",
            "Weights of the samples in the window: equal (rect), or falling linearly (triangle): w = 1 - |d| / "
            "(h + 1) at d samples from the middle of a window of 2 h + 1 samples"},
           {"target", "NUMBER", "1", "Amplitude of the result"},
           {"floor", "PERCENT", "0%", "Lower limit of the measured amplitude, as a share of the trace's rms"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Agc>(arguments); }};
  return type;
}

}  // namespace sill::flow
