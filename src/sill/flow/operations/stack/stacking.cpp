#include "sill/flow/operations/stack/stacking.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "sill/base/processors.hpp"
#include "sill/flow/operation/sliding_sum.hpp"

namespace sill::flow {
namespace {

SILL_FOR_PROCESSORS void add_samples(const float* in, std::int64_t count, double* sums) {
  for (std::int64_t i = 0; i < count; ++i) sums[i] += static_cast<double>(in[i]);
}

constexpr std::array<std::string_view, 4> methods{"mean", "median", "nthroot", "diversity"};

}  // namespace

Stacking::Stacking(const Arguments& arguments)
    : method_(static_cast<Method>(arguments.choice("method", methods))),
      gate_s_(arguments.quantity("gate", Dimension::time).value_or(0.5)),
      minfold_(arguments.integer("minfold", 1, 1'000'000'000).value_or(1)) {
  const bool has_root = method_ == Method::nthroot;
  arguments.require_with("method=nthroot", "n=");
  arguments.require_with("n=", "method=nthroot");
  arguments.require_with("gate=", "method=diversity");
  if (has_root) root_ = arguments.required("n", Dimension::number);
  if (root_ < 1.0) arguments.refuse("n", "the root must be 1 or more");
  if (gate_s_ < 0.0) arguments.refuse("gate", "the gate must not be negative");
}

std::vector<Parameter> Stacking::parameters() {
  return {{"method", "mean | median | nthroot | diversity", "mean", "Combination of the live samples at each time"},
          {"n", "NUMBER", "none",
           "With method nthroot: stack the n-th roots of the samples, and raise the mean to the power n"},
          {"gate", "TIME", "500 ms", "With method diversity: length of the gate in which the mean square is computed"},
          {"minfold", "COUNT", "1", "Set a sample to 0 if fewer traces than this are live at its time"}};
}

void Stacking::stack(std::span<const StackedTrace> traces, std::span<float> out, Workspace& workspace) const {
  if (method_ == Method::median) return stack_median(traces, out);
  const std::int64_t samples = std::ssize(out);
  std::vector<double>& sums = workspace.a;
  std::vector<double>& weights = workspace.b;
  sums.assign(out.size(), 0.0);
  weights.assign(method_ == Method::diversity ? out.size() : 0, 0.0);
  // The change in the number of live traces at each sample.
  std::vector<std::int64_t> fold_changes(out.size() + 1);
  for (const StackedTrace& trace : traces) {
    const std::int64_t first = std::max<std::int64_t>(trace.live.first, -trace.shift);
    const std::int64_t end = std::min(trace.live.first + trace.live.count, samples - trace.shift);
    if (end <= first) continue;
    ++fold_changes[static_cast<std::size_t>(first + trace.shift)];
    --fold_changes[static_cast<std::size_t>(end + trace.shift)];
    const float* const in = trace.samples.data();
    double* const sum = sums.data() + trace.shift;
    switch (method_) {
      case Method::mean: add_samples(in + first, end - first, sum + first); break;
      case Method::nthroot:
        for (std::int64_t i = first; i < end; ++i)
          sum[i] += std::copysign(std::pow(std::abs(static_cast<double>(in[i])), 1.0 / root_), in[i]);
        break;
      case Method::diversity: {
        const std::vector<double> of_trace = diversity_weights(trace);
        double* const weight = weights.data() + trace.shift;
        for (std::int64_t i = first; i < end; ++i) {
          const double w = of_trace[static_cast<std::size_t>(i)];
          sum[i] += w * static_cast<double>(in[i]);
          weight[i] += w;
        }
        break;
      }
      case Method::median: break;
    }
  }
  std::int64_t fold = 0;
  for (std::size_t i = 0; i < out.size(); ++i) {
    fold += fold_changes[i];
    const double weight = method_ == Method::diversity ? weights[i] : static_cast<double>(fold);
    double value = fold >= minfold_ && weight != 0.0 ? sums[i] / weight : 0.0;
    if (method_ == Method::nthroot) value = std::copysign(std::pow(std::abs(value), root_), value);
    out[i] = static_cast<float>(value);
  }
}

// Returns 1 / E, where E is the mean square of the live samples of the gate around a sample; 0 where E is 0.
std::vector<double> Stacking::diversity_weights(const StackedTrace& trace) const {
  const std::int64_t samples = std::ssize(trace.samples);
  const auto half =
      static_cast<std::int64_t>(std::min(static_cast<double>(samples), half_window(gate_s_, interval_s_)));
  std::vector<double> energy(static_cast<std::size_t>(samples + 2 * half));
  std::vector<double> count(energy.size());
  for (std::int64_t i = trace.live.first; i < trace.live.first + trace.live.count; ++i) {
    const double x = trace.samples[static_cast<std::size_t>(i)];
    energy[static_cast<std::size_t>(i + half)] = x * x;
    count[static_cast<std::size_t>(i + half)] = 1.0;
  }
  std::vector<double> sums(trace.samples.size());
  std::vector<double> counts(trace.samples.size());
  std::vector<double> scratch;
  sliding_sum(energy, 2 * half + 1, sums, scratch);
  sliding_sum(count, 2 * half + 1, counts, scratch);
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = sums[i] == 0.0 ? 0.0 : counts[i] / sums[i];
  return sums;
}

void Stacking::stack_median(std::span<const StackedTrace> traces, std::span<float> out) const {
  std::vector<float> values;
  for (std::int64_t t = 0; t < std::ssize(out); ++t) {
    values.clear();
    for (const StackedTrace& trace : traces) {
      const std::int64_t i = t - trace.shift;
      if (i >= trace.live.first && i < trace.live.first + trace.live.count)
        values.push_back(trace.samples[static_cast<std::size_t>(i)]);
    }
    float& median = out[static_cast<std::size_t>(t)];
    median = 0.0F;
    if (values.empty() || std::ssize(values) < minfold_) continue;
    if (std::ranges::any_of(values, [](float x) { return std::isnan(x); })) {
      median = std::numeric_limits<float>::quiet_NaN();  // NaN has no place in an order
      continue;
    }
    const auto middle = values.begin() + std::ssize(values) / 2;
    std::ranges::nth_element(values, middle);
    median = *middle;
    if (values.size() % 2 == 0)
      median = static_cast<float>(
          0.5 * (static_cast<double>(*std::max_element(values.begin(), middle)) + static_cast<double>(*middle)));
  }
}

}  // namespace sill::flow
