#include "sill/flow/operations/bandpass/bandpass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <optional>

#include "sill/flow/operation/live_samples.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operations/bandpass/trace_filter.hpp"
#include "sill/formats/segy/samples/time_window.hpp"

namespace sill::flow {
namespace {

constexpr std::int64_t max_order = 20;
constexpr int default_order = 4;
constexpr double db_per_order = 6.0;
constexpr double pass_db = 3.0;
constexpr double stop_db = 20.0;

constexpr bool has_two_edges(Band band) { return band == Band::pass || band == Band::stop; }

class Butterworth final : public Operation {
 public:
  Butterworth(Band band, const Arguments& arguments)
      : band_(band),
        step_(arguments.step()),
        is_zero_phase_(arguments.flag("zerophase")),
        is_corrected_(arguments.flag("corrected")),
        remutes_(arguments.flag("remute")),
        padding_(arguments.has("pad") ? static_cast<Padding>(arguments.choice("pad", paddings))
                 : is_zero_phase_     ? Padding::odd
                                      : Padding::edge) {
    read_corners(arguments);
    arguments.require_with("corrected", "zerophase");
    window_ = arguments.time_window("window");
  }

  void bind(SurveyState& state) override {
    times_.emplace(state, step_.operation.c_str());
    samples_ = state.samples;
    const double interval_s = times_->interval_s();
    const double nyquist_hz = 0.5 / interval_s;
    for (const auto& [key, frequencies] : corners_)
      for (const double frequency : frequencies)
        if (frequency >= nyquist_hz)
          Arguments(step_).refuse(
              key, fmt::format("{:g} Hz is not below the Nyquist frequency, {:g} Hz", frequency, nyquist_hz),
              fmt::format("the sample interval is {:g} ms", interval_s * 1e3));
    filter_.emplace(butterworth(design(interval_s)), is_zero_phase_, padding_);
  }

  [[nodiscard]] Access access() const override {
    Access access{.reads_samples = true, .writes_samples = true};
    if (window_) access.read_number(times_->delay());
    return access;
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    std::array<float*, lane_count> series{};
    std::array<std::span<float>, lane_count> traces;
    std::array<segy::SampleRange, lane_count> live{};
    std::size_t count = 0;
    std::int64_t samples = 0;
    std::int64_t cut = 0;
    std::int64_t own = 0;  // number of traces in `series` that are counted
    // Filters windows of equal length at once.
    const auto finish = [&] {
      if (count == 0) return;
      filter_->filter(std::span(series).first(count), samples, workspace.a);
      if (filter_->padding_of(samples) < filter_->full_padding()) cut += own;
      for (std::size_t k = 0; remutes_ && k < count; ++k) mute_again(traces[k], live[k]);
      count = 0;
      own = 0;
    };
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const segy::SampleRange range = filtered_samples(block.header(i).data());
      if (range.count == 0) {
        block.count(outside_, i);
        continue;
      }
      if (range.count != samples || count == series.size()) finish();
      samples = range.count;
      traces[count] = block.change(i);
      if (remutes_) live[count] = live_samples(traces[count]);
      series[count] = traces[count].data() + range.first;
      ++count;
      if (!block.origin(i).is_neighbour) ++own;
    }
    finish();
    cut_ += cut;
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    return {{"traces that are too short for the padding that the filter needs", cut_.load()},
            {"traces remained unchanged, because no sample is in the window", outside_.load()}};
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t /*traces*/) const override {
    return filter_->memory_bytes(samples_);
  }

 private:
  struct Corner {
    std::string_view key;
    std::vector<double> frequencies_hz;
  };

