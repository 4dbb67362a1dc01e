#include <fmt/format.h>

#include <memory>
#include <optional>

#include "sill/base/whole_number.hpp"
#include "sill/flow/operation/lanes/spectral_filter.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operations/convolve/convolve.hpp"

namespace sill::flow {
namespace {

class Autocorrelation final : public Operation {
 public:
  explicit Autocorrelation(const Arguments& arguments)
      : step_(arguments.step()),
        length_s_(arguments.required("length", Dimension::time)),
        normalizes_(arguments.flag("normalize")) {}

  void bind(SurveyState& state) override {
    times_.emplace(state, "autocorrelate");
    const std::optional<std::int64_t> lags = nearest_integer(length_s_ / times_->interval_s());
    if (!lags || *lags < 0 || *lags >= state.samples)
      Arguments(step_).refuse(
          "length", fmt::format("{:g} ms is not in the range from 0 to {} samples of {:g} ms", length_s_ * ms_per_s,
                                state.samples - 1, times_->interval_s() * ms_per_s));
    lags_ = *lags + 1;
    samples_ = state.samples;
    fft_.emplace(RealFft::fast_length(samples_ + lags_));
    state.set_samples(lags_);
    state.start_us = 0.0;
  }

  [[nodiscard]] Access access() const override {
    Access access{.reads_samples = true,
                  .writes_samples = true,
                  .writes_shape = true,
                  .can_stop = true,
                  .changes_amplitudes = true,
                  .moves_samples = true};
    access.read_number(times_->delay());
    access.write_true_value(times_->delay().word);
    return access;
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    resample_side_by_side(block, lags_, [&](std::span<const float* const> in, std::span<float* const> out) {
      const double* const rows = autocorrelations_of(*fft_, in, samples_, workspace);
      for (std::size_t k = 0; k < out.size(); ++k) {
        const double scale = !normalizes_ ? 1.0 : rows[k] <= 0.0 ? 0.0 : 1.0 / rows[k];
        for (std::int64_t lag = 0; lag < lags_; ++lag)
          out[k][lag] = static_cast<float>(rows[lag * lane_count + static_cast<std::int64_t>(k)] * scale);
      }
    });
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& /*trace*/, std::byte* header) const override {
    times_->set_start(header, 0.0);
    return true;
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override {
    return 2 * bytes_of_lane_rows(fft_->rows()) + 4 * traces * lags_;
  }

 private:
  Step step_;
  double length_s_;
  bool normalizes_;
  std::optional<TraceTimes> times_;
  std::int64_t lags_ = 1;
  std::int64_t samples_ = 0;
  std::optional<RealFft> fft_;
};

}  // namespace

const OperationType& autocorrelate() {
  static const OperationType type{
      .name = "autocorrelate",
      .summary = "Replaces traces by their autocorrelations",
      .formula = "out(lag) = sum over t of in(t) in(t + lag), lag = 0 and above, zeros outside the trace",
      .example = "autocorrelate length=200ms",
      .parameters = {{"length", "TIME", "", "Largest lag"},
                     {"normalize", "", "no", "Divide by out(0); a trace of zeros remains zero", true}},
      .make = [](const Arguments& arguments) { return std::make_unique<Autocorrelation>(arguments); }};
  return type;
}

}  // namespace sill::flow
