#include "sill/flow/operations/debias/debias.hpp"

#include <array>

#include "sill/flow/operation/dead_traces.hpp"
#include "sill/flow/operation/live_samples.hpp"

namespace sill::flow {
namespace {

constexpr std::array<std::string_view, 2> trends{"mean", "line"};

class Debias final : public Operation {
 public:
  explicit Debias(const Arguments& arguments) : is_line_(arguments.choice("of", trends) == 1) {}

  void bind(SurveyState& state) override { dead_.bind(state); }

  [[nodiscard]] Access access() const override {
    Access access{.reads_samples = true, .writes_samples = true};
    dead_.add_to(access);
    return access;
  }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    for (std::int64_t i = 0; i < block.count(); ++i) {
      if (dead_.contains(block.header(i).data())) continue;
      const segy::SampleRange live = live_samples(block.trace(i));
      if (live.count == 0) continue;
      const std::span<float> trace =
          block.change(i).subspan(static_cast<std::size_t>(live.first), static_cast<std::size_t>(live.count));
      // Least squares about the middle of the live samples, where mean and slope are independent.
      const double middle = 0.5 * static_cast<double>(live.count - 1);
      double sum = 0.0;
      double moment = 0.0;
      double spread = 0.0;
      for (std::size_t s = 0; s < trace.size(); ++s) {
        const double distance = static_cast<double>(s) - middle;
        sum += static_cast<double>(trace[s]);
        moment += distance * static_cast<double>(trace[s]);
        spread += distance * distance;
      }
      const double mean = sum / static_cast<double>(live.count);
      const double slope = is_line_ && spread > 0.0 ? moment / spread : 0.0;
      for (std::size_t s = 0; s < trace.size(); ++s)
        trace[s] = static_cast<float>(static_cast<double>(trace[s]) - mean - slope * (static_cast<double>(s) - middle));
    }
  }

 private:
  bool is_line_;
  DeadTraces dead_;
};

class Polarity final : public Operation {
 public:
  void bind(SurveyState& /*state*/) override {}

  [[nodiscard]] Access access() const override { return {.reads_samples = true, .writes_samples = true}; }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    for (std::int64_t i = 0; i < block.count(); ++i)
      for (float& x : block.change(i)) x = -x;
  }
};

}  // namespace

const OperationType& debias() {
  static const OperationType type{
      .name = "debias",
      .summary = "Subtracts the mean, or a fitted line, from the live samples of a trace",
      .formula =
          "out = x - mean(x), or x minus the least-squares line, over the samples from the first to the last non-zero "
          "one; dead traces (trid 2) are unchanged",
      .example = "debias line",
      .positionals = {"of"},
      .parameters = {{"of", "mean | line", "mean", "Value to subtract"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Debias>(arguments); }};
  return type;
}

const OperationType& polarity() {
  static const OperationType type{.name = "polarity",
                                  .summary = "Changes the sign of all samples",
                                  .formula = "out = -x",
                                  .example = "polarity",
                                  .make = [](const Arguments& /*arguments*/) { return std::make_unique<Polarity>(); }};
  return type;
}

}  // namespace sill::flow