  void read_corners(const Arguments& arguments) {
    const bool is_band = has_two_edges(band_);
    const auto take = [&](std::string_view key, std::vector<double> frequencies) {
      for (const double frequency : frequencies)
        if (frequency <= 0.0) arguments.refuse(key, fmt::format("{:g} Hz is not above 0", frequency));
      corners_.push_back({key, std::move(frequencies)});
    };
    if (arguments.has("pass") || arguments.has("stop")) return read_bands(arguments, take);
    const std::string_view first = is_band ? "f1" : "f";
    if (!arguments.has(first))
      arguments.refuse(first, fmt::format("{} is missing", arguments.shown(is_band ? "f1=" : "f=")),
                       fmt::format("give {}, or {} and {}", is_band ? "two corners" : "a corner",
                                   arguments.shown("pass="), arguments.shown("stop=")));
    take(first, {arguments.required(first, Dimension::frequency)});
    if (is_band) {
      take("f2", {arguments.required("f2", Dimension::frequency)});
      if (f1() >= f2()) arguments.refuse("f2", fmt::format("{:g} Hz is not above {:g} Hz", f2(), f1()));
    }
    const auto order = arguments.integer("order", 1, max_order);
    const auto slope = arguments.quantity("slope", Dimension::decibel);
    if (order && slope)
      arguments.refuse(
          "slope", fmt::format("{} and {} set the same property", arguments.shown("order="), arguments.shown("slope=")),
          "omit one of them");
    filter_order_ = static_cast<int>(order.value_or(default_order));
    if (!slope) return;
    const double orders = *slope / db_per_order;
    if (orders != std::floor(orders) || orders < 1.0 || orders > static_cast<double>(max_order))
      arguments.refuse("slope",
                       fmt::format("a slope must be a multiple of 6dB, up to {:g}dB", db_per_order * max_order),
                       "it applies to one pass, per octave");
    filter_order_ = static_cast<int>(orders);
  }

  template <class Take>
  void read_bands(const Arguments& arguments, Take&& take) {
    has_bands_ = true;
    for (const std::string_view key : {"f", "f1", "f2", "order", "slope", "corrected"})
      if (arguments.has(key))
        arguments.refuse(key, fmt::format("{} and {} exclude each other",
                                          arguments.shown(fmt::format("{}{}", key, key == "corrected" ? "" : "=")),
                                          arguments.shown(arguments.has("pass") ? "pass=" : "stop=")));
    for (const std::string_view key : {"pass", "stop"}) {
      std::vector<double> frequencies = arguments.quantities(key, Dimension::frequency);
      const std::size_t wanted = has_two_edges(band_) ? 2 : 1;
      if (frequencies.size() != wanted)
        arguments.refuse(key, wanted == 2 ? "two frequencies are needed, such as 8,60" : "one frequency is needed");
      take(key, std::move(frequencies));
    }
    const std::vector<double>& pass = corners_[0].frequencies_hz;
    const std::vector<double>& stop = corners_[1].frequencies_hz;
    const auto refuse = [&](std::string_view order) {
      arguments.refuse("stop", fmt::format("the corners are not in order, {}", order));
    };
    switch (band_) {
      case Band::low:
        if (pass[0] >= stop[0]) refuse("pass < stop");
        break;
      case Band::high:
        if (stop[0] >= pass[0]) refuse("stop < pass");
        break;
      case Band::pass:
        if (!(stop[0] < pass[0] && pass[0] < pass[1] && pass[1] < stop[1])) refuse("stop < pass < pass < stop");
        break;
      case Band::stop:
        if (!(pass[0] < stop[0] && stop[0] < stop[1] && stop[1] < pass[1])) refuse("pass < stop < stop < pass");
        break;
    }
  }

  [[nodiscard]] double f1() const { return corners_[0].frequencies_hz[0]; }
  [[nodiscard]] double f2() const { return corners_[1].frequencies_hz[0]; }

  [[nodiscard]] ButterworthDesign design(double interval_s) const {
    const auto w = [&](double frequency) { return warped(frequency, interval_s); };
    if (!has_bands_) {
      ButterworthDesign design{.band = band_, .order = filter_order_, .w1 = w(f1())};
      if (has_two_edges(band_)) design.w2 = w(f2());
      return is_corrected_ ? corrected_for_two_passes(design) : design;
    }
    const std::vector<double>& pass = corners_[0].frequencies_hz;
    const std::vector<double>& stop = corners_[1].frequencies_hz;
    const double passes = is_zero_phase_ ? 2.0 : 1.0;
    const ButterworthCorners corners{.band = band_,
                                     .pass1 = w(pass.front()),
                                     .pass2 = w(pass.back()),
                                     .stop1 = w(stop.front()),
                                     .stop2 = w(stop.back()),
                                     .pass_db = pass_db / passes,
                                     .stop_db = stop_db / passes};
    const double order = std::max(1.0, std::ceil(order_of(corners)));
    if (!(order <= static_cast<double>(max_order)))
      Arguments(step_).refuse("stop", fmt::format("these corners need a filter of order {:.0f}", order),
                              fmt::format("move the frequencies apart: the highest order is {}", max_order));
    return design_of(corners, static_cast<int>(order));
  }

