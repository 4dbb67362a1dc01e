// Filters several traces at once by a cascade, and extends them at both ends.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "sill/flow/operation/lanes/lane_kernels.hpp"
#include "sill/flow/operations/bandpass/butterworth.hpp"

namespace sill::flow {

/// The values by which a trace is extended beyond its ends. At i samples before the first sample x[0]: 2 x[0] - x[i]
/// (odd), 0, x[0] (edge), x[i] (reflect), x[i - 1] (symmetric); likewise after the last sample.
enum class Padding : std::uint8_t { odd, zero, edge, reflect, symmetric };
inline constexpr std::array<std::string_view, 5> paddings{"odd", "zero", "edge", "reflect", "symmetric"};

class TraceFilter {
 public:
  /// Local. Creates a filter. `is_zero_phase`: filters forward, then backward.
  TraceFilter(Cascade cascade, bool is_zero_phase, Padding padding);

  /// Local. Returns the number of samples by which a series of `samples` is extended at each end. `full_padding`
  /// returns the desired number: until the slowest pole has decayed to 1e-3; 0 if an extension changes nothing.
  [[nodiscard]] std::int64_t padding_of(std::int64_t samples) const;
  [[nodiscard]] std::int64_t full_padding() const { return full_padding_; }

  /// Local. Filters up to `lane_count` series of `samples` samples in place. `memory` is a workspace. Precondition:
  /// samples >= 1.
  void filter(std::span<float* const> series, std::int64_t samples, std::vector<double>& memory) const;

  /// Local. Returns an upper bound for the workspace, in bytes, for series of at most `samples` samples.
  [[nodiscard]] std::int64_t memory_bytes(std::int64_t samples) const;

 private:
  // Sets `padding` rows before or after the samples. `step` is the distance from a row to the next row further outside.
  void extend(double* end, std::int64_t padding, std::int64_t step) const;

  Cascade cascade_;
  bool is_zero_phase_;
  Padding padding_;
  std::int64_t full_padding_ = 0;
  const LaneKernels* kernels_;
};

}  // namespace sill::flow
