#include "sill/flow/operations/taper/taper.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/operation/live_samples.hpp"
#include "sill/flow/operation/ramp.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

constexpr std::array<std::string_view, 2> tapered_parts{"trace", "live"};
constexpr std::array<std::string_view, 3> ends{"both", "begin", "end"};
constexpr std::array<std::string_view, 2> zeros{"inside", "outside"};

class Taper final : public Operation {
 public:
  explicit Taper(const Arguments& arguments)
      : length_s_(arguments.required("length", Dimension::time)),
        shape_(ramp_shape(arguments.choice("shape", ramp_shapes))),
        is_of_live_(arguments.choice("of", tapered_parts) == 1),
        end_(arguments.choice("at", ends)),
        begin_(arguments.choice("zero", zeros) == 1 ? 1 : 0) {
    if (length_s_ < 0.0) arguments.refuse("length", "the length must not be negative");
  }

  void bind(SurveyState& state) override {
    interval_s_ = TraceTimes(state, "taper").interval_s();
    if (is_of_live_) dead_.bind(state);
  }

  [[nodiscard]] Access access() const override {
    Access access{.reads_samples = true, .writes_samples = true};
    dead_.add_to(access);
    return access;
  }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    const double length = length_s_ / interval_s_;
    if (length <= 0.0) return;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      if (dead_.contains(block.header(i).data())) continue;
      const segy::SampleRange part = is_of_live_ ? live_samples(block.trace(i)) : segy::SampleRange{0, block.samples()};
      const std::span<float> trace =
          block.change(i).subspan(static_cast<std::size_t>(part.first), static_cast<std::size_t>(part.count));
      const auto reach = static_cast<std::size_t>(std::min(length + 1.0, static_cast<double>(part.count)));
      for (std::size_t s = 0; s < reach; ++s) {
        const double weight = ramp_weight(shape_, static_cast<double>(s + begin_), length);
        if (end_ != 2) trace[s] = static_cast<float>(static_cast<double>(trace[s]) * weight);
        float& mirrored = trace[trace.size() - 1 - s];
        if (end_ != 1) mirrored = static_cast<float>(static_cast<double>(mirrored) * weight);
      }
    }
  }

 private:
  double length_s_;
  RampShape shape_;
  bool is_of_live_;
  std::size_t end_;
  std::size_t begin_;  // start of the ramp, in samples before the first one
  DeadTraces dead_;
  double interval_s_ = 1.0;
};

}  // namespace

const OperationType& taper() {
  static const OperationType type{
      .name = "taper",
      .summary = "Applies ramps at the ends of traces",
      .formula =
          "w = ramp((t - t0) / L) and ramp((t1 - t) / L); t0, t1: the first and the last sample, or one interval "
          "outside them; overlapping ramps are multiplied",
      .example = "taper 100ms shape=cosine2",
      .positionals = {"length"},
      .parameters = {{"length", "TIME", "", "Length L of each ramp"},
                     {"shape", "linear | cosine2 | sine", "linear",
                      "Weight along the ramp, on which u rises from 0 to 1: u (linear), (1 - cos(pi u)) / 2 (cosine2) "
                      "or sin(pi u / 2) (sine)"},
                     {"of", "trace | live", "trace",
                      "Ends of the trace, or of its samples from the first to the last non-zero one"},
                     {"at", "both | begin | end", "both", "Ends to taper"},
                     {"zero", "inside | outside", "inside",
                      "Position at which the ramp is 0: at the outermost sample, or one interval outside it"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Taper>(arguments); }};
  return type;
}

}  // namespace sill::flow
