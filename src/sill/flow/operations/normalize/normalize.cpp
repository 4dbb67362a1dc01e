#include "sill/flow/operations/normalize/normalize.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"

namespace sill::flow {
namespace {

constexpr std::array<std::string_view, 2> measures{"max", "rms"};

class Normalize final : public Operation {
 public:
  explicit Normalize(const Arguments& arguments)
      : is_rms_(arguments.choice("by", measures) == 1),
        target_(arguments.quantity("target", Dimension::number).value_or(1.0)) {
    if (arguments.has("gather")) gathers_.emplace(arguments, "gather");
  }

  void bind(SurveyState& state) override {
    if (!gathers_) return;
    dead_.bind(state);
    gathers_->bind(state);
    state.sort_keys = gathers_->keys();
  }

  [[nodiscard]] Access access() const override {
    Access access{.scope = gathers_ ? Scope::gather : Scope::trace,
                  .reads_samples = true,
                  .writes_samples = true,
                  .changes_amplitudes = true};
    if (gathers_) {
      dead_.add_to(access);
      gathers_->add_to(access);
    }
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override {
    return gathers_ ? gathers_->keys() : std::vector<segy::TraceKey>{};
  }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    if (gathers_) return normalize_together(block, live_traces(block, dead_));
    for (std::int64_t i = 0; i < block.count(); ++i) normalize_together(block, {&i, 1});
  }

 private:
  void normalize_together(TraceBlock& block, std::span<const std::int64_t> traces) const {
    double largest = 0.0;
    double energy = 0.0;
    double count = 0.0;
    for (const std::int64_t i : traces)
      for (const float x : block.trace(i)) {
        largest = std::max(largest, std::abs(static_cast<double>(x)));
        energy += static_cast<double>(x) * static_cast<double>(x);
        count += x != 0.0F ? 1.0 : 0.0;
      }
    // With a sample that is NaN, both are NaN.
    const double amplitude = is_rms_ || std::isnan(energy) ? std::sqrt(energy / count) : largest;
    if (count == 0.0) return;
    for (const std::int64_t i : traces)
      for (float& x : block.change(i)) x = static_cast<float>(target_ * static_cast<double>(x) / amplitude);
  }

  bool is_rms_;
  double target_;
  std::optional<NamedKeys> gathers_;
  DeadTraces dead_;
};

}  // namespace

const OperationType& normalize() {
  static const OperationType type{
      .name = "normalize",
      .summary = "Divides a trace, or a gather, by its largest amplitude or its rms",
      .formula =
          "out = target x / A; A = max |x|, or sqrt(sum(x^2) / n) over the n non-zero samples; zero remains zero",
      .example = "normalize rms",
      .positionals = {"by"},
      .parameters = {{"by", "max | rms", "max", "Measure of the amplitude"},
                     {"target", "NUMBER", "1", "Amplitude of the result"},
                     {"gather", "KEY,KEY...", "none", "Divide all live traces that share these keys by one amplitude"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Normalize>(arguments); }};
  return type;
}

}  // namespace sill::flow
