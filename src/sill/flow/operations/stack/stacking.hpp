// How the samples of several traces become those of one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sill/flow/operation/arguments.hpp"
#include "sill/flow/operation/operation_type.hpp"
#include "sill/formats/segy/samples/time_window.hpp"

namespace sill::flow {

/// A trace of a stack: its samples, those that are live, and how many samples later it begins than the result.
struct StackedTrace {
  std::span<const float> samples;
  segy::SampleRange live;
  std::int64_t shift = 0;
};

/// Mean, median, n-th root and diversity stack. Sums run in the order of the traces, in double.
class Stacking {
 public:
  /// Local. Reads `method`, `n`, `gate`, `minfold`. Errors: usage.
  explicit Stacking(const Arguments& arguments);
  /// The parameters it reads.
  [[nodiscard]] static std::vector<Parameter> parameters();

  void bind(double interval_s) { interval_s_ = interval_s; }

  /// Local. Writes the stack of `traces` to `out`; samples at which fewer than `minfold` traces are live become 0.
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
