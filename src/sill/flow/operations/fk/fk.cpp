#include "sill/flow/operations/fk/fk.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "sill/flow/operation/lanes/lane_rows.hpp"
#include "sill/flow/operation/lanes/spectrum_table.hpp"
#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"
#include "sill/flow/operation/trace_offset.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

using Complex = SpectrumTable::Complex;

enum class Dip : std::uint8_t { both, positive, negative };

class Fk final : public Operation {
 public:
  explicit Fk(const Arguments& arguments)
      : keys_(arguments), spacing_m_(arguments.quantity("spacing", Dimension::length)) {
    static constexpr std::array<std::string_view, 2> tasks{"remove", "keep"};
    static constexpr std::array<std::string_view, 3> dips{"both", "positive", "negative"};
    (void)arguments.required_text("task");
    removes_ = arguments.choice("task", tasks) == 0;
    dip_ = static_cast<Dip>(arguments.choice("dip", dips));
    taper_ = arguments.quantity("taper", Dimension::share).value_or(0.2);
    if (taper_ < 0.0 || taper_ > 1.0) arguments.refuse("taper", "the taper must be a share from 0% to 100%");
    const std::vector<std::pair<double, double>> ranges = arguments.ranges("velocities", Dimension::velocity);
    if (ranges.size() != 1 || ranges.front().first < 0.0)
      arguments.refuse("velocities", "one range of velocities is needed, which begins at 0 or more",
                       "write " + arguments.shown("velocities=0m/s-1500m/s"));
    min_slowness_ = 1.0 / ranges.front().second;
    max_slowness_ = ranges.front().first > 0.0 ? 1.0 / ranges.front().first : std::numeric_limits<double>::infinity();
    if (spacing_m_ && !(*spacing_m_ > 0.0)) arguments.refuse("spacing", "the spacing must be above 0");
  }

  void bind(SurveyState& state) override {
    keys_.bind(state);
    dead_.bind(state);
    order_ = state.order;
    unit_m_ = length_unit_m(state);
    if (!spacing_m_) offset_ = state.words->word("offset");
    times_.emplace(state, "fk");
    interval_s_ = times_->interval_s();
    samples_ = state.samples;
    fft_.emplace(RealFft::fast_length(2 * samples_));
    state.sort_keys = keys_.keys();
  }

