// What the time loops of kernels share: a clock, and the computation that they stand for.
#pragma once

#include <chrono>
#include <cmath>
#include <cstdint>

#include "sill/comm/communicator.hpp"

namespace sill::kernels {

class Stopwatch {
 public:
  /// Local. Since it was made.
  [[nodiscard]] double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Local. Keeps a core busy for `ms`.
inline void compute(double ms) {
  const Stopwatch watch;
  while (watch.seconds() * 1000 < ms) {
  }
}

/// Collective. The longest of all ranks' times.
[[nodiscard]] inline double longest_s(Communicator& comm, double seconds_s) {
  return 1e-9 * static_cast<double>(all_reduce(comm, std::llround(seconds_s * 1e9), Reduction::max));
}

}  // namespace sill::kernels
