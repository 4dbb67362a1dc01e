#include <cmath>
#include <numbers>
#include <optional>

#include "sill/flow/operation/lanes/spectral_filter.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operations/bandpass/bandpass.hpp"
#include "sill/flow/operations/bandpass/trace_filter.hpp"

namespace sill::flow {
namespace {

constexpr double default_quality = 30.0;

// Returns a filter with a zero on the unit circle at the frequency, and a pole just inside it. Constants pass
// unchanged.
Cascade notch_cascade(double frequency_hz, double quality, double interval_s) {
  const double w0 = 2.0 * std::numbers::pi * frequency_hz * interval_s;
  const double gain = 1.0 / (1.0 + std::tan(0.5 * w0 / quality));
  Section section{.b1 = -2.0 * std::cos(w0), .b2 = 1.0, .a1 = -2.0 * gain * std::cos(w0), .a2 = 2.0 * gain - 1.0};
  section.z1 = section.b2 * gain - section.a2;
  section.z0 = section.b1 * gain - section.a1 + section.z1;
  const double half = 0.5 * std::abs(section.a1);
  const double difference = half * half - section.a2;
  return {.gain = gain,
          .sections = {section},
          .slowest_pole = difference < 0.0 ? std::sqrt(section.a2) : half + std::sqrt(difference)};
}

class Notch final : public Operation {
 public:
  explicit Notch(const Arguments& arguments)
      : step_(arguments.step()),
        frequency_hz_(arguments.required("f", Dimension::frequency)),
        quality_(arguments.quantity("q", Dimension::number).value_or(default_quality)),
        is_zero_phase_(arguments.flag("zerophase")) {
    if (frequency_hz_ <= 0.0) arguments.refuse("f", "the frequency is not above 0");
    if (quality_ <= 0.5) arguments.refuse("q", "the quality is not above 0.5: the notch would extend below 0 Hz");
  }

  void bind(SurveyState& state) override {
    const double interval_s = TraceTimes(state, "notch").interval_s();
    if (frequency_hz_ * interval_s >= 0.5)
      Arguments(step_).refuse("f", "the frequency is not below the Nyquist frequency");
    samples_ = state.samples;
    filter_.emplace(notch_cascade(frequency_hz_, quality_, interval_s), is_zero_phase_,
                    is_zero_phase_ ? Padding::odd : Padding::edge);
  }

  [[nodiscard]] Access access() const override { return {.reads_samples = true, .writes_samples = true}; }

  void run(TraceBlock& block, Workspace& workspace) const override {
    change_live_traces(block,
                       [&](std::span<float* const> series) { filter_->filter(series, block.samples(), workspace.a); });
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t /*traces*/) const override {
    return filter_->memory_bytes(samples_);
  }

 private:
  Step step_;
  double frequency_hz_;
  double quality_;
  bool is_zero_phase_;
  std::int64_t samples_ = 0;
  std::optional<TraceFilter> filter_;
};

}  // namespace

const OperationType& notch() {
  static const OperationType type{
      .name = "notch",
      .summary = "Removes one frequency",
      .formula =
          "second-order recursive filter with zeros at the frequency f, 3 dB down (one pass) over a bandwidth of f / q",
      .example = "notch 50Hz q=20 zerophase",
      .positionals = {"f"},
      .parameters = {{"f", "FREQUENCY", "", "Frequency to remove, above 0 and below the Nyquist frequency"},
                     {"q", "NUMBER", "30", "Ratio of the frequency to the bandwidth"},
                     {"zerophase", "", "", "Filter forward, then backward", true}},
      .make = [](const Arguments& arguments) { return std::make_unique<Notch>(arguments); }};
  return type;
}

}  // namespace sill::flow