  [[nodiscard]] Access access() const override {
    Access access{.scope = Scope::gather, .reads_samples = true, .writes_samples = true, .can_stop = true};
    if (offset_) access.read_number({*offset_, 1e9});
    access.read_number(times_->delay());
    dead_.add_to(access);
    keys_.add_to(access);
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override { return keys_.keys(); }

  void run(TraceBlock& block, Workspace& workspace) const override {
    const std::int64_t count = block.count();
    if (count < 2) return;
    const double spacing_m = spacing_of(block);
    const std::vector<std::int64_t> live = live_traces(block, dead_);
    require_one_start(block, live, *times_);
    const std::vector<float> zeros(static_cast<std::size_t>(samples_));
    const std::vector<const float*> in = samples_or_zeros(block, live, zeros);
    SpectrumTable spectra(*fft_, in.size());
    spectra.take(in, samples_, workspace);
    filter(spectra, count, spacing_m, workspace);
    std::vector<std::vector<float>> made(in.size(), std::vector<float>(static_cast<std::size_t>(samples_)));
    std::vector<float*> out;
    for (std::vector<float>& trace : made) out.push_back(trace.data());
    spectra.give(out, samples_, workspace);
    for (const std::int64_t i : live) {
      const segy::SampleRange range = live_samples(block.trace(i));
      std::ranges::copy(made[static_cast<std::size_t>(i)], block.change(i).begin());
      mute_again(block.change(i), range);
    }
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override {
    const std::int64_t across = RealFft::fast_length(2 * traces) + 2;
    return traces * (8 * fft_->rows() + 4 * samples_) + 2 * bytes_of_lane_rows(std::max(fft_->rows(), across)) +
           bytes_of_lane_rows(across);
  }

 private:
  // Returns the spacing between traces; negative if offsets descend. Errors: input, at the first trace with a different
  // spacing.
  [[nodiscard]] double spacing_of(TraceBlock& block) const {
    if (spacing_m_) return *spacing_m_;
    std::vector<double> offsets;
    for (std::int64_t i = 0; i < block.count(); ++i)
      offsets.push_back(segy::true_value(*offset_, block.header(i).data(), order_) * unit_m_);
    const OffsetSpacing found = spacing_of_offsets(offsets, segy::is_float(offset_->type) ? 0.0 : unit_m_);
    if (!found.uneven) return found.spacing;
    throw Error(
        {.code = ErrorCode::input,
         .problem = fmt::format("the offset {:g} m of the trace is not {:g} m away from the offsets of its neighbours",
                                offsets[static_cast<std::size_t>(*found.uneven)], found.spacing),
         .where = {.item = *found.uneven + 1, .item_word = "trace"},
         .action = "sort by offset, make the offsets evenly spaced with 'regularize', or give spacing= if the "
                   "traces are evenly spaced"});
  }

  // Returns the weight of a slowness in s/m.
  [[nodiscard]] double weight(double slowness) const {
    if (dip_ != Dip::both && (slowness > 0.0) != (dip_ == Dip::positive)) return removes_ ? 1.0 : 0.0;
    const double p = std::abs(slowness);
    const double beyond = p < min_slowness_   ? (min_slowness_ - p) / min_slowness_
                          : p > max_slowness_ ? (p - max_slowness_) / max_slowness_
                                              : 0.0;
    const double inside = beyond == 0.0 ? 1.0 : taper_ > 0.0 ? std::max(0.0, 1.0 - beyond / taper_) : 0.0;
    return removes_ ? 1.0 - inside : inside;
  }

  // Transforms the real and imaginary parts of several frequencies over space at once.
  void filter(SpectrumTable& spectra, std::int64_t count, double spacing_m, Workspace& workspace) const {
    constexpr std::int64_t at_once = lane_count / 2;
    const RealFft across(RealFft::fast_length(2 * count));
    double* const series = lane_rows(workspace.a, across.rows());
    double* const other = lane_rows(workspace.b, across.rows());
    const double step_hz = 1.0 / (interval_s_ * static_cast<double>(fft_->length()));
    const double step_k = 1.0 / (spacing_m * static_cast<double>(across.length()));
    const double scale = 1.0 / static_cast<double>(across.length());
    for (std::int64_t first = 0; first < fft_->frequencies(); first += at_once) {
      const std::int64_t taken = std::min(at_once, fft_->frequencies() - first);
      std::fill_n(series, across.rows() * lane_count, 0.0);
      for (std::int64_t f = 0; f < taken; ++f)
        for (std::int64_t x = 0; x < count; ++x) {
          const Complex value = spectra.at(first + f)[static_cast<std::size_t>(x)];
          series[x * lane_count + 2 * f] = value.real();
          series[x * lane_count + 2 * f + 1] = value.imag();
        }
      double* const rows = across.forward(series, other);
      for (std::int64_t f = 0; f < taken; ++f) {
        const double frequency = static_cast<double>(first + f) * step_hz;
        for (std::int64_t k = 0; k < across.frequencies(); ++k) {
          double* const real = rows + 2 * k * lane_count + 2 * f;
          double* const imaginary = real + lane_count;
          const Complex of_real{real[0], imaginary[0]};
          const Complex of_imaginary{real[1], imaginary[1]};
          constexpr Complex i{0.0, 1.0};
          const double wavenumber = static_cast<double>(k) * step_k;
          const double weight_above = weight_at(frequency, wavenumber);
          const double weight_below = weight_at(frequency, -wavenumber);
          // The values of the Nyquist wavenumber are a single value.
          const bool is_one = 2 * k == across.length();
          const double mean = 0.5 * (weight_above + weight_below);
          // The value at k, and the conjugate of the value at -k.
          const Complex above = (is_one ? mean : weight_above) * (of_real + i * of_imaginary);
          const Complex below = (is_one ? mean : weight_below) * (of_real - i * of_imaginary);
          const Complex sum = 0.5 * (above + below);
          const Complex difference = -0.5 * i * (above - below);
          real[0] = sum.real();
          imaginary[0] = sum.imag();
          real[1] = difference.real();
          imaginary[1] = difference.imag();
        }
      }
      double* const filtered = across.backward(rows, rows == series ? other : series);
      for (std::int64_t f = 0; f < taken; ++f)
        for (std::int64_t x = 0; x < count; ++x)
          spectra.at(first + f)[static_cast<std::size_t>(x)] = {filtered[x * lane_count + 2 * f] * scale,
                                                                filtered[x * lane_count + 2 * f + 1] * scale};
    }
  }

  // Energy that is the same in all traces has the slowness 0.
  [[nodiscard]] double weight_at(double frequency, double wavenumber) const {
    if (wavenumber == 0.0) return weight(0.0);
    return weight(frequency > 0.0 ? -wavenumber / frequency
                                  : std::copysign(std::numeric_limits<double>::infinity(), -wavenumber));
  }

  NamedKeys keys_;
  std::optional<double> spacing_m_;
  bool removes_ = true;
  Dip dip_ = Dip::both;
  double taper_ = 0.2;
  double min_slowness_ = 0.0;  // slownesses, in s/m
  double max_slowness_ = 0.0;
  ByteOrder order_ = ByteOrder::big;
  double unit_m_ = 1.0;
  std::optional<segy::WordRef> offset_;
  std::optional<TraceTimes> times_;
  DeadTraces dead_;
  double interval_s_ = 1.0;
  std::int64_t samples_ = 0;
  std::optional<RealFft> fft_;
};

}  // namespace

const OperationType& fk() {
  static const OperationType type{
      .name = "fk",
      .summary = "Removes or keeps events with apparent velocities in a range, in gathers of evenly spaced traces",
      .formula =
          "by a transform over time and space: weight 1 for slownesses |p| = |k / f| from 1/B to 1/A of "
          "velocities=A-B, falling to 0 over the taper outside; for remove 1 - weight",
      .example = "fk remove velocities=0m/s-1500m/s spacing=12.5m by=fldr",
      .positionals = {"task"},
      .parameters = {{"task", "remove | keep", "", "Treatment of these events"},
                     {"velocities", "VELOCITY-VELOCITY", "",
                      "Range A-B of apparent velocities; A = 0 includes all slower than B"},
                     {"taper", "SHARE", "20%",
                      "Width of the taper outside the range, as a share of the slownesses 1/A and 1/B"},
                     {"dip", "both | positive | negative", "both",
                      "Direction of the events; positive: times increase from trace to trace"},
                     {"spacing", "LENGTH", "the distance between offsets", "Distance between traces"},
                     NamedKeys::parameter()},
      .make = [](const Arguments& arguments) { return std::make_unique<Fk>(arguments); }};
  return type;
}

}  // namespace sill::flow
