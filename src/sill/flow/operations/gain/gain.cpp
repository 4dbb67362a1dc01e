#include "sill/flow/operations/gain/gain.hpp"

#include <cmath>
#include <limits>
#include <optional>

#include "sill/base/error.hpp"
#include "sill/base/processors.hpp"
#include "sill/flow/operation/trace_times.hpp"
#include "sill/flow/operation/velocity_field.hpp"

namespace sill::flow {
namespace {

SILL_FOR_PROCESSORS void multiply(float* trace, const double* factors, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) trace[i] = static_cast<float>(static_cast<double>(trace[i]) * factors[i]);
}

class Gain final : public Operation {
 public:
  explicit Gain(const Arguments& arguments)
      : power_(arguments.quantity("t", Dimension::number)),
        exponent_(arguments.quantity("exp", Dimension::number).value_or(0.0)),
        scale_(arguments.quantity("scale", Dimension::number).value_or(1.0)),
        db_per_s_(arguments.quantity("dbps", Dimension::decibel).value_or(0.0)),
        diverges_(arguments.flag("divergence")) {
    if (step_has_nothing(arguments))
      arguments.refuse("", "no gain is named", "give t, exp, scale, db, dbps, or divergence and velocity");
    if (const auto db = arguments.quantity("db", Dimension::decibel)) scale_ *= std::pow(10.0, *db / 20.0);
    if (diverges_ != arguments.has("velocity"))
      arguments.refuse(diverges_ ? "divergence" : "velocity", "divergence and velocity need each other");
    if (diverges_) field_.emplace(arguments, "velocity");
  }

  // A factor that does not depend on time may be applied to samples in depth, too.
  void bind(SurveyState& state) override {
    if (depends_on_time()) times_.emplace(state, "gain");
    if (!field_) return;
    field_->bind(state);
    if (field_->depends_on_location())
      throw Error({.code = ErrorCode::usage,
                   .problem = "gain: the table of velocities has several locations",
                   .action = "give one velocity function, with lines of time,velocity"});
    velocity_ = field_->function_at(0.0);
  }

  [[nodiscard]] Access access() const override {
    Access access{.reads_samples = true,
                  .writes_samples = true,
                  .can_stop = power_.value_or(0.0) < 0.0,
                  .changes_amplitudes = true};
    if (times_) access.read_number(times_->delay());
    return access;
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    double computed_for = std::numeric_limits<double>::quiet_NaN();
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const double start = times_ ? times_->start_s(block.header(i).data()) : 0.0;
      if (power_.value_or(0.0) < 0.0 && start <= 0.0)
        throw Error({.code = ErrorCode::input,
                     .problem = "a negative power of time is undefined at time 0 and before",
                     .where = {.item = i + 1, .item_word = "trace"},
                     .action = "begin the traces later, with 'window'"});
      if (start != computed_for) compute_factors(start, block.samples(), workspace);
      computed_for = start;
      multiply(block.change(i).data(), workspace.a.data(), workspace.a.size());
    }
  }

 private:
  static bool step_has_nothing(const Arguments& arguments) { return arguments.step().arguments.empty(); }

  [[nodiscard]] bool depends_on_time() const { return power_ || exponent_ != 0.0 || db_per_s_ != 0.0 || diverges_; }

  void compute_factors(double start_s, std::int64_t samples, Workspace& workspace) const {
    std::vector<double>& factors = workspace.a;
    factors.assign(static_cast<std::size_t>(samples), scale_);
    if (!times_) return;
    const double velocity_at_1_s = diverges_ ? velocity_->at(1.0) : 1.0;
    for (std::size_t i = 0; i < factors.size(); ++i) {
      const double t = start_s + static_cast<double>(i) * times_->interval_s();
      double factor = scale_ * std::exp(exponent_ * t) * std::pow(10.0, db_per_s_ * t / 20.0);
      if (power_) factor *= t <= 0.0 && *power_ > 0.0 ? 0.0 : std::pow(t, *power_);
      if (diverges_) factor *= std::max(0.0, t) * square(velocity_->at(t) / velocity_at_1_s);
      factors[i] = factor;
    }
  }

  static double square(double x) { return x * x; }

  std::optional<double> power_;
  double exponent_;
  double scale_;
  double db_per_s_;
  bool diverges_;
  std::optional<VelocityField> field_;
  std::optional<VelocityFunction> velocity_;
  std::optional<TraceTimes> times_;
};

}  // namespace

const OperationType& gain() {
  static const OperationType type{
      .name = "gain",
      .summary = "Multiplies samples by a factor that depends on time",
      .formula =
          "out = x scale 10^(db / 20) (t / 1 s)^N e^(A t) 10^(dbps t / 20); divergence: x t v(t)^2, normalized at "
          "1 s",
      .example = "gain t=2 exp=0.5",
      .parameters = {{"t", "N", "none",
                      "Power of time N; where t <= 0 the factor is 0 if N > 0, and N < 0 is an error"},
                     {"exp", "A", "0", "Exponent A of the factor e^(A t), in 1/s"},
                     {"scale", "NUMBER", "1", "Constant factor"},
                     {"db", "DECIBEL", "0 dB", "Constant factor of 10^(db / 20)"},
                     {"dbps", "DECIBEL", "0 dB", "Gain per second in dB"},
                     {"divergence", "", "", "Correct spherical divergence, with velocity", true},
                     {"velocity", "VELOCITY | @FILE", "none",
                      "With divergence: a velocity, or a file of lines time,velocity in s and m/s"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Gain>(arguments); }};
  return type;
}

}  // namespace sill::flow
