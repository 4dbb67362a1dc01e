#include "sill/flow/operations/spectrum/spectrum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/units.hpp"
#include "sill/comm/agree.hpp"
#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/operation/lanes/spectral_filter.hpp"
#include "sill/flow/operation/live_samples.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/formats/segy/samples/sample_statistics.hpp"
#include "sill/io/files/whole_text_file.hpp"

namespace sill::flow {
namespace {

// Mean amplitudes of frequencies that are `step_hz` apart, from 0.
struct MeanSpectrum {
  std::vector<double> amplitudes;
  double step_hz = 0.0;
  double largest = 0.0;  // of the amplitudes

  [[nodiscard]] double db(double amplitude) const { return 20.0 * std::log10(amplitude / largest); }
  [[nodiscard]] double hz(std::ptrdiff_t k) const { return static_cast<double>(k) * step_hz; }

  // Returns the band from the lowest to the highest frequency whose amplitude is at most `db_below` below the largest.
  [[nodiscard]] std::string band(double db_below) const {
    const auto is_within = [&](double amplitude) { return db(amplitude) >= -db_below; };
    const auto first = std::ranges::find_if(amplitudes, is_within);
    auto last = amplitudes.end() - 1;
    while (!is_within(*last)) --last;
    return fmt::format("within {:g} dB from {:.4g} to {:.4g} Hz", db_below, hz(first - amplitudes.begin()),
                       hz(last - amplitudes.begin()));
  }
};

void write_table(const Resources& resources, const MeanSpectrum& spectrum, const std::string& path) {
  std::string text = "frequency_hz,mean_amplitude,db\n";
  for (std::size_t k = 0; k < spectrum.amplitudes.size(); ++k)
    text += fmt::format("{:.9g},{:.9g},{:.6g}\n", spectrum.hz(static_cast<std::ptrdiff_t>(k)), spectrum.amplitudes[k],
                        spectrum.db(spectrum.amplitudes[k]));
  WholeTextFile file(resources, path);
  file.write(text);
  file.finish();
}

class Spectrum final : public Operation {
 public:
  explicit Spectrum(const Arguments& arguments)
      : operation_(arguments.step().operation), table_(arguments.text("table").value_or("")) {
    if (!table_.empty() && !table_.ends_with(".csv"))
      arguments.refuse("table", "the name of the table does not end with .csv",
                       "write " + arguments.shown("table=spectrum.csv"));
  }

  void bind(SurveyState& state) override {
    const double interval_s = TraceTimes(state, operation_.c_str()).interval_s();
    fft_.emplace(RealFft::fast_length(state.samples));
    step_hz_ = 1.0 / (interval_s * static_cast<double>(fft_->length()));
    sums_.resize(static_cast<std::size_t>(fft_->frequencies()));
    dead_.bind(state);
  }

  [[nodiscard]] Access access() const override {
    Access access{.reads_samples = true, .reports = true};
    dead_.add_to(access);
    return access;
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    std::array<const float*, lane_count> series{};
    std::size_t count = 0;
    std::int64_t left_out = 0;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      if (block.origin(i).is_neighbour) continue;
      const std::span<const float> trace = block.trace(i);
      const auto is_finite = [](float x) { return std::isfinite(x); };
      if (dead_.contains(block.header(i).data()) || live_samples(trace).count == 0 ||
          !std::ranges::all_of(trace, is_finite)) {
        ++left_out;
        continue;
      }
      series[count++] = trace.data();
      if (count < series.size()) continue;
      add(series, block.samples(), workspace);
      count = 0;
    }
    if (count > 0) add(std::span(series).first(count), block.samples(), workspace);
    const std::scoped_lock lock(mutex_);
    counts_[1] += left_out;
  }

  [[nodiscard]] std::vector<std::string> report(const Resources& resources,
                                                std::span<const std::int64_t> /*counts*/) const override {
    Communicator& comm = resources.comm;
    std::vector<std::int64_t> digits;
    for (const segy::ExactSum& sum : sums_) std::ranges::copy(sum.digits(), std::back_inserter(digits));
    comm.all_reduce(digits, Reduction::sum);
    comm.all_reduce(counts_, Reduction::sum);
    const auto [traces, left_out] = counts_;
    const std::string others =
        left_out > 0 ? fmt::format("; {} omitted: dead, or with samples that are not finite", format_count(left_out))
                     : std::string();
    MeanSpectrum mean{.amplitudes = {}, .step_hz = step_hz_};
    if (traces == 0) {
      if (!table_.empty()) run_on_rank(comm, 0, [&] { write_table(resources, mean, table_); });
      return {"no traces" + others};
    }
    for (std::span<const std::int64_t> left = digits; !left.empty(); left = left.subspan(segy::ExactSum::digit_count)) {
      segy::ExactSum sum;
      sum.merge(left.first<segy::ExactSum::digit_count>());
      mean.amplitudes.push_back(sum.value() / static_cast<double>(traces));
    }
    const auto peak = std::ranges::max_element(mean.amplitudes);
    mean.largest = *peak;
    if (!table_.empty()) run_on_rank(comm, 0, [&] { write_table(resources, mean, table_); });
    return {fmt::format("mean amplitude of {} traces largest at {:.4g} Hz, {}, {}{}{}", format_count(traces),
                        mean.hz(peak - mean.amplitudes.begin()), mean.band(6.0), mean.band(20.0),
                        table_.empty() ? "" : fmt::format("; {} frequencies in {}", mean.amplitudes.size(), table_),
                        others)};
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t /*traces*/) const override {
    return 2 * bytes_of_lane_rows(fft_->rows());
  }

 private:
  void add(std::span<const float* const> series, std::int64_t samples, Workspace& workspace) const {
    const double* const spectra = spectra_of(*fft_, series, samples, workspace).spectra;
    const std::scoped_lock lock(mutex_);
    for (std::size_t k = 0; k < sums_.size(); ++k) {
      const double* const re = spectra + 2 * k * lane_count;
      const double* const im = re + lane_count;
      std::array<double, lane_count> amplitudes{};
      for (std::size_t lane = 0; lane < amplitudes.size(); ++lane)
        amplitudes[lane] = std::sqrt(re[lane] * re[lane] + im[lane] * im[lane]);
      for (std::size_t lane = 0; lane < series.size(); ++lane) sums_[k].add(amplitudes[lane]);
    }
    counts_[0] += std::ssize(series);
  }

  std::string operation_;
  std::string table_;
  DeadTraces dead_;
  std::optional<RealFft> fft_;
  double step_hz_ = 0.0;
  mutable std::mutex mutex_;
  mutable std::vector<segy::ExactSum> sums_;
  mutable std::array<std::int64_t, 2> counts_{};  // traces, and skipped traces
};

}  // namespace

const OperationType& spectrum() {
  static const OperationType type{
      .name = "spectrum",
      .summary = "Reports the mean amplitude spectrum of the traces",
      .formula = "A(f) = mean over live traces of |sum x(n) exp(-2 pi i f n dt)|; dB = 20 log10(A / the largest A)",
      .example = "spectrum",
      .parameters = {{.name = "table",
                      .form = "FILE.csv",
                      .default_value = "none",
                      .text = "Write frequency, mean amplitude and dB to this file, one line per frequency",
                      .is_output = true}},
      .reports = true,
      .make = [](const Arguments& arguments) { return std::make_unique<Spectrum>(arguments); }};
  return type;
}

}  // namespace sill::flow
