// Common elements of the time loops of kernels: a clock, and the computation that they simulate.
#pragma once

#include <chrono>
#include <cmath>
#include <span>

#include "kernels/kernel.hpp"
#include "sill/comm/communicator.hpp"
#include "sill/comm/exchange.hpp"

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

/// Measures a run of a kernel: its set-up, then its time loop with the output, in which the files are closed.
class RunClock {
 public:
  explicit RunClock(Communicator& comm) : comm_(comm) {}

  /// Local. Ends the set-up.
  void begin_loop() { costs.setup_s = whole_.seconds(); }
  /// Calls `work`, and counts its time as output.
  template <class Work>
  void output(Work&& work) {
    const Stopwatch watch;
    work();
    costs.output_s += watch.seconds();
  }
  /// Calls `work`, an output phase.
  template <class Work>
  void phase(Work&& work) {
    output(work);
    ++costs.phases;
  }
  /// Collective. Ends the time loop, of which `added_s` are not counted. Returns the costs, in which each time is the
  /// maximum over all ranks, except `own_output_s`, which is the `output_s` of this rank.
  [[nodiscard]] KernelCosts finish(double added_s = 0.0) {
    costs.loop_s = whole_.seconds() - costs.setup_s - added_s;
    costs.own_output_s = costs.output_s;
    for (double* const seconds : {&costs.setup_s, &costs.loop_s, &costs.output_s}) {
      *seconds = 1e-9 * static_cast<double>(all_reduce(comm_, std::llround(*seconds * 1e9), Reduction::max));
    }
    return costs;
  }

  KernelCosts costs;

 private:
  Communicator& comm_;
  Stopwatch whole_;
};

/// Collective. Sends the bytes of `values`, a contiguous range, from this rank to `rank`, which calls `receive_from`.
template <class Values>
void send_to(Communicator& comm, int rank, const Values& values) {
  const Outgoing message{rank, std::as_bytes(std::span(values))};
  comm.exchange({&message, 1}, {});
}
/// Collective. Receives the bytes of `values` from `rank`, as many as it sends.
template <class Values>
void receive_from(Communicator& comm, int rank, Values& values) {
  const Incoming message{rank, std::as_writable_bytes(std::span(values))};
  comm.exchange({}, {&message, 1});
}

}  // namespace sill::kernels
