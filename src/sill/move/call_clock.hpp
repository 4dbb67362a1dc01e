// Measures the duration of a call of the mover, and the time that the call spends in file requests.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "sill/move/write_opening.hpp"
#include "sill/store/meter_store.hpp"

namespace sill {

/// Starts when it is constructed.
class CallClock {
 public:
  /// Local. Starts the clock. `meter` may be null; the time in requests is then 0. Precondition: `meter` outlives the
  /// clock.
  explicit CallClock(const Meter* meter) : meter_(meter), write_ns_at_start_(write_ns()) {}

  /// Local. Returns the time since construction.
  [[nodiscard]] CallTime time() const {
    const auto total = std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - begin_);
    return {total.count(), std::min<std::int64_t>(total.count(), write_ns() - write_ns_at_start_)};
  }

 private:
  [[nodiscard]] std::int64_t write_ns() const { return meter_ != nullptr ? meter_->write_ns.load() : 0; }

  const Meter* meter_;
  std::int64_t write_ns_at_start_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace sill
