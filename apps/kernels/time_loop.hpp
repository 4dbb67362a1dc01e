// Common elements of the time loops of kernels: a clock, and the computation that they simulate.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>

#include "kernels/kernel.hpp"
#include "sill/comm/communicator.hpp"

namespace sill::kernels {

class Stopwatch {
 public:
  /// Local. Returns the seconds since construction.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Local. Keeps a core busy for `ms` milliseconds.
inline void compute(double ms) {
  const Stopwatch watch;
  while (watch.seconds() * 1000 < ms) {
  }
}

/// Collective. Waits until the memory lent to `writer` is free again, and counts the time as output.
template <class Writer>
void wait_for_lent(Writer& writer, KernelCosts& costs) {
  const Stopwatch waiting;
  writer.wait();
  costs.output_s += waiting.seconds();
}

/// Collective. Closes `writer`, and counts the time as output. Returns the seconds that closing takes.
template <class Writer>
double close_output(Writer& writer, KernelCosts& costs) {
  const Stopwatch closing;
  writer.close();
  const double seconds = closing.seconds();
  costs.output_s += seconds;
  return seconds;
}

/// Collective. Replaces each time by the maximum over all ranks, except `own_output_s`, which stores the `output_s` of
/// this rank.
inline void make_longest(Communicator& comm, KernelCosts& costs) {
  costs.own_output_s = costs.output_s;
  for (double* const seconds : {&costs.setup_s, &costs.loop_s, &costs.output_s}) {
    *seconds = 1e-9 * static_cast<double>(all_reduce(comm, std::llround(*seconds * 1e9), Reduction::max));
  }
}

}  // namespace sill::kernels