  [[nodiscard]] segy::SampleRange filtered_samples(const std::byte* header) const {
    if (!window_) return {0, samples_};
    return segy::samples_in(*window_, times_->start_s(header) * 1e6, times_->interval_s() * 1e6, samples_);
  }

  Band band_;
  Step step_;
  bool is_zero_phase_;
  bool is_corrected_;
  bool remutes_;
  Padding padding_;
  bool has_bands_ = false;       // pass= and stop= are given instead of the corners of the filter
  std::vector<Corner> corners_;  // f or f1 and f2, or pass and stop
  int filter_order_ = 0;
  std::optional<segy::TimeWindow> window_;
  std::optional<TraceTimes> times_;
  std::int64_t samples_ = 0;
  std::optional<TraceFilter> filter_;
  mutable std::atomic<std::int64_t> cut_ = 0;
  mutable std::atomic<std::int64_t> outside_ = 0;
};

OperationType type_of(Band band, std::string_view name, std::string_view summary, std::string_view example) {
  const bool is_band = has_two_edges(band);
  OperationType type{
      .name = name,
      .summary = summary,
      .formula =
          "Butterworth filter, bilinear transform with w = tan(pi f dt), in second-order sections; 3 dB down at the "
          "corners after one pass, 6 dB after the two passes of zerophase",
      .example = example,
      .make = [band](const Arguments& arguments) { return std::make_unique<Butterworth>(band, arguments); }};
  // Either corners or pass= and stop= are required, so none of them is required separately.
  if (is_band) {
    type.positionals = {"f1", "f2"};
    type.parameters = {{"f1", "FREQUENCY", "none", "Lower corner, above 0"},
                       {"f2", "FREQUENCY", "none", "Upper corner, below the Nyquist frequency"}};
  } else {
    type.positionals = {"f"};
    type.parameters = {{"f", "FREQUENCY", "none", "Corner, above 0 and below the Nyquist frequency"}};
  }
  const std::string_view form = is_band ? "F,F" : "F";
  const std::vector<Parameter> others{
      {"order", "NUMBER", "4", "Filter order at each corner, 1 to 20"},
      {"slope", "DECIBELS", "none",
       "Slope per pass in dB per octave, instead of an order; 24dB corresponds to order 4"},
      {"pass", form, "none", "Frequencies at which at most 3 dB are lost; pass and stop replace corners and order"},
      {"stop", form, "none",
       "Frequencies at which at least 20 dB are lost. The filter gets the lowest order that satisfies pass and stop"},
      {"zerophase", "", "", "Filter forward, then backward", true},
      {"corrected", "", "",
       "With zerophase: adjust the corners so that the result of both passes is 3 dB down at the stated corners", true},
      {"pad", "odd | zero | edge | reflect | symmetric", "odd with zerophase, otherwise edge",
       "How to extend the trace at its ends, until the filter has decayed to 0.001; at most by the trace length - 1"},
      {"window", "T1:T2", "all", "Filter only the samples in this window, as if they were the whole trace"},
      {"remute", "", "", "After filtering, set the zeros at the beginning and end of the trace to 0 again", true}};
  type.parameters.insert(type.parameters.end(), others.begin(), others.end());
  return type;
}

}  // namespace

const OperationType& bandpass() {
  static const OperationType type = type_of(Band::pass, "bandpass", "Keeps the frequencies between two corners",
                                            "bandpass 8Hz 60Hz order=4 zerophase");
  return type;
}

const OperationType& bandstop() {
  static const OperationType type =
      type_of(Band::stop, "bandstop", "Removes the frequencies between two corners", "bandstop 48Hz 52Hz");
  return type;
}

const OperationType& highpass() {
  static const OperationType type =
      type_of(Band::high, "highpass", "Keeps the frequencies above a corner", "highpass 4Hz");
  return type;
}

const OperationType& lowpass() {
  static const OperationType type =
      type_of(Band::low, "lowpass", "Keeps the frequencies below a corner", "lowpass 60Hz zerophase");
  return type;
}

}  // namespace sill::flow
