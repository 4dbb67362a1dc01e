#include "sill/flow/operations/ormsby/ormsby.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

#include "sill/flow/operation/lanes/spectral_filter.hpp"
#include "sill/flow/operation/live_samples.hpp"
#include "sill/flow/operation/ramp.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

constexpr std::array<std::string_view, 3> ormsby_shapes{"linear", "cosine2", "hann"};
constexpr double periods_of_padding = 2.0;
constexpr double max_ormsby_padding = 1 << 24;  // samples

class Ormsby final : public Operation {
 public:
  explicit Ormsby(const Arguments& arguments)
      : step_(arguments.step()),
        shape_(arguments.choice("shape", ormsby_shapes) == 0 ? RampShape::linear : RampShape::cosine2),
        remutes_(arguments.flag("remute")) {
    const std::vector<double> corners = arguments.quantities("corners", Dimension::frequency);
    const auto refuse = [&](const std::string& problem) {
      arguments.refuse("corners", problem, "write F1,F2,F3,F4, such as 4,8,60,80");
    };
    if (corners.size() != f_.size()) refuse(fmt::format("four corners are needed, but {} are given", corners.size()));
    std::ranges::copy(corners, f_.begin());
    if (f_[0] < 0.0) refuse(fmt::format("{:g} Hz is below 0", f_[0]));
    for (std::size_t i = 1; i < f_.size(); ++i)
      if (f_[i] < f_[i - 1]) refuse(fmt::format("the corners do not ascend: {:g} Hz after {:g} Hz", f_[i], f_[i - 1]));
    if (f_[0] == f_[1] && f_[0] > 0.0) refuse("the first two corners may only be equal at 0");
    if (f_[1] == f_[2]) refuse("the second and the third corner are equal");
  }

  void bind(SurveyState& state) override {
    const double interval_s = TraceTimes(state, "ormsby").interval_s();
    const double nyquist_hz = 0.5 / interval_s;
    const auto refuse = [&](const std::string& problem, const std::string& action) {
      Arguments(step_).refuse("corners", problem, action);
    };
    constexpr double tolerance = 1e-9;
    if (f_[3] > nyquist_hz * (1.0 + tolerance))
      refuse(fmt::format("{:g} Hz is above the Nyquist frequency, {:g} Hz", f_[3], nyquist_hz),
             fmt::format("the sample interval is {:g} ms", interval_s * 1e3));
    if (f_[2] == f_[3] && f_[3] < nyquist_hz * (1.0 - tolerance))
      refuse(fmt::format("the last two corners may only be equal at the Nyquist frequency, {:g} Hz", nyquist_hz), "");
    double narrowest_hz = std::numeric_limits<double>::infinity();
    if (has_low_ramp()) narrowest_hz = f_[1] - f_[0];
    if (has_high_ramp()) narrowest_hz = std::min(narrowest_hz, f_[3] - f_[2]);
    const double padding = std::ceil(periods_of_padding / narrowest_hz / interval_s * (1.0 - tolerance));
    if (padding > max_ormsby_padding)
      refuse(fmt::format("a ramp of {:g} Hz needs {:.3g} samples of padding, which is too many", narrowest_hz, padding),
             "make the ramps wider");
    filter_.emplace(state.samples, static_cast<std::int64_t>(padding),
                    [&](double frequency) { return weight(frequency / interval_s); });
  }

  [[nodiscard]] Access access() const override { return {.reads_samples = true, .writes_samples = true}; }

  void run(TraceBlock& block, Workspace& workspace) const override {
    const auto samples = static_cast<std::size_t>(block.samples());
    change_live_traces(block, [&](std::span<float* const> series) {
      std::array<segy::SampleRange, lane_count> live{};
      for (std::size_t k = 0; remutes_ && k < series.size(); ++k) live[k] = live_samples({series[k], samples});
      filter_->filter_in_place(series, workspace);
      for (std::size_t k = 0; remutes_ && k < series.size(); ++k) mute_again({series[k], samples}, live[k]);
    });
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t /*traces*/) const override { return filter_->memory_bytes(); }

 private:
  [[nodiscard]] bool has_low_ramp() const { return f_[0] < f_[1]; }
  [[nodiscard]] bool has_high_ramp() const { return f_[2] < f_[3]; }

  [[nodiscard]] double weight(double frequency_hz) const {
    double weight = 1.0;
    if (has_low_ramp()) weight *= ramp_weight(shape_, frequency_hz - f_[0], f_[1] - f_[0]);
    if (has_high_ramp()) weight *= ramp_weight(shape_, f_[3] - frequency_hz, f_[3] - f_[2]);
    return weight;
  }

  Step step_;
  std::array<double, 4> f_{};
  RampShape shape_;
  bool remutes_;
  std::optional<SpectralFilter> filter_;
};

}  // namespace

const OperationType& ormsby() {
  static const OperationType type{
      .name = "ormsby",
      .summary = "Keeps a trapezoid of frequencies, without changing the phase",
      .formula =
          "out = IFFT(w(f) FFT(in)); w rises from 0 at F1 to 1 at F2 and falls from 1 at F3 to 0 at F4; zeros are "
          "appended to the trace for at least 2 / min(F2 - F1, F4 - F3)",
      .example = "ormsby 4,8,60,80Hz",
      .positionals = {"corners"},
      .parameters = {{"corners", "F1,F2,F3,F4", "",
                      "Four frequencies in ascending order; F1 = F2 only at 0, F3 = F4 only at the Nyquist frequency"},
                     {"shape", "linear | cosine2", "linear", "Shape of the ramps; hann is another name of cosine2"},
                     {"remute", "", "",
                      "After filtering, set the zeros at the beginning and end of the trace to 0 again", true}},
      .make = [](const Arguments& arguments) { return std::make_unique<Ormsby>(arguments); }};
  return type;
}

}  // namespace sill::flow
