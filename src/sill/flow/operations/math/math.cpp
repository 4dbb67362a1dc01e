#include "sill/flow/operations/math/math.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <numeric>

#include "sill/flow/operation/other_survey.hpp"

namespace sill::flow {
namespace {

constexpr std::array<std::string_view, 4> calculations{"minus", "plus", "times", "over"};
enum class Calculation : std::uint8_t { minus, plus, times, over };

class Math final : public Operation {
 public:
  explicit Math(const Arguments& arguments)
      : calculation_(static_cast<Calculation>(arguments.choice("do", calculations))), partners_(arguments, "with") {
    (void)arguments.required_text("do");
  }

  void bind(SurveyState& state) override { partners_.bind(state); }

  [[nodiscard]] Access access() const override {
    const bool scales = calculation_ == Calculation::times || calculation_ == Calculation::over;
    Access access{.reads_samples = true, .writes_samples = true, .changes_amplitudes = scales};
    partners_.add_to(access);
    return access;
  }

  void run(TraceBlock& block, Workspace& /*workspace*/) const override {
    std::vector<std::int64_t> all(static_cast<std::size_t>(block.count()));
    std::iota(all.begin(), all.end(), std::int64_t{0});
    partners_.visit(block, all, [&](std::int64_t i, std::span<const float> partner) {
      const std::span<float> trace = block.change(i);
      switch (calculation_) {
        case Calculation::minus: std::ranges::transform(trace, partner, trace.begin(), std::minus<>()); break;
        case Calculation::plus: std::ranges::transform(trace, partner, trace.begin(), std::plus<>()); break;
        case Calculation::times: std::ranges::transform(trace, partner, trace.begin(), std::multiplies<>()); break;
        case Calculation::over: block.count(divided_by_zero_, i, divide(trace, partner)); break;
      }
    });
  }

  [[nodiscard]] bool edit_header(const segy::HeaderView& trace, std::byte* /*header*/) const override {
    return partners_.keeps(trace);
  }

  [[nodiscard]] std::vector<std::pair<std::string, std::int64_t>> counts() const override {
    auto counts = partners_.counts();
    counts.emplace_back("samples set to 0 because the divisor was 0", divided_by_zero_.load());
    return counts;
  }

  [[nodiscard]] std::int64_t memory_bytes(std::int64_t traces) const override { return partners_.memory_bytes(traces); }

 private:
  // Returns the number of samples whose divisor is 0.
  [[nodiscard]] static std::int64_t divide(std::span<float> trace, std::span<const float> partner) {
    std::int64_t zeros = 0;
    for (std::size_t s = 0; s < trace.size(); ++s) {
      zeros += partner[s] == 0.0F && trace[s] != 0.0F ? 1 : 0;
      trace[s] = partner[s] == 0.0F ? 0.0F : trace[s] / partner[s];
    }
    return zeros;
  }

  Calculation calculation_;
  Partners partners_;
  mutable std::atomic<std::int64_t> divided_by_zero_{0};
};

}  // namespace

const OperationType& math() {
  static const OperationType type{
      .name = "math",
      .summary = "Combines each trace with the trace of another survey that has the same keys",
      .formula =
          "out(t) = in(t) - other(t), accordingly for plus, times and over; over gives 0 where other(t) is 0; "
          "traces of which either is dead (trid 2) are unchanged",
      .example = "math minus @monitor.sgy by=iline,xline",
      .positionals = {"do", "with"},
      .parameters = Partners::with_parameters(
          "with", {{"do", "minus | plus | times | over", "", "The operation, sample by sample"}}),
      .make = [](const Arguments& arguments) { return std::make_unique<Math>(arguments); }};
  return type;
}

}  // namespace sill::flow
