#include "sill/flow/operations/mix/mix.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "sill/flow/operation/live_traces.hpp"
#include "sill/flow/operation/named_keys.hpp"

namespace sill::flow {
namespace {

constexpr std::int64_t max_traces = 1001;

class Mix final : public Operation {
 public:
  explicit Mix(const Arguments& arguments) {
    if (arguments.has("gather")) gathers_.emplace(arguments, "gather");
    if (arguments.has("weights") == arguments.has("traces"))
      arguments.refuse("traces", "either traces or weights must be given", "write mix 3, or mix weights=1,2,1");
    if (arguments.has("weights"))
      weights_ = arguments.quantities("weights", Dimension::number);
    else
      weights_.assign(static_cast<std::size_t>(*arguments.integer("traces", 1, max_traces)), 1.0);
    const char* const given = arguments.has("weights") ? "weights" : "traces";
    if (weights_.size() % 2 == 0) arguments.refuse(given, "the number of traces is even", "give an odd number");
    for (const double weight : weights_)
      if (!(weight > 0.0)) arguments.refuse("weights", "a weight must be above 0");
  }

  void bind(SurveyState& state) override {
    dead_.bind(state);
    interval_us_ = state.interval_us;
    if (state.domain == segy::Domain::time) delay_ = segy::DelayWord::of(*state.words);
    if (!gathers_) return;
    gathers_->bind(state);
    state.sort_keys = gathers_->keys();
  }

  [[nodiscard]] Access access() const override {
    Access access{.scope = gathers_ ? Scope::gather : Scope::neighbours,
                  .reads_samples = true,
                  .writes_samples = true,
                  .keeps_auxiliary = true};
    dead_.add_to(access);
    if (delay_) {
      access.read_number({delay_->word(), longest_time_ms});
      access.can_stop = true;
    }
    if (gathers_)
      gathers_->add_to(access);
    else
      access.halo = reach();
    return access;
  }

  [[nodiscard]] std::vector<segy::TraceKey> keys() const override {
    return gathers_ ? gathers_->keys() : std::vector<segy::TraceKey>{};
  }

  void run(TraceBlock& block, Workspace& workspace) const override {
    std::vector<char> lives(static_cast<std::size_t>(block.count()));
    std::vector<char> are_kept(lives.size());
    std::vector<double> starts_us(lives.size());
    for (std::int64_t i = 0; i < block.count(); ++i) {
      const std::byte* const header = block.header(i).data();
      const auto at = static_cast<std::size_t>(i);
      are_kept[at] = !dead_.is_seismic(header) || dead_.contains(header) ? 1 : 0;
      if (delay_) starts_us[at] = delay_->start_us(header, block.order());
      lives[at] = are_kept[at] == 0 && live_samples(block.trace(i)).count > 0 ? 1 : 0;
    }
    block.resample(block.samples(), [&](std::int64_t i, std::span<const float> in, std::span<float> out) {
      if (are_kept[static_cast<std::size_t>(i)] != 0) {
        std::ranges::copy(in, out.begin());
        return;
      }
      std::vector<double>& sums = workspace.a;
      std::vector<double>& totals = workspace.b;
      sums.assign(out.size(), 0.0);
      const auto each_neighbour = [&](auto&& visit) {
        const std::int64_t last = std::min(block.count() - 1, i + reach());
        for (std::int64_t n = std::max<std::int64_t>(0, i - reach()); n <= last; ++n) {
          if (lives[static_cast<std::size_t>(n)] == 0) continue;
          const std::int64_t later = samples_later(
              starts_us[static_cast<std::size_t>(n)] - starts_us[static_cast<std::size_t>(i)], interval_us_, i);
          visit(n, later, std::max<std::int64_t>(0, later),
                std::min<std::int64_t>(std::ssize(out), std::ssize(out) + later),
                weights_[static_cast<std::size_t>(n - i + reach())]);
        }
      };
      double total = 0.0;
      bool is_aligned = true;
      each_neighbour([&](std::int64_t n, std::int64_t later, std::int64_t begin, std::int64_t end, double weight) {
        const float* const trace = block.trace(n).data();
        double* const sum = sums.data();
        for (std::int64_t s = begin; s < end; ++s) sum[s] += weight * static_cast<double>(trace[s - later]);
        total += weight;
        is_aligned = is_aligned && later == 0;
      });
      totals.assign(out.size(), is_aligned ? total : 0.0);
      if (!is_aligned)
        each_neighbour([&](std::int64_t, std::int64_t, std::int64_t begin, std::int64_t end, double weight) {
          for (std::int64_t s = begin; s < end; ++s) totals[static_cast<std::size_t>(s)] += weight;
        });
      for (std::size_t s = 0; s < sums.size(); ++s)
        out[s] = totals[s] > 0.0 ? static_cast<float>(sums[s] / totals[s]) : 0.0F;
    });
  }

 private:
  [[nodiscard]] std::int64_t reach() const { return std::ssize(weights_) / 2; }

  std::vector<double> weights_;
  std::optional<NamedKeys> gathers_;
  DeadTraces dead_;
  std::optional<segy::DelayWord> delay_;
  double interval_us_ = 0.0;
};

}  // namespace

const OperationType& mix() {
  static const OperationType type{
      .name = "mix",
      .summary = "Replaces each trace by the weighted mean of itself and its neighbours",
      .formula =
          "out(t) = sum(w x(t)) / sum(w) over those traces around it that have a sample at t, are seismic data and are "
          "not dead; dead traces (trid 2) are unchanged",
      .example = "mix weights=1,2,1",
      .positionals = {"traces"},
      .parameters = {{"traces", "N", "none", "Number of traces with equal weights; odd"},
                     {"weights", "W,W,W...", "none", "Weights of the traces instead; an odd number of them"},
                     {"gather", "KEY,KEY...", "none", "Keys that neighbours must share with the trace"}},
      .make = [](const Arguments& arguments) { return std::make_unique<Mix>(arguments); }};
  return type;
}

}  // namespace sill::flow
