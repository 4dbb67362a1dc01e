// Combines the samples of several traces into one trace.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/flow/operation/arguments.hpp"
#include "sill/flow/operation/operation_type.hpp"
#include "sill/formats/segy/samples/time_window.hpp"

namespace sill::flow {

/// A trace of a stack: its samples, the live samples among them, and the number of samples by which it starts later
/// than the result.
struct StackedTrace {
  std::span<const float> samples;
  segy::SampleRange live;
  std::int64_t shift = 0;
};

/// Mean, median, n-th root and diversity stack. Sums are computed in the order of the traces, in double.
class Stacking {
 public:
  /// Local. Reads `method`, `n`, `gate`, `minfold`. Errors: usage.
  explicit Stacking(const Arguments& arguments);
  /// Local. Returns the parameters that the constructor reads.
  [[nodiscard]] static std::vector<Parameter> parameters();

  void bind(double interval_s) { interval_s_ = interval_s; }

  /// Local. Writes the stack of `traces` to `out`. A sample is 0 if fewer than `minfold` traces are live at its time.
  void stack(std::span<const StackedTrace> traces, std::span<float> out, Workspace& workspace) const;

 private:
  enum class Method : std::uint8_t { mean, median, nthroot, diversity };

  void stack_median(std::span<const StackedTrace> traces, std::span<float> out) const;
  [[nodiscard]] std::vector<double> diversity_weights(const StackedTrace& trace) const;

  Method method_;
  double root_ = 1.0;
  double gate_s_;
  std::int64_t minfold_;
  double interval_s_ = 0.0;
};

}  // namespace sill::flow
