#include "sill/flow/operations/resample/resample.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

#include "sill/flow/operation/lanes/lane_rows.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

constexpr std::int64_t weights_at_once = 4;

// Computes each new sample as a weighted sum of the samples around it. Relative to the lower of both Nyquist
// frequencies, frequencies up to 0.8 pass, and frequencies above 1.0 are removed: the cutoff of the sinc is in the
// middle between them, and the Kaiser window determines the ripple.
class Resample final : public Operation {
 public:
  explicit Resample(const Arguments& arguments)
      : step_(arguments.step()), interval_s_(arguments.required("interval", Dimension::time)) {
    if (interval_s_ <= 0.0) arguments.refuse("interval", "the interval is not positive");
  }

  void bind(SurveyState& state) override {
    const Arguments arguments(step_);
    (void)TraceTimes(state, "resample");
    const double wanted_us = interval_s_ * 1e6;
    const double new_us = std::nearbyint(wanted_us);
    const double old_us = std::nearbyint(state.interval_us);
    if (std::abs(wanted_us - new_us) > 1e-6 || new_us < 1.0 || new_us > 65535.0)
      arguments.refuse("interval", fmt::format("an interval of {} us cannot be stated", wanted_us),
                       "SEG-Y and Seismic Unix store an integer number of microseconds, up to 65535");
    if (old_us != state.interval_us)
      arguments.refuse(
          "interval",
          fmt::format("the survey's interval of {} us is not an integer number of microseconds", state.interval_us));
    const auto to = static_cast<std::int64_t>(new_us);
    const auto from = static_cast<std::int64_t>(old_us);
    const std::int64_t common = std::gcd(to, from);
    step_samples_ = to / common;
    phases_ = from / common;
    old_samples_ = state.samples;
    samples_ = (state.samples - 1) * from / to + 1;
    state.set_samples(samples_);
    if (to != from) make_weights();
    state.interval_us = new_us;
  }

  [[nodiscard]] Access access() const override {
    return {.reads_samples = true, .writes_samples = true, .writes_shape = true};
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    if (weights_.empty()) return;
    const LaneKernels& kernels = lane_kernels();
    float* const padded = lane_rows(workspace.c, padded_samples());
    float* const resampled = lane_rows(workspace.d, samples_);
    std::fill_n(padded, reach_ * lane_count, 0.0F);
    std::fill(padded + (reach_ + old_samples_) * lane_count, padded + padded_samples() * lane_count, 0.0F);
    std::array<const float*, lane_count> before{};
    std::array<float*, lane_count> after{};
    std::size_t count = 0;
    block.resample(samples_, [&](std::int64_t i, std::span<const float> in, std::span<float> out) {
      before[count] = in.data();
      after[count++] = out.data();
      if (count < before.size() && i + 1 < block.count()) return;
      interleave(kernels, std::span(before).first(count), old_samples_, padded + reach_ * lane_count);
      kernels.weigh(padded, new_samples_.data(), points_, resampled, samples_);
      separate(kernels, resampled, samples_, std::span(after).first(count));
      count = 0;
    });
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t /*traces*/) const override {
    return bytes_of_lane_rows<float>(padded_samples()) + bytes_of_lane_rows<float>(samples_);
  }

 private:
  [[nodiscard]] std::int64_t padded_samples() const { return old_samples_ + reach_ + points_; }

  void make_weights() {
    constexpr double ripple_db = 106.0;  // below 1e-5
    constexpr double transition = 0.2;   // from 0.8 to 1.0
    constexpr double beta = 0.1102 * (ripple_db - 8.7);
    const double coarser = std::max(1.0, static_cast<double>(step_samples_) / static_cast<double>(phases_));
    const double cutoff = 0.9 / coarser;  // of the Nyquist frequency of the input
    const double points = (ripple_db - 8.0) / (2.285 * transition * std::numbers::pi) + 1.0;
    const double half_width = 0.5 * points * coarser;
    reach_ = static_cast<std::int64_t>(std::ceil(half_width)) + 1;
    points_ = (2 * reach_ + weights_at_once - 1) / weights_at_once * weights_at_once;
    // New sample j is after old sample j step / phases by one of `phases_` fractions.
    const std::int64_t used = std::min(phases_, samples_);
    weights_.assign(static_cast<std::size_t>(used * points_), 0.0F);
    std::vector<double> weights(static_cast<std::size_t>(2 * reach_));
    for (std::int64_t j = 0; j < used; ++j) {
      const double fraction = static_cast<double>(j * step_samples_ % phases_) / static_cast<double>(phases_);
      double sum = 0.0;
      for (std::size_t k = 0; k < weights.size(); ++k) {
        const double x = static_cast<double>(reach_) - static_cast<double>(k) + fraction;
        const double u = x / half_width;
        weights[k] = 0.0;
        if (std::abs(u) > 1.0) continue;
        const double angle = std::numbers::pi * cutoff * x;
        const double sinc = x == 0.0 ? 1.0 : std::sin(angle) / angle;
        weights[k] = sinc * std::cyl_bessel_i(0.0, beta * std::sqrt(1.0 - u * u));
        sum += weights[k];
      }
      std::ranges::transform(weights, weights_.begin() + j * points_,
                             [&](double weight) { return static_cast<float>(weight / sum); });
    }
    for (std::int64_t j = 0; j < samples_; ++j)
      new_samples_.push_back({weights_.data() + j % phases_ * points_, j * step_samples_ / phases_});
  }

  Step step_;
  double interval_s_;
  std::int64_t step_samples_ = 1;  // a new sample is step_samples_ / phases_ old ones
  std::int64_t phases_ = 1;
  std::int64_t reach_ = 0;      // of the weights, in samples on each side
  std::int64_t points_ = 0;     // number of weights of a new sample; the last ones are 0
  std::vector<float> weights_;  // of all fractions; empty if the interval does not change
  std::vector<WeightedRow> new_samples_;
  std::int64_t old_samples_ = 0;
  std::int64_t samples_ = 0;
};

}  // namespace

const OperationType& resample() {
  static const OperationType type{
      .name = "resample",
      .summary = "Changes the interval of samples, without aliasing",
      .formula =
          "a windowed sinc: ripple 1e-5 up to 0.8 of the lower Nyquist frequency, zero above that frequency; the first "
          "sample keeps its time; floor((n - 1) dt / dt') + 1 samples",
      .example = "resample 4ms",
      .positionals = {"interval"},
      .parameters = {{"interval", "TIME", "", "New interval, an integer number of microseconds"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Resample>(arguments); }};
  return type;
}

}  // namespace sill::flow
