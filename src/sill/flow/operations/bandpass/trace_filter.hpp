// Filters traces by a cascade: ends of traces, and traces side by side.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sill/flow/operation/lanes/lane_kernels.hpp"
#include "sill/flow/operations/bandpass/butterworth.hpp"

namespace sill::flow {

/// What a trace is extended by beyond its ends. Before the first sample x[0]: 2 x[0] - x[i] (odd), 0, x[0] (edge),
/// x[i] (reflect), x[i - 1] (symmetric), at i samples before it; behind the last one likewise.
enum class Padding : std::uint8_t { odd, zero, edge, reflect, symmetric };
inline constexpr std::array<std::string_view, 5> paddings{"odd", "zero", "edge", "reflect", "symmetric"};

class TraceFilter {
 public:
  /// Local. `is_zero_phase`: forward, then backward.
  TraceFilter(Cascade cascade, bool is_zero_phase, Padding padding);

  /// Local. How many samples a series of `samples` is extended by at each end, and how many it should be: until the
  /// slowest pole has decayed to 1e-3; not at all where that changes nothing.
  [[nodiscard]] std::int64_t padding_of(std::int64_t samples) const;
  [[nodiscard]] std::int64_t full_padding() const { return full_padding_; }

  /// Local. Filters up to `lane_count` series of `samples` in place. `memory` is work space. Precondition: samples
  /// >= 1.
  void filter(std::span<float* const> series, std::int64_t samples, std::vector<double>& memory) const;

  /// Local. Size of the work space, in bytes, for series of at most `samples`.
  [[nodiscard]] std::int64_t memory_bytes(std::int64_t samples) const;

 private:
  // `padding` rows in front of the samples, or behind them, `step` from a row to that further outside.
  void extend(double* end, std::int64_t padding, std::int64_t step) const;

  Cascade cascade_;
  bool is_zero_phase_;
  Padding padding_;
  std::int64_t full_padding_ = 0;
  const LaneKernels* kernels_;
};

}  // namespace sill::flow
