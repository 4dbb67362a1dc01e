#include "sill/flow/operations/taper/taper.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "sill/flow/operation/live_samples.hpp"
#include "sill/flow/operation/ramp.hpp"
#include "sill/flow/operation/trace_times.hpp"

namespace sill::flow {
namespace {

constexpr std::array<std::string_view, 2> parts{"trace", "live"};
constexpr std::array<std::string_view, 3> ends{"both", "begin", "end"};

class Taper final : public Operation {
 public:
  explicit Taper(const Arguments& arguments)
      : length_s_(arguments.required("length", Dimension::time)),
        shape_(ramp_shape(arguments.choice("shape", ramp_shapes))),
        is_of_live_(arguments.choice("of", parts) == 1),
        end_(arguments.choice("at", ends)) {
    if (length_s_ < 0.0) arguments.refuse("length", "the length is negative");
  }

  void bind(SurveyState& state) override { interval_s_ = TraceTimes(state, "taper").interval_s(); }

  [[nodiscard]] Access access() const override { return {.reads_samples = true, .writes_samples = true}; }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    const double length = length_s_ / interval_s_;
    if (length <= 0.0) return;
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const segy::SampleRange part = is_of_live_ ? live_samples(block.trace(i)) : segy::SampleRange{0, block.samples()};
      const std::span<float> trace =
          block.change(i).subspan(static_cast<std::size_t>(part.first), static_cast<std::size_t>(part.count));
      const auto reach = static_cast<std::size_t>(std::min(length + 1.0, static_cast<double>(part.count)));
      for (std::size_t s = 0; s < reach; ++s) {
        const double weight = ramp_weight(shape_, static_cast<double>(s), length);
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
  double interval_s_ = 1.0;
};

}  // namespace

const OperationType& taper() {
  static const OperationType type{
      .name = "taper",
      .summary = "Ramps at the ends of traces",
      .formula =
          "w = ramp((t - t_first) / L) and ramp((t_last - t) / L), from the first and the last sample; where they "
          "overlap they multiply",
      .example = "taper 100ms shape=cosine2",
      .positionals = {"length"},
      .parameters = {{"length", "TIME", "", "length L of a ramp"},
                     {"shape", "linear | cosine2 | sine", "linear", "the ramp: u, (1 - cos(pi u)) / 2, sin(pi u / 2)"},
                     {"of", "trace | live", "trace",
                      "ends of the trace, or of its samples from the first to the last "
                      "that is not zero"},
                     {"at", "both | begin | end", "both", "which ends"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Taper>(arguments); }};
  return type;
}

}  // namespace sill::flow
