#include "sill/flow/operations/convolve/convolve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <optional>

#include "sill/base/whole_number.hpp"
#include "sill/flow/operation/lanes/spectral_filter.hpp"
#include "sill/flow/operation/table.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

class Convolution final : public Operation {
 public:
  Convolution(const Arguments& arguments, const char* operation, const char* parameter, bool correlates)
      : operation_(operation),
        table_(arguments.table(parameter)),
        correlates_(correlates),
        is_full_(arguments.flag("full")) {
    if (!table_)
      arguments.refuse(parameter, "the wavelet must be a file",
                       fmt::format("write {}", arguments.shown(fmt::format("{}=@FILE", parameter))));
  }

  void bind(SurveyState& state) override {
    times_.emplace(state, operation_);
    const segy::Wavelet wavelet = read_wavelet(*table_, state, times_->interval_s());
    const std::int64_t more = std::ssize(wavelet.amplitudes) - 1;
    samples_ = state.samples;
    // The position of the wavelet's first sample in the result, and therefore of the entire wavelet.
    const std::int64_t earliest = correlates_ ? -(wavelet.first + more) : wavelet.first;
    if (is_full_) {
      state.set_samples(samples_ + more);
      later_s_ = static_cast<double>(earliest) * times_->interval_s();
      state.start_us += later_s_ * 1e6;
    }
    made_ = state.samples;
    // A result that is as long as the input includes samples from before or after it.
    const std::int64_t moved = is_full_ ? 0 : earliest;
    const std::int64_t padding = std::min(std::max(std::abs(moved), std::abs(moved + more)), samples_ + more) + more;
    const std::int64_t length = RealFft::fast_length(samples_ + padding);
    std::vector<float> series(static_cast<std::size_t>(length));
    if (std::abs(moved) < samples_ + more)
      for (std::int64_t i = 0; i <= more; ++i) {
        const auto from = static_cast<std::size_t>(correlates_ ? more - i : i);
        const std::int64_t place = ((moved + i) % length + length) % length;
        series[static_cast<std::size_t>(place)] += wavelet.amplitudes[from];
      }
    const RealFft fft(length);
    Workspace workspace;
    const float* const only = series.data();
    const double* const spectrum = spectra_of(fft, {&only, 1}, length, workspace).spectra;
    filter_.emplace(samples_, padding, [&](double frequency) {
      const auto row = static_cast<std::int64_t>(std::nearbyint(frequency * static_cast<double>(length)));
      const double* const value = spectrum + 2 * row * lane_count;
      return std::complex<double>{value[0], value[lane_count]};
    });
  }

  [[nodiscard]] Access access() const override {
    Access access{.reads_samples = true, .writes_samples = true, .writes_shape = is_full_, .moves_samples = true};
    if (!is_full_) return access;
    access.read_number(times_->delay());
    access.write_true_value(times_->delay().word);
    return access;
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    if (!is_full_) {
      change_live_traces(block, [&](std::span<float* const> series) { filter_->filter_in_place(series, workspace); });
      return;
    }
    resample_side_by_side(block, made_, [&](std::span<const float* const> in, std::span<float* const> out) {
      separate(lane_kernels(), filter_->filter(in, workspace), made_, out);
    });
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* header) const override {
    if (is_full_) times_->set_start(header, times_->start_s(trace.header) + later_s_);
    return true;
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override {
    return filter_->memory_bytes() + (is_full_ ? 4 * traces * made_ : 0);
  }

 private:
  const char* operation_;
  std::optional<TableFile> table_;
  bool correlates_;
  bool is_full_;
  std::optional<TraceTimes> times_;
  std::int64_t samples_ = 0;
  std::int64_t made_ = 0;  // number of samples in the result
  double later_s_ = 0.0;   // start of the result after the start of the trace
  std::optional<SpectralFilter> filter_;
};

constexpr Parameter full_parameter{"full", "", "no",
                                   "Output all samples that the convolution changes, starting at the first of them; "
                                   "otherwise the output has the times of the trace",
                                   true};
constexpr const char* file_text =
    "Table of time and amplitude, sampled at the interval of the survey; if the column of times is missing, times "
    "begin at 0";

}  // namespace

segy::Wavelet read_wavelet(const TableFile& file, const SurveyState& survey, double interval_s) {
  const std::array<TableColumn, 2> columns{{{.name = "time", .dimension = Dimension::time, .is_optional = true},
                                            {.name = "amplitude", .dimension = Dimension::number}}};
  std::vector<double> places;  // in samples
  std::vector<std::int64_t> lines;
  segy::Wavelet wavelet;
  read_table(file, columns, survey, [&](std::int64_t line, std::span<const double> values) {
    places.push_back(values[0] / interval_s);
    lines.push_back(line);
    const auto amplitude = static_cast<float>(values[1]);
    if (!std::isfinite(amplitude))
      refuse_table(file.path, line, "the amplitude exceeds the range of single precision", "scale the wavelet");
    wavelet.amplitudes.push_back(amplitude);
  });
  const bool has_times = std::ranges::any_of(places, [](double place) { return place != 0.0; });
  if (!has_times) return wavelet;
  const std::optional<std::int64_t> first = nearest_integer(places.front());
  constexpr double tolerance = 0.01;
  constexpr double farthest = 1e9;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const double wanted = std::nearbyint(places.front()) + static_cast<double>(i);
    if (first && std::abs(places[i] - wanted) <= tolerance && std::abs(wanted) < farthest) continue;
    refuse_table(file.path, lines[i],
                 fmt::format("the time {:.6g} ms is not the time of sample {:.0f} of a wavelet with the survey's "
                             "sample interval of {:g} ms and a sample at time 0",
                             places[i] * interval_s * ms_per_s, wanted, interval_s * ms_per_s),
                 "resample the wavelet, or give only amplitudes, which begin at time 0");
  }
  wavelet.first = *first;
  return wavelet;
}

const OperationType& convolve() {
  static const OperationType type{.name = "convolve",
                                  .summary = "Convolves traces with a wavelet",
                                  .formula = "out(t) = sum over s of wavelet(s) in(t - s), zeros outside the trace",
                                  .example = "convolve wavelet=@wavelet.csv",
                                  .parameters = {{"wavelet", "@FILE", "", file_text}, full_parameter},
                                  .make = [](const Arguments& arguments) {
                                    return std::make_unique<Convolution>(arguments, "convolve", "wavelet", false);
                                  }};
  return type;
}

const OperationType& correlate() {
  static const OperationType type{.name = "correlate",
                                  .summary = "Correlates traces with a wavelet or a sweep",
                                  .formula = "out(t) = sum over s of wavelet(s) in(t + s), zeros outside the trace",
                                  .example = "correlate with=@sweep.csv",
                                  .parameters = {{"with", "@FILE", "", file_text}, full_parameter},
                                  .make = [](const Arguments& arguments) {
                                    return std::make_unique<Convolution>(arguments, "correlate", "with", true);
                                  }};
  return type;
}

}  // namespace sill::flow
